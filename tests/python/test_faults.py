"""A fault in a kernel of the CPU device is a LaunchError; the process, its threads and its own handlers go on."""

import contextlib
import faulthandler
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import lanza

SOURCE = """
__global__ void wild(int* p, long long at) {
  p[threadIdx.x] = p[at];
}
__global__ void count(int* p) {
  p[threadIdx.x] += 1;
  __syncthreads();
}
__device__ int deep(volatile int* p, int n) {
  return p[0] == n ? n : deep(p, n + 1) + p[1];
}
__global__ void recurse(int* p) { p[2] = deep(p, 1); }
"""
NOWHERE = 0x123456789000  # no memory of a process is there
CPU = lanza.Device("cpu")


@pytest.fixture(scope="module")
def module() -> lanza.Module:
    try:
        return compile_source()
    except lanza.Unavailable as why:
        pytest.skip(f"no compiler for the CPU: {why}")


def compile_source() -> lanza.Module:
    return lanza.compile(SOURCE, device=CPU, filename="wild.cu")


def fault(module: lanza.Module, name: str = "wild", stream: lanza.Stream | None = None) -> str:
    """Launches what faults, and returns the message."""
    memory = np.zeros(32, np.int32)
    far = (NOWHERE - memory.ctypes.data) // memory.itemsize  # the array is used in place
    arguments = (memory, far) if name == "wild" else (memory,)
    with pytest.raises(lanza.LaunchError) as error:
        module.kernel(name)(*arguments, block=32, stream=stream)
    return str(error.value)


def test_the_message_names_kernel_block_thread_and_line(module: lanza.Module) -> None:
    pattern = r"wild: invalid read of address 0x123456789000 in block \(0,0,0\)(, .*thread.*\(\d+,0,0\))?: wild.cu:3"
    assert re.fullmatch(pattern, fault(module))


