"""Blocks and grids: barriers that count, dynamic shared memory, fences, clocks."""

import numpy as np
from harness import case


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
