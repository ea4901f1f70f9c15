"""Kernels that end by a fault: the error names kernel, block, thread and line, and the device goes on."""

import re

import numpy as np
import pytest
from harness import Run, case, kernel

import lanza

LOST = "on a GPU the process's context is lost; tests of a child process are in tests/runtime/gpu_test.cpp"
BLOCKS = (32, 100, (7, 5, 1), (4, 4, 4))

ASSERT = """__global__ void k(const int* p) {
  assert(p[0] == 0);
  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  assert(t < p[1] || blockIdx.x != 2);
}"""
TRAP = """__global__ void k(const int* p) {
  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  if (blockIdx.x == 1 && t == p[0])
    __trap();
  if (t == p[1])
    __trap();
}"""


def failure(run: Run, source: str, *args, **more) -> str:
    """The message of the launch, after which the device must go on."""
    with pytest.raises(lanza.LaunchError) as error:
        run(source, *args, **more)
    out = np.zeros(run.threads, np.int32)
    run(kernel("int* out", "out[t] = t;"), out)
    run.same(out, np.arange(run.threads))
    return str(error.value)


def thread(run: Run, t: int) -> str:
    return f"thread ({run.thread.x[t]},{run.thread.y[t]},{run.thread.z[t]})"


def names(run: Run, text: str, t: int) -> bool:
    """Whether the thread is the one that the text blames, or, of vector code, one of some of the block."""
    if f", {thread(run, t)}:" in text:
        return True
    place = re.search(r"one of the threads \((\d+),(\d+),(\d+)\) to \((\d+),(\d+),(\d+)\):", text)
    if not run.engine.startswith(("vector", "auto", "quick", "folded")) or not place:
        return False
    ends = np.array(place.groups(), int).reshape(2, 3) @ [1, run.block[0], run.block[0] * run.block[1]]
    return ends[0] <= t <= ends[1] < run.threads


@case(blocks=BLOCKS, cpu_only=True, reason=LOST)
def an_assertion(run):
    """assert names its condition, block, thread, file, line and function."""
    t = run.threads - 2
    text = failure(run, ASSERT, np.array([0, t], np.int32), grid=3)
    place = f"in block (2,0,0), {thread(run, t)}: kernel.cu:4, void k(const int *)"
    assert text == f"k: assertion `t < p[1] || blockIdx.x != 2` failed {place}"


@case(blocks=BLOCKS, cpu_only=True, reason=LOST)
def an_assertion_under_ndebug(run):
    """NDEBUG leaves no assertion."""
    run(ASSERT, np.array([1, 0], np.int32), grid=3, options=["-DNDEBUG"])
    source = "#define NDEBUG\n" + ASSERT
    run(source, np.array([1, 0], np.int32), grid=3)


@case(blocks=BLOCKS, cpu_only=True, reason=LOST)
def an_assertion_in_a_device_function(run):
    """assert in an inlined function and in one that recurses."""
    source = """__device__ void check(int v) { assert(v != 3); }
__device__ int down(int v) {
  if (v == 3) assert(v < 0);
  return v ? down(v - 1) + 1 : 0;
}
__global__ void k(int* p) {
  if (p[0]) check(p[0] + 2);
  else p[0] = down(9);
}"""
    assert ": assertion `v != 3` failed in block (0,0,0)" in failure(run, source, np.array([1], np.int32))
    assert "kernel.cu:3, int down(int)" in failure(run, source, np.array([0], np.int32))


@case(blocks=BLOCKS, cpu_only=True, reason=LOST)
def an_assertion_in_a_recursive_function(run):
    """It names the one thread that fails in it, whoever else calls it."""
    source = """__device__ int down(int t, int v, const int* p) {
  assert(v != 0 || t != p[0]);
  return v ? down(t, v - 1, p) + 1 : 0;
}
__global__ void k(const int* p, int* out) {
  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  if (t % 3 < 2) out[t] = down(t, t % 5, p);
}"""
    t = run.threads // 6 * 3 + 1
    text = failure(run, source, np.array([t], np.int32), np.zeros(run.threads, np.int32))
    place = f"in block (0,0,0), {thread(run, t)}: kernel.cu:2, int down(int, int, const int *)"
    assert text == f"k: assertion `v != 0 || t != p[0]` failed {place}"


