"""Kernels that never end: a time limit ends them wherever they are, and others go on."""

import time
from pathlib import Path

import numpy as np
import pytest
from harness import case

import lanza

NO_LIMIT = "a GPU's kernels cannot be ended without the loss of their context"
ENDLESS = {
    "empty": "for (;;) {}",
    "counting": "volatile int x = 0; while (true) ++x;",
    "computing": "unsigned x = 1; do { x = x * 5u + 1u; } while (x != out[0] + 2u * x + 3u || true); out[0] = x;",
    "storing": "for (unsigned i = 0;; i = (i + 1) % 4) out[i] = i;",
    "spinning": "while (*(volatile unsigned*)out != 77u) {}",
    "in_a_function": "wait(out);",
    "in_recursion": "out[0] = descend(out, 1u);",
    "between_barriers": "for (;;) { __syncthreads(); if (t == 0) out[0] += 1; }",
    "one_thread": "if (t == 0) for (;;) {} __syncthreads();",
    "sleeping": "for (;;) __nanosleep(1000);",
    "allocating": "for (;;) free(malloc(16));",
    "warp": "while (__any_sync(__activemask(), true)) {}",
}
SOURCE = """
__device__ __noinline__ void wait(unsigned* out) { while (out[1] < 0xffffffffu) out[1] &= 15u; }
__device__ unsigned descend(unsigned* out, unsigned n) {
  unsigned sum = n;
  while (sum != 0u) sum = sum * 3u + (n < 3u ? descend(out, n + 1u) : 2u * (sum | 1u));
  return sum;
}
__global__ void k(unsigned* out) {
  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  BODY
}
__global__ void after(unsigned* out) { out[0] = 5u; }
"""


def end(run, body: str, limit: float, grid: int = 1) -> float:
    """Seconds until the launch was ended by its limit."""
    out = np.zeros(4, np.uint32)
    begun = time.monotonic()
    with pytest.raises(lanza.LaunchError, match=f"k: timed out after {int(limit * 1000)} ms"):
        run(SOURCE.replace("BODY", body), out, kernel="k", timeout=limit, grid=grid)
    return time.monotonic() - begun


@case(each=ENDLESS, blocks=[1, 33, 256], cpu_only=True, reason=NO_LIMIT)
def endless(run, body):
    """Ended long before the harness would end it, on a machine that has other things to do; the next launch runs."""
    assert end(run, body, 0.1, grid=3) < 30
    out = np.zeros(4, np.uint32)
    run(SOURCE.replace("BODY", body), out, kernel="after")
    run.same(out, [5, 0, 0, 0])


@case(blocks=[64], cpu_only=True, reason=NO_LIMIT)
def endless_leaves_others_alone(run):
    """A kernel that runs in another stream meanwhile ends by itself, with its results."""
    source = """
    __global__ void add(unsigned* out, unsigned n) { for (unsigned i = 0; i < n; ++i) atomicAdd(out, 1u); }
    """
    stream, out, n = lanza.Stream(run.device), np.zeros(1, np.uint32), 300_000
    run.module(source).add(out, n, block=run.block, stream=stream, wait=False)
    end(run, ENDLESS["counting"], 0.1)
    stream.synchronize()
    run.same(out, [n * run.threads])


@case(blocks=[256], cpu_only=True, reason=NO_LIMIT)
def endless_many_times(run):
    """Ended kernels leave no memory and no threads behind."""

    def held() -> tuple[int, int]:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * 4096, len(list(Path("/proc/self/task").iterdir()))

    for _ in range(10):
        end(run, ENDLESS["one_thread"], 0.002)
    memory, threads = held()
    for _ in range(100):
        end(run, ENDLESS["one_thread"], 0.002)
    more, still = held()
    assert more - memory < 8 << 20
    assert still <= threads
