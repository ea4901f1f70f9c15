"""cuda_pipeline.h and cuda_awbarrier.h: asynchronous copies into shared memory and barriers in it, CUDA's primitives for C."""

import numpy as np
from harness import case, kernel


@case(each=["4", "8", "16"])
def pipeline_primitives(run, size):
    """__pipeline_memcpy_async of 4, 8 and 16 bytes; the last bytes may be zeros."""
    words = int(size) // 4
    data = (np.arange(run.threads * words) * 2654435761 % 2**32).astype(np.uint32).reshape(-1, words)
    out, part = np.zeros_like(data), np.zeros_like(data)
    run(
        kernel(
            "const unsigned* in, unsigned* out, unsigned* part",
            f"""
            constexpr int words = {words};
            __shared__ __align__(16) unsigned s[2][words * 1024];
            __pipeline_memcpy_async(s[0] + words * t, in + words * t, 4 * words);
            __pipeline_commit();
            __pipeline_memcpy_async(s[1] + words * t, in + words * t, 4 * words, 3);
            __pipeline_commit();
            __pipeline_wait_prior(1);
            __syncthreads();
            for (int i = 0; i < words; ++i) out[words * t + i] = s[0][words * (n - 1 - t) + i];
            __pipeline_wait_prior(0);
            for (int i = 0; i < words; ++i) part[words * t + i] = s[1][words * t + i];
            """,
            "#include <cuda_pipeline_primitives.h>",
        ),
        data,
        out,
        part,
    )
    run.same(out, data[::-1])
    data[:, -1] &= 0xFF
    run.same(part, data)


@case
def mbarrier_primitives(run):
    """__mbarrier_*: everybody arrives, some leave; tokens, parities and pending counts."""
    out = np.zeros((run.threads, 4), np.int32)
    run(
        kernel(
            "int* out",
            """
            __shared__ __mbarrier_t barrier;
            __shared__ int s[1024];
            if (t == 0) __mbarrier_init(&barrier, n);
            __syncthreads();
            s[t] = 3 * t;
            __mbarrier_token_t token = __mbarrier_arrive(&barrier);
            const unsigned pending = __mbarrier_token_pending_count(token);
            while (!__mbarrier_test_wait(&barrier, token)) {}
            out[4 * t] = s[n - 1 - t];
            out[4 * t + 1] = pending >= 1 && pending <= n;
            out[4 * t + 2] = __mbarrier_test_wait_parity(&barrier, false);
            __syncthreads();
            s[t] = 5 * t;
            if (t % 2) {
              __mbarrier_arrive_and_drop(&barrier);
              return;
            }
            token = __mbarrier_arrive(&barrier);
            while (!__mbarrier_try_wait(&barrier, token, 1000)) {}
            out[4 * t + 3] = s[n - 1 - t];
            """,
            "#include <cuda_awbarrier_primitives.h>",
        ),
        out,
    )
    t = np.arange(run.threads)
    last = np.where(t % 2, 0, 5 * t[::-1])
    run.same(out, np.stack([3 * t[::-1], t * 0 + 1, t * 0 + 1, last], 1))


@case(blocks=[32, 64, 256, (16, 16, 1)])
def experimental_pipeline(run):
    """nvcuda::experimental: pipeline, memcpy_async of values and segments, awbarrier."""
    data = (np.arange(4 * run.threads) * 7 + 1).astype(np.int32)
    out = np.zeros((run.threads, 4), np.int32)
    run(
        kernel(
            "const int* in, int* out",
            """
            namespace ex = nvcuda::experimental;
            __shared__ __align__(16) int whole[4 * 1024], part[4 * 1024];
            __shared__ ex::awbarrier barrier;
            if (t == 0) init(&barrier, n);
            __syncthreads();
            ex::pipeline pipe;
            ex::memcpy_async(reinterpret_cast<int4*>(whole)[t], reinterpret_cast<const int4*>(in)[t], pipe);
            pipe.commit_and_wait();
            ex::memcpy_async(ex::segment<4>(part + 4 * t), ex::segment<2>(in + 4 * t), pipe);
            pipe.commit();
            pipe.wait_prior<0>();
            barrier.arrive_and_wait();
            out[4 * t] = whole[4 * (n - 1 - t) + 3];
            out[4 * t + 1] = part[4 * (n - 1 - t) + 1];
            out[4 * t + 2] = part[4 * (n - 1 - t) + 2];
            auto token = barrier.arrive();
            barrier.wait(token);
            out[4 * t + 3] = whole[4 * ((t + 1) % n)];
            """,
            "#include <cuda_pipeline.h>",
        ),
        data,
        out,
    )
    rows = data.reshape(-1, 4)
    zero = np.zeros(run.threads, np.int32)
    run.same(out, np.stack([rows[::-1, 3], rows[::-1, 1], zero, np.roll(rows[:, 0], -1)], 1))


@case
def copies_that_arrive(run):
    """cp.async.mbarrier.arrive: a barrier in shared memory waits for the copies of all threads."""
    data = (np.arange(run.threads) * 11 + 5).astype(np.int32)
    out = np.zeros((run.threads, 2), np.int32)
    run(
        kernel(
            "const int* in, int* out",
            """
            __shared__ unsigned long long barrier;
            __shared__ int s[1024];
            const unsigned at = (unsigned)__cvta_generic_to_shared(&barrier), to = (unsigned)__cvta_generic_to_shared(s + t);
            if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(at), "r"(n) : "memory");
            __syncthreads();
            for (unsigned phase = 0; phase < 2; ++phase) {
              asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(in + (t + phase) % n) : "memory");
              if (phase) {
                asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(at) : "memory");
              } else {
                asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" :: "r"(at) : "memory");
                asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" :: "r"(at) : "memory");
              }
              unsigned done = 0;
              while (!done)
                asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                             : "=r"(done) : "r"(at), "r"(phase) : "memory");
              out[2 * t + phase] = s[n - 1 - t];
              __syncthreads();
            }
            """,
        ),
        data,
        out,
    )
    run.same(out, np.stack([data[::-1], np.roll(data, -1)[::-1]], 1))
