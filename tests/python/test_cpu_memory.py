"""What the threads of kernels take on the CPU device. Grids of a million blocks: tests/runtime/cpu_memory_test.cpp."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import lanza

CPU = lanza.Device("cpu")
THREADS = 1024
KEPT = """
__global__ void k(const int* in, int* out) {
  int kept[SIZE];
  for (int i = 0; i < SIZE; ++i) kept[i] = in[i] * threadIdx.x;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < SIZE; ++i) sum = sum * 3 + kept[(i * in[1] + threadIdx.x) % SIZE];
  out[threadIdx.x] = sum;
}
"""


def peak_growth(work: Callable[[], None]) -> int:
    """By how many bytes resident memory goes up at most."""

    def status(field: str) -> int:
        lines = Path("/proc/self/status").read_text().splitlines()
        return 1024 * int(next(line for line in lines if line.startswith(field + ":")).split()[1])

    Path("/proc/self/clear_refs").write_text("5")  # the peak begins here
    before = status("VmRSS")
    work()
    return status("VmHWM") - before


@pytest.mark.parametrize("size", [4, 64, 1024])
def test_a_thread_costs_its_frame(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A coroutine a thread: what it keeps while it waits, a header of less than 100 bytes, and nothing else."""
    monkeypatch.setenv("LANZA_CPU_MODE", "threads")
    kernel = lanza.compile(KEPT.replace("SIZE", str(size)), device=CPU)["k"]
    few, out = np.ones(1024, np.int32), np.zeros(THREADS, np.int32)
    kernel(few, out, block=1)  # compiled and loaded
    frame = json.loads(kernel.report().splitlines()[0])["frame_bytes"]
    assert 4 * size <= frame <= 4 * size + 100
    grown = peak_growth(lambda: kernel(few, out, block=THREADS))
    assert grown <= THREADS * frame + (512 << 10)
