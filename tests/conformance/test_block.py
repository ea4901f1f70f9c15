"""Blocks and grids: barriers that count, dynamic shared memory, fences, clocks."""

import numpy as np
from harness import case, kernel


@case
def thread_number(run):
    """Threads count x fastest, then y, then z."""
    out = np.full((run.threads, 3), -1, np.int32)
    run(
        """
        __global__ void k(int* out) {
          const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
          out[3 * t] = threadIdx.x; out[3 * t + 1] = threadIdx.y; out[3 * t + 2] = threadIdx.z;
        }
        """,
        out,
    )
    run.same(out, np.stack([run.thread.x, run.thread.y, run.thread.z], 1))


@case(each=["count", "and", "or"])
def syncthreads(run, name):
    """__syncthreads_count, _and and _or of a predicate, for several thresholds."""
    expected = {"count": np.sum, "and": np.all, "or": np.any}[name]
    t = np.arange(run.threads)
    for threshold in (0, 1, run.threads // 2, run.threads):
        out = np.full(run.threads, -1, np.int32)
        run(
            """
            __global__ void k(int* out, int threshold) {
              const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
              out[t] = __syncthreads_NAME((t < threshold) * 6);
            }
            """.replace("NAME", name),
            out,
            threshold,
        )
        predicate = t < threshold
        run.same(out if name == "count" else out != 0, expected(predicate), f"threshold {threshold}")


@case(each={"optimised": [], "-G": ["-G"]})
def grid_and_block_extents(run, options):
    """gridDim, blockDim, blockIdx in three dimensions, and as dim3 and uint3."""
    out = np.zeros((24, run.threads, 3), np.int32)
    run(
        kernel(
            "int* out",
            """
            const dim3 grid = gridDim, block = blockDim; const uint3 at = blockIdx, thread = threadIdx;
            const int b = at.x + grid.x * (at.y + grid.y * at.z);
            int* o = out + 3 * (b * n + t);
            o[0] = at.x * 100 + at.y * 10 + at.z; o[1] = gridDim.x * 100 + gridDim.y * 10 + gridDim.z;
            o[2] = block.x + block.y * 2 + block.z * 3 + thread.x + thread.y + thread.z;
            """,
        ),
        out,
        grid=(2, 3, 4),
        options=options,
    )
    b = np.arange(24)[:, None] + 0 * np.arange(run.threads)
    x, y, z = run.block
    extents = x + 2 * y + 3 * z + run.thread.x + run.thread.y + run.thread.z
    run.same(out, np.stack([b % 2 * 100 + b // 2 % 3 * 10 + b // 6, 234 + 0 * b, extents + 0 * b], 2))


@case
def last_block_finishes(run):
    """__threadfence and an atomic counter: the last block to end adds up what all have written."""
    blocks = 13
    out, sums, count = np.zeros(1, np.int64), np.zeros(blocks, np.int64), np.zeros(1, np.uint32)
    run(
        kernel(
            "long long* out, volatile long long* sums, unsigned* count",
            """
            __shared__ bool last;
            __shared__ long long s;
            if (t == 0) s = 0;
            __syncthreads();
            atomicAdd((unsigned long long*)&s, (unsigned long long)(blockIdx.x * n + t));
            __syncthreads();
            if (t == 0) {
              sums[blockIdx.x] = s;
              __threadfence();
              last = atomicInc(count, gridDim.x) == gridDim.x - 1;
            }
            __syncthreads();
            if (last && t == 0) { long long total = 0; for (int i = 0; i < gridDim.x; ++i) total += sums[i]; out[0] = total; }
            """,
        ),
        out,
        sums,
        count,
        grid=blocks,
    )
    run.same(out, np.arange(blocks * run.threads).sum())
    run.same(count, blocks)


@case(each=["__threadfence_block", "__threadfence", "__threadfence_system"])
def fences(run, fence):
    """A fence orders a thread's writes before its flag, for other threads of the block that then read them."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            __shared__ volatile int data[1024], flag[1024];
            flag[t] = 0;
            __syncthreads();
            data[t] = t * 3 + 1; FENCE(); flag[t] = 1;
            while (!flag[(t + 1) % n]) {}
            FENCE();
            out[t] = data[(t + 1) % n];
            """.replace("FENCE", fence),
        ),
        out,
    )
    run.same(out, (np.arange(run.threads) + 1) % run.threads * 3 + 1)


@case
def nanosleep(run):
    """__nanosleep of different lengths in different threads lets all go on, between barriers too."""
    out = np.zeros(run.threads, np.int32)
    run(
        kernel(
            "int* out",
            """
            __shared__ int s[1024];
            if (t % 2) __nanosleep(t % 5 * 100); else __nanosleep(0);
            s[t] = t;
            __syncthreads();
            __nanosleep(10);
            out[t] = s[(t + 1) % n];
            """,
        ),
        out,
    )
    run.same(out, (np.arange(run.threads) + 1) % run.threads)


@case
def clocks(run):
    """clock64 never goes back in a thread; it and clock go on while it works."""
    out = np.zeros((run.threads, 3), np.int32)
    run(
        kernel(
            "int* out, volatile int* work",
            """
            const long long first = clock64(); const clock_t low = clock();
            long long before = first; bool up = true;
            for (int i = 0; i < 200; ++i) { work[t] = i; const long long now = clock64(); up = up && now >= before; before = now; }
            out[3 * t] = up; out[3 * t + 1] = before > first; out[3 * t + 2] = clock() != low;
            """,
        ),
        out,
        np.zeros(run.threads, np.int32),
    )
    run.same(out, 1)