@case(blocks=BLOCKS, cpu_only=True, reason=LOST)
def traps(run):
    """__trap names block, thread and line; two of them stay apart."""
    t = run.threads // 2
    text = failure(run, TRAP, np.array([t, -1], np.int32), grid=2)
    assert text == f"k: trap in block (1,0,0), {thread(run, t)}: kernel.cu:4"
    text = failure(run, TRAP, np.array([-1, t], np.int32), grid=1)
    assert text == f"k: trap in block (0,0,0), {thread(run, t)}: kernel.cu:6"


@case(blocks=BLOCKS, cpu_only=True, reason=LOST)
def a_breakpoint(run):
    """__brkpt without a debugger ends the launch and names its line."""
    text = failure(run, "__global__ void k() {\n  __brkpt();\n}")
    assert text.startswith("k: breakpoint (__brkpt) without a debugger in block (0,0,0)"), text
    assert text.endswith(": kernel.cu:2"), text


@case(blocks=BLOCKS, cpu_only=True, reason=LOST)
def a_null_pointer(run):
    """A write through a null pointer."""
    source = kernel("int* out", "if (blockIdx.x == 1) out[t + 4] = t;")
    text = failure(run, source, None, grid=2)
    assert re.match(
        r"k: invalid write to address 0x[0-9a-f]+ \(a null pointer\?\) in block \(1,0,0\), .*: kernel.cu:5$", text
    ), text


