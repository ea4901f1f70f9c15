"""A true deadlock is reported with what its threads wait at, and others go on."""

import re

import numpy as np
import pytest
from harness import case

import lanza

NO_REPORT = "a GPU hangs"
SOURCE = """__global__ void k(int* out) {
  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  BODY
  out[t] = t;
}
"""
LINE = 3  # of BODY
BLOCKS = [32, 33, 64, 256, (8, 8, 1), (3, 5, 7)]


def report(run, body: str, grid: int = 1) -> str:
    """What is said of the deadlock; a launch after it runs."""
    source, out = SOURCE.replace("BODY", body), np.zeros(run.threads, np.int32)
    with pytest.raises(lanza.LaunchError) as error:
        run(source, out, grid=grid)
    run(SOURCE.replace("BODY", "__syncthreads();"), out)
    run.same(out, np.arange(run.threads))
    return str(error.value)


def others(run, first: int) -> str:
    """The threads from `first` on."""
    return f"threads {first}-{run.threads - 1}"


@case(blocks=BLOCKS, cpu_only=True, reason=NO_REPORT)
def deadlock_of_warp_and_block(run):
    """One lane waits for its warp, whose other lanes wait for the block."""
    text = report(run, "if (t == 0) __syncwarp(); else __syncthreads();")
    assert text == (
        f"k: deadlock in block (0,0,0): thread 0 waits at __syncwarp(mask 0xffffffff) (kernel.cu:{LINE}), "
        f"{others(run, 1)} at __syncthreads (kernel.cu:{LINE})"
    )


@case(blocks=BLOCKS, cpu_only=True, reason=NO_REPORT)
def deadlock_of_a_shuffle(run):
    """Lanes shuffle with lanes that wait for the block."""
    body = "if (t < 8) out[t] = __shfl_sync(0xffffffffu, t, 0);\n  else __syncthreads();"
    assert report(run, body) == (
        f"k: deadlock in block (0,0,0): threads 0-7 wait at __shfl_sync(mask 0xffffffff) (kernel.cu:{LINE}), "
        f"{others(run, 8)} at __syncthreads (kernel.cu:{LINE + 1})"
    )


@case(blocks=BLOCKS, cpu_only=True, reason=NO_REPORT)
def deadlock_of_two_barriers(run):
    """Threads wait at barriers of different numbers."""
    body = 'if (t < 2)\n    asm volatile("bar.sync 1;");\n  else\n    asm volatile("bar.sync 2;");'
    assert report(run, body) == (
        f"k: deadlock in block (0,0,0): threads 0-1 wait at barrier 1 of all threads (kernel.cu:{LINE + 1}), "
        f"{others(run, 2)} at barrier 2 of all threads (kernel.cu:{LINE + 3})"
    )


@case(blocks=BLOCKS, cpu_only=True, reason=NO_REPORT)
def deadlock_of_counts(run):
    """Barriers that wait for more threads than come to them."""
    body = 'if (t < 2)\n    asm volatile("bar.sync 1, 64;");\n  else\n    asm volatile("bar.sync 2, 1024;");'
    assert report(run, body) == (
        f"k: deadlock in block (0,0,0): threads 0-1 wait at barrier 1 of 64 threads (kernel.cu:{LINE + 1}), "
        f"{others(run, 2)} at barrier 2 of 1024 threads (kernel.cu:{LINE + 3})"
    )


@case(blocks=BLOCKS, cpu_only=True, reason=NO_REPORT)
def deadlock_in_one_block(run):
    """The block is named; those before it have done their work."""
    text = report(run, "if (blockIdx.x == 2 && t == 0) __syncwarp(); else __syncthreads();", grid=3)
    assert re.fullmatch(r"k: deadlock in block \(2,0,0\): thread 0 waits at __syncwarp.*, threads 1-\d+ at .*", text)


@case(blocks=BLOCKS, cpu_only=True, reason=NO_REPORT)
def deadlock_in_a_function(run):
    """Barriers of a recursive function: all threads' frames are of different depth."""
    source = """
    __device__ void wait(int n, int* out) {
      if (n > 0) { wait(n - 1, out); out[n] = n; return; }
      if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0)
        __syncwarp();
      else
        __syncthreads();
    }
    __global__ void k(int* out) { wait(threadIdx.x % 3, out); }
    """
    with pytest.raises(lanza.LaunchError) as error:
        run(source, np.zeros(4, np.int32))
    assert str(error.value) == (
        "k: deadlock in block (0,0,0): thread 0 waits at __syncwarp(mask 0xffffffff) (kernel.cu:5), "
        f"{others(run, 1)} at __syncthreads (kernel.cu:7)"
    )
