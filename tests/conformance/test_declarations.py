"""What declarations of kernels may say: alignments of shared variables, copies of the indices."""

import numpy as np
from harness import case, kernel


@case
def aligned_shared_memory(run):
    """alignas, __align__ and types as alignments of shared variables, in front of and behind __shared__."""
    out = np.zeros((run.threads, 5), np.int32)
    run(
        kernel(
            "int* out",
            """
            __shared__ char before;
            __shared__ alignas(64) int a[1024];
            __shared__ alignas(float4) char b[20];
            alignas(32) __shared__ char c;
            __shared__ __align__(16) char d[3];
            before = c = b[0] = d[0] = 1;
            a[t] = 3 * t;
            __syncthreads();
            out[5 * t] = a[n - 1 - t] + before - c;
            out[5 * t + 1] = (size_t)a % 64;
            out[5 * t + 2] = (size_t)b % alignof(float4);
            out[5 * t + 3] = (size_t)&c % 32;
            out[5 * t + 4] = (size_t)d % 16;
            """,
        ),
        out,
    )
    t = np.arange(run.threads)
    run.same(out, np.stack([3 * t[::-1], *[0 * t] * 4], 1))


@case
def copies_of_indices(run):
    """auto copies of threadIdx and its kin, by value, by reference and in lambdas."""
    out = np.zeros((run.threads, 3), np.int32)
    source = """
    template <class T> __device__ int linear(T at, const dim3& size) { return at.x + size.x * (at.y + size.y * at.z); }
    __global__ void k(int* out) {
      const auto at = threadIdx;
      auto size = blockDim;
      const auto& place = blockIdx;
      auto lambda = [=] { return linear(at, size); };
      const int t = linear(threadIdx, blockDim);
      out[3 * t] = lambda();
      out[3 * t + 1] = linear<uint3>(at, size);
      out[3 * t + 2] = place.x + 2 * gridDim.x;
    }"""
    run(source, out)
    t = np.arange(run.threads)
    run.same(out, np.stack([t, t, 0 * t + 2], 1))