@pytest.mark.parametrize("block", [(4, 4), (20, 1), (3, 5), (16, 16)])
@pytest.mark.parametrize("axis", [0, 1])
def test_where_the_blocks_of_a_row_are_one_it_is_one_of_theirs(block: tuple[int, int], axis: int) -> None:
    """Also where the row goes along y, as its memory does: the message names the threads from one block's to another's."""
    place = ["y * n + x", "x * n + y"][axis]
    source = f"""__global__ void k(int* p, long long at, int n, int bad) {{
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  p[{place} == bad ? at : {place}] += 1;
}}"""
    n, grid = 1000, (7, 9)
    bad = (grid[0] * block[0] // 2, grid[1] * block[1] // 2)
    number = bad[1 - axis] * n + bad[axis]
    memory = np.zeros((n // 5, n), np.int32)
    far = (NOWHERE - memory.ctypes.data) // memory.itemsize
    kernel = lanza.compile(source, device=CPU).kernel("k")
    with pytest.raises(lanza.LaunchError) as error:
        kernel(memory, far, n, number, grid=grid, block=block)
    numbers = [int(number) for number in re.findall(r"\d+", str(error.value).partition(" in ")[2])]
    assert _lies_between(bad, numbers, block), str(error.value)


def _lies_between(bad: tuple[int, int], numbers: list[int], block: tuple[int, int]) -> bool:
    """Of a message's numbers: a block and its thread or two, or a thread and its block, twice."""
    triples = [numbers[i : i + 3] for i in range(0, len(numbers) - 2, 3)]
    if len(triples) == 2:
        triples = [triples[1], triples[0]] * 2
    elif len(triples) == 3:
        triples = [triples[1], triples[0], triples[2], triples[0]]
    ends = [[b[i] * block[i] + t[i] for i in (0, 1)] for t, b in (triples[:2], triples[2:])]
    return all(low <= at <= high for low, at, high in zip(ends[0], bad, ends[1], strict=True))


@pytest.mark.parametrize("target", ["native", "x86-64-v3"])
def test_bytes_at_an_edge_have_their_lines(module: lanza.Module, monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    """Without AVX-512 some lanes of bytes are read and written by functions of their own."""
    monkeypatch.setenv("LANZA_CPU_TARGET", target)
    source = """
__global__ void edge(unsigned char* p, long long from, long long to, int n) {
  if (threadIdx.x < n)
    p[threadIdx.x + to] =
      p[threadIdx.x + from] + 1;
}"""
    kernel = lanza.compile(source, device=CPU, filename="edge.cu").kernel("edge")
    memory = np.zeros(32, np.uint8)
    far = NOWHERE - memory.ctypes.data
    for (start, end), line in (((far, 0), 5), ((0, far), 4)):
        with pytest.raises(lanza.LaunchError, match=rf"address 0x123456789000 .*: edge.cu:{line}$"):
            kernel(memory, start, end, 5, block=64)


MISTAKES = """
struct Node { int* values; int value; };
__device__ int without_result(int n) {
  if (n > 3) return n;
}
__device__ int never(int n) { __builtin_unreachable(); }
__global__ void read(int* p) { int* q = nullptr; p[threadIdx.x] = *q; }
__global__ void write(int* p) { int* q = nullptr; *q = 3; p[threadIdx.x] = 1; }
__global__ void member(int* p) { Node node = {nullptr, 4}; p[threadIdx.x] = node.value + *node.values; }
__global__ void vectors(int* p) { float4* q = nullptr; p[threadIdx.x] = q[threadIdx.x].x; }
__global__ void atomic(int* p) { int* q = nullptr; atomicAdd(q, p[0]); }
__global__ void some(int* p) { int* q = nullptr; if (threadIdx.x == 9) p[0] = *q; }
__global__ void nobody(int* p) { int* q = nullptr; if (threadIdx.x == 99) p[0] = *q; p[threadIdx.x] = 7; }
__global__ void unreachable(int* p) { p[threadIdx.x] = never(p[0]); }
__global__ void falls_off(int* p) { p[threadIdx.x] = 5; p[threadIdx.x + 32] = without_result(p[0]); p[0] = 6; }
__global__ void of_some(int* p) { if (threadIdx.x > 9) __builtin_unreachable(); p[threadIdx.x] = 5; }
__global__ void promised(int* p) { __builtin_assume(threadIdx.x < 10); p[threadIdx.x] = 5; __syncthreads(); p[threadIdx.x] += p[48]; }
"""


@pytest.fixture(params=["threads", "lanes", "auto", "vector"])
def mistakes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> lanza.Module:
    monkeypatch.setenv("LANZA_CPU_MODE", request.param)
    try:
        return lanza.compile(MISTAKES, device=CPU, filename="mistakes.cu")
    except lanza.Unavailable as why:
        pytest.skip(f"no compiler for the CPU: {why}")


@pytest.mark.parametrize(
    ("name", "line"), [("read", 7), ("write", 8), ("member", 9), ("vectors", 10), ("atomic", 11), ("some", 12)]
)
def test_a_null_pointer_that_the_compiler_sees_is_a_fault(mistakes: lanza.Module, name: str, line: int) -> None:
    """LLVM takes an access through a literal null pointer for unreachable, and what follows it in memory would run."""
    pattern = (
        rf"{name}: invalid (read of|write to) address 0x[0-9a-f]+ \(a null pointer\?\) in block .*: mistakes.cu:{line}"
    )
    with pytest.raises(lanza.LaunchError, match=pattern):
        mistakes.kernel(name)(np.zeros(64, np.int32), block=32)


def test_code_that_the_compiler_takes_for_unreachable_ends_the_kernel_at_most(mistakes: lanza.Module) -> None:
    memory = np.zeros(64, np.int32)
    with contextlib.suppress(lanza.LaunchError):
        mistakes.kernel("unreachable")(memory, block=32)
    assert (memory[32:] == 0).all()


@pytest.mark.parametrize("name", ["of_some", "promised"])
def test_a_broken_promise_is_of_its_thread_alone(mistakes: lanza.Module, name: str) -> None:
    """LLVM took the loop over threads for one that ends before them, or never."""
    memory = np.zeros(64, np.int32)
    mistakes.kernel(name)(memory, block=32)
    assert (memory[:10] == 5).all()
    assert ((memory[10:32] == 5) | (memory[10:32] == 0)).all()
    assert (memory[32:] == 0).all()


def test_mistakes_that_no_thread_makes_do_nothing(mistakes: lanza.Module) -> None:
    memory = np.zeros(64, np.int32)
    mistakes.kernel("nobody")(memory, block=32)
    assert (memory[:32] == 7).all()


def test_a_function_without_its_result_goes_on(mistakes: lanza.Module) -> None:
    memory = np.zeros(64, np.int32)
    mistakes.kernel("falls_off")(memory, block=1)
    assert memory[0] == 6


def state() -> tuple[int, int]:
    """Open files and resident pages."""
    return len(os.listdir("/proc/self/fd")), int(Path("/proc/self/statm").read_text().split()[1])


def test_a_thousand_faults_leave_nothing_behind(module: lanza.Module) -> None:
    for _ in range(100):
        fault(module)
        fault(module, "recurse")
    files, pages = state()
    for _ in range(500):
        fault(module)
        fault(module, "recurse")
    files_after, pages_after = state()
    assert files_after == files
    assert pages_after - pages < 500, "2 MB"


def test_threads_and_streams_go_on(module: lanza.Module) -> None:
    """Beside a thousand faults, which leave nothing behind then either."""
    over = threading.Event()
    rounds = [0, 0]
    wrong: list[str] = []

    def work(index: int) -> None:
        stream = lanza.Stream(CPU)
        while not over.is_set():
            memory = np.zeros(64, np.int32)
            for _ in range(10):
                module.count(memory, block=64, stream=stream)
            if not (memory == 10).all():
                wrong.append(str(memory))
            rounds[index] += 1

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    stream = lanza.Stream(CPU)
    for i in range(200):
        fault(module, ("wild", "recurse")[i % 2], stream)
    # The threads beside have memory and files of their own, for a while: what a fault leaves grows every time.
    growth: list[tuple[int, int]] = []
    for _ in range(4):
        files, pages = state()
        for i in range(250):
            fault(module, ("wild", "recurse")[i % 2], stream)
        files_after, pages_after = state()
        growth.append((files_after - files, pages_after - pages))
    over.set()
    for thread in threads:
        thread.join()
    assert not wrong
    assert min(rounds) > 0
    assert min(files for files, _ in growth) <= 0
    assert min(pages for _, pages in growth) < 250, "1 MB"


def test_the_device_goes_on_after_a_fault(module: lanza.Module) -> None:
    memory = lanza.to_device(np.arange(64, dtype=np.int32), CPU)
    fault(module)
    module.count(memory, block=64)
    assert (memory.numpy() == np.arange(64) + 1).all()


# Each of these ends its process. A kernel's fault first: it must not.
PROGRAM = f"""
import ctypes, faulthandler, signal, sys
import numpy as np
import lanza

module = lanza.compile({SOURCE!r}, device=lanza.Device("cpu"))
def fault():
    try:
        module.wild(np.zeros(32, np.int32), {1 << 43}, block=32)
    except lanza.LaunchError as error:
        assert "invalid" in str(error)
    else:
        raise AssertionError
"""


def run(body: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM + body],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize("when", ["before", "after"])
def test_faulthandler_reports_what_is_not_a_kernels(module: lanza.Module, when: str) -> None:
    enable = "faulthandler.enable()\n"
    first, then = (enable, "") if when == "before" else ("", enable)
    result = run(f"{first}fault()\n{then}fault(); fault()\nprint('alive', flush=True)\nctypes.string_at(16)")
    assert result.stdout == "alive\n", result.stderr
    assert result.returncode == -signal.SIGSEGV
    assert "Fatal Python error: Segmentation fault" in result.stderr
    assert result.stderr.count("Fatal Python error") == 1


def test_without_a_handler_the_process_ends_as_ever(module: lanza.Module) -> None:
    result = run("fault()\nprint('alive', flush=True)\nctypes.string_at(16)")
    assert (result.stdout, result.returncode) == ("alive\n", -signal.SIGSEGV), result.stderr


def test_a_signal_that_is_sent_reaches_pythons_handler(module: lanza.Module) -> None:
    body = """
fault()
signal.signal(signal.SIGSEGV, lambda *_: print("sent", flush=True))
signal.raise_signal(signal.SIGSEGV)
fault()
signal.raise_signal(signal.SIGSEGV)
"""
    result = run(body)
    assert (result.stdout, result.returncode) == ("sent\nsent\n", 0), result.stderr


def test_pytest_has_its_faulthandler() -> None:
    assert faulthandler.is_enabled()  # so that the tests above stood under it
