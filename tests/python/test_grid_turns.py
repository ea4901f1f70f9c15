"""A grid that strides over an array runs on the CPU with a thread for each turn, where nobody can tell."""

import re

import numpy as np
import pytest

import lanza

CPU = lanza.Device("cpu")
NOWHERE = 0x123456789000  # no memory of a process is there
LOOP = "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)"
THREADS = 64


@pytest.fixture(params=["threads", "lanes", "auto", "vector"])
def compile_kernel(request, monkeypatch):
    monkeypatch.setenv("LANZA_CPU_MODE", request.param)

    def compile_kernel(parameters, body):
        try:
            return lanza.compile(f"__global__ void k({parameters}) {{ {LOOP} {body} }}", device=CPU).kernel("k")
        except lanza.Unavailable as why:
            pytest.skip(f"no compiler for the CPU: {why}")

    return compile_kernel


@pytest.mark.parametrize("grid", [1, 3, 100])
@pytest.mark.parametrize("n", [0, 1, 64, 65, 1000])
def test_any_grid_does_all_turns(compile_kernel, grid, n):
    x, y = np.arange(1001, dtype=np.float32), np.ones(1001, np.float32)
    compile_kernel("const float* x, float* y, int n", "y[i] = 2 * y[i] + x[i];")(x, y, n, grid=grid, block=THREADS)
    np.testing.assert_array_equal(y[:n], 2 + x[:n])
    assert (y[n:] == 1).all()


@pytest.mark.parametrize("grid", [1, 2])
def test_a_turn_reads_what_the_thread_wrote_in_the_one_before(compile_kernel, grid):
    """y begins as many elements behind x as the grid has threads."""
    stride, n = grid * THREADS, 1000
    memory = lanza.to_device(np.zeros(n + stride, np.float32), CPU)
    kernel = compile_kernel("const float* x, float* y, int n", "y[i] = x[i] + 1;")
    kernel(memory, memory[stride:], n, grid=grid, block=THREADS)
    np.testing.assert_array_equal(memory.numpy(), np.arange(n + stride) // stride)


def test_a_fault_names_the_block_that_was_launched(compile_kernel):
    bad, n, grid = 777, 1000, 2
    x, y = np.zeros(n, np.float32), np.zeros(n, np.float32)
    far = (NOWHERE - x.ctypes.data) // x.itemsize
    kernel = compile_kernel(
        "const float* __restrict__ x, float* __restrict__ y, int n, long long far", f"y[i] = x[i == {bad} ? far : i];"
    )
    with pytest.raises(lanza.LaunchError) as error:
        kernel(x, y, n, far, grid=grid, block=THREADS)
    # The block and a thread, or the first and the last of some.
    block, *threads = [int(number) for number in re.findall(r"\((\d+),0,0\)", str(error.value))]
    assert block == bad // THREADS % grid, str(error.value)
    assert threads[0] <= bad % THREADS <= threads[-1], str(error.value)