@case(blocks=BLOCKS, cpu_only=True, reason=LOST)
def far_out_of_bounds_where_memory_runs_along_z(run):
    """The same, of one thread of the second block, where neighbours in memory are neighbours along z, or y."""
    body = """
  const int i = (threadIdx.x * blockDim.y + threadIdx.y) * blockDim.z + threadIdx.z;
  int v = in[i] * 3;
  if (t == at && blockIdx.x == 1) v += in[far];
  out[i] = v;"""
    source = kernel("const int* in, int* out, int at, long long far", body)
    for at in (0, run.threads // 2, run.threads - 1):
        memory = np.zeros(run.threads, np.int32)
        text = failure(run, source, memory, memory.copy(), at, -(1 << 43), grid=2)
        assert re.match(r"k: invalid read of address 0x[0-9a-f]+ in block \(1,0,0\), ", text), text
        assert names(run, text, at), text
        assert text.endswith(": kernel.cu:8"), text


@case(blocks=BLOCKS, cpu_only=True, reason=LOST)
def far_out_of_bounds(run):
    """A read far outside of every array, by one thread behind a barrier."""
    source = kernel(
        "int* out, long long far", "__syncthreads();\n  if (t == n - 1) out[0] = out[far];\n  __syncthreads();"
    )
    text = failure(run, source, np.zeros(4, np.int32), -(1 << 43))
    assert re.match(r"k: invalid read of address 0x[0-9a-f]+ in block \(0,0,0\), ", text), text
    assert names(run, text, run.threads - 1), text
    assert text.endswith(": kernel.cu:6"), text


@case(blocks=BLOCKS, cpu_only=True, reason=LOST)
def an_address_that_cannot_be(run):
    """A pointer outside of the address space."""
    source = kernel("unsigned long long a", "*reinterpret_cast<volatile int*>(a + t) = 1;")
    text = failure(run, source, 1 << 60)
    assert text.startswith("k: invalid access (misaligned, or to an address that no memory has) in block (0,0,0)"), text


@case(blocks=BLOCKS, cpu_only=True, reason=LOST)
def code_of_the_prelude(run):
    """A fault inside a built-in function names the line that called it."""
    source = "__global__ void k(int* p) {\n  atomicAdd(p, 1);\n}"
    assert failure(run, source, None).endswith(": kernel.cu:2")


@case(blocks=BLOCKS, cpu_only=True, reason=LOST)
def endless_recursion(run):
    """Recursion without end overflows the stack, not the process."""
    source = """__device__ int deep(int* p, int n) {
  volatile int own[64];
  own[n & 63] = n;
  return n == p[0] ? n : deep(p, n + 1) + own[n & 63];
}
__global__ void k(int* p) { p[1] = deep(p, 0); }"""
    text = failure(run, source, np.array([-1, 0], np.int32))
    assert text.startswith("k: stack overflow"), text
    assert " in block (0,0,0), " in text, text
    assert names(run, text, 0), text


@case(blocks=BLOCKS, cpu_only=True, reason=LOST)
def endless_recursion_with_barriers(run):
    """The same with a barrier in each call."""
    source = """__device__ int deep(int* p, int n) {
  __syncthreads();
  return n == p[0] ? n : deep(p, n + 1) + 1;
}
__global__ void k(int* p) { p[1] = deep(p, 0); }"""
    text = failure(run, source, np.array([-1, 0], np.int32))
    assert text.startswith("k: stack overflow"), text
    assert " in block (0,0,0), thread (" in text, text


@case(blocks=BLOCKS, cpu_only=True, reason=LOST)
def a_large_frame(run):
    """Local variables larger than the stack, whose end lies far beyond its guard."""
    source = """__device__ int large(int* p, int n) {
  volatile int own[8 << 20];
  own[n] = n;
  return n == p[0] ? n : large(p, n + 1) + own[n];
}
__global__ void k(int* p) { p[1] = large(p, 0); }"""
    text = failure(run, source, np.array([-1, 0], np.int32))
    assert text.startswith("k: stack overflow"), text
    assert " in block (0,0,0), " in text, text
    assert names(run, text, 0), text


@case(blocks=BLOCKS, cpu_only=True, reason=LOST)
def a_bad_function_pointer(run):
    """A call of a function at an address where none is."""
    source = """typedef int (*F)(int);
__global__ void k(int* p, unsigned long long a) {
  p[0] = reinterpret_cast<F>(a)(p[0]);
}"""
    text = failure(run, source, np.zeros(2, np.int32), 0x123456000)
    assert text.startswith("k: call through a pointer that is no function of its type in block (0,0,0)"), text
    assert text.endswith(": kernel.cu:3"), text


@case(blocks=BLOCKS, cpu_only=True, reason=LOST)
def a_string_that_is_none(run):
    """printf with a bad pointer for %s."""
    source = (
        'struct P { const char* s; };\n__global__ void k(unsigned long long a) {\n  printf("%s", (const char*)a);\n}'
    )
    text = failure(run, source, 0x123456000)
    assert text.startswith("k: printf was given an invalid string at address 0x123456000 for %s in block (0,0,0)"), text
    assert text.endswith(": kernel.cu:3"), text


ROWS = """__global__ void k(const int* p, int* out) {
  __shared__ int tile[1024];
  const int column = threadIdx.x % 16, row = threadIdx.x / 16;
  tile[threadIdx.x] = p[0];
  __syncthreads();
  if (threadIdx.x == p[1])
    __trap();
  assert(threadIdx.x != p[2]);
  const long long far = threadIdx.x == p[3] ? p[4] * 1024ll * 1024 * 1024 : 0;
  out[far + row * 16 + column] = tile[15 - column + row * 16];
}"""


@case(blocks=[32, 64, 256], cpu_only=True, reason=LOST)
def faults_in_rows_of_a_flat_block(run):
    """A block of one row whose threads stand for several: who fails is told as the launch counts."""
    t, out = run.threads - 5, np.zeros(run.threads, np.int32)
    text = failure(run, ROWS, np.array([0, t, -1, -1, 0], np.int32), out)
    assert text == f"k: trap in block (0,0,0), {thread(run, t)}: kernel.cu:7"
    text = failure(run, ROWS, np.array([0, -1, t, -1, 0], np.int32), out)
    place = f"in block (0,0,0), {thread(run, t)}: kernel.cu:8, void k(const int *, int *)"
    assert text == f"k: assertion `threadIdx.x != p[2]` failed {place}"
    # Downwards: upwards of what stands highest there are no addresses, where the processor says less.
    text = failure(run, ROWS, np.array([0, -1, -1, t, -17], np.int32), out)
    assert "invalid write" in text
    assert names(run, text, t)
