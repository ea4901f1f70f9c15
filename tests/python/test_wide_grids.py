"""Grids whose threads along x are more than an index of 32 bits counts: LANZA_NARROW_GRID of src/compiler/kernel_abi.h."""

import numpy as np
import pytest

import lanza

CPU = lanza.Device("cpu")
THREADS = 1024
WIDE = 2**31 // THREADS
AHEAD = """
__global__ void k(int* out, int* highest) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 8;
  if (x < 0) out[x & 7] = x;
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) *highest = gridDim.x * blockDim.x;
}
"""


def launched(kernel: lanza.Kernel, blocks: int) -> tuple[list[int], int]:
    out, highest = np.zeros(8, np.int32), np.zeros(1, np.int32)
    kernel(out, highest, grid=blocks, block=THREADS)
    return out.tolist(), int(highest[0])


@pytest.mark.parametrize("mode", ["auto", "lanes"])
def test_an_index_wraps_where_the_grid_is_wide(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANZA_CPU_MODE", mode)
    kernel = lanza.compile(AHEAD, device=CPU)["k"]
    assert launched(kernel, 3) == ([0] * 8, 3 * THREADS)
    assert launched(kernel, WIDE) == ([x - 2**31 for x in range(8)], -(2**31))
    assert launched(kernel, 3) == ([0] * 8, 3 * THREADS)
    assert len(kernel.report().splitlines()) == 2  # one for narrow grids, one for wide ones


def test_the_widest_of_the_narrow_ones() -> None:
    kernel = lanza.compile(AHEAD, device=CPU)["k"]
    blocks = 0x7FFF0000 // THREADS
    assert launched(kernel, blocks) == ([0] * 8, blocks * THREADS)
    assert len(kernel.report().splitlines()) == 1
