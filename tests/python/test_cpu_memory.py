"""What the threads of kernels take on the CPU device. Grids of a million blocks: tests/runtime/cpu_memory_test.cpp."""

import json
import os
import subprocess
import sys
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


# Each block that waits has a stack, of which there is memory for a part of the grid. The first block opens the gate.
GATE = """
import resource
from pathlib import Path
import numpy as np
import lanza

SOURCE = '''
__device__ unsigned long long now() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}
__global__ void k(unsigned long long* first, int* gate, int* out) {
  if (threadIdx.x == 0) {
    const unsigned long long me = now(), before = atomicCAS(first, 0ull, me), start = before ? before : me;
    while (atomicAdd(gate, 0) == 0)
      if (now() > start + 300000000ull) atomicExch(gate, 1);
    out[blockIdx.x] = blockIdx.x;
  }
}
'''
kernel = lanza.compile(SOURCE, device="cpu")["k"]
open_gate = np.ones(1, np.int32)
kernel(np.zeros(1, np.uint64), open_gate, np.zeros(1, np.int32), block=32)  # compiled and loaded
pages = int(Path("/proc/self/statm").read_text().split()[0])
most = pages * resource.getpagesize() + (512 << 20)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
out = np.zeros(4000, np.int32)
kernel(np.zeros(1, np.uint64), np.zeros(1, np.int32), out, grid=4000, block=32)
assert (out == np.arange(4000)).all()
print(kernel.report())
"""


STARVED = """
import resource
from pathlib import Path
import numpy as np
import lanza

SOURCE = '''
__global__ void k(int* gate, int* out) {
  if (threadIdx.x == 0) {
    if (blockIdx.x == gridDim.x - 1) atomicExch(gate, 1);
    while (atomicAdd(gate, 0) == 0) {}
    out[blockIdx.x] = 1;
  }
}
'''
kernel = lanza.compile(SOURCE, device="cpu")["k"]
kernel(np.zeros(1, np.int32), np.zeros(1, np.int32), block=32)  # compiled and loaded
pages = int(Path("/proc/self/statm").read_text().split()[0])
most = pages * resource.getpagesize() + (512 << 20)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
out = np.zeros(4000, np.int32)
try:
    kernel(np.zeros(1, np.int32), out, grid=4000, block=32)
except lanza.LaunchError as error:
    print(error)
kernel(np.zeros(1, np.int32), out, grid=8, block=32)
print(out[:8].sum())
"""


def test_more_blocks_wait_than_have_stacks() -> None:
    """Those that wait go on until one has ended, and others begin with its memory."""
    # More workers than two may be begun when there is no memory for their threads left, which TBB ends the process for.
    for threads in ("1", "2"):
        environment = {**os.environ, "LANZA_CPU_THREADS": threads}
        command = [sys.executable, "-c", GATE]
        result = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
        assert result.returncode == 0, f"{threads} threads: {result.stderr}"
        assert '"engine":"vector"' in result.stdout


def test_blocks_that_wait_for_one_without_memory_end_in_an_error() -> None:
    """It cannot begin before they end: after a while the launch says so, and the next one has the memory."""
    environment = {**os.environ, "LANZA_CPU_THREADS": "2"}
    command = [sys.executable, "-c", STARVED]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    assert result.returncode == 0, result.stderr
    error, ended = result.stdout.splitlines()
    assert error.startswith("k: out of memory: ")
    assert ended == "8"
