"""Kernels compiled with -G are stepped in gdb by source line, thread by thread; kernels show by name in perf."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lanza

PROGRAM = '''
import numpy as np
import lanza
source = """struct Pair { float first; int second; };
__device__ int twice(int v) {
  int doubled = v * 2;
  return doubled;
}
__global__ void scale(float* x, int n, Pair p) {
  __shared__ float tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  tile[threadIdx.x] = x[i];
  __syncthreads();
  float sum = tile[threadIdx.x] + 1;
  int t = twice(i);
  x[i] = sum * p.first + t;
}
"""
module = lanza.compile(source, device=lanza.Device("cpu"), options=["-G"], filename="scale.cu")
x = np.arange(128, dtype=np.float32)
p = np.zeros(1, np.dtype([("first", "f4"), ("second", "i4")]))
p["first"], p["second"] = 2, 9
module.scale(x, 128, p[0], block=64, grid=2)
print("result", int(x[0]), int(x[1]))
'''
COMMANDS = """
set pagination off
set breakpoint pending on
set debuginfod enabled off
break scale.cu:12 if blockIdx.x == 1 && threadIdx.x == 5
break scale.cu:3 if blockIdx.x == 1 && threadIdx.x == 7
run
printf "at %d %d %d %g\\n", i, n, blockDim.x, tile[5]
printf "pair %g %d\\n", p.first, p.second
next
printf "sum %g\\n", sum
next
frame
delete 1
continue
printf "twice %d in thread %d\\n", v, threadIdx.x
next
printf "doubled %d\\n", doubled
up
printf "caller %d\\n", i
delete
continue
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    try:
        lanza.compile("__global__ void k() {}", device=lanza.Device("cpu"))
    except lanza.Unavailable as why:
        pytest.skip(f"no compiler for the CPU: {why}")
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    return file


def gdb(commands: str, program: Path) -> str:
    if shutil.which("gdb") is None:
        pytest.skip("gdb is not installed: apt-get install gdb")
    script = program.with_suffix(".gdb")
    script.write_text(commands)
    result = subprocess.run(
        ["gdb", "-q", "-nx", "-batch", "-x", str(script), "--args", sys.executable, str(program)],
        capture_output=True,
        text=True,
        timeout=240,
        env={**os.environ, "LANZA_CPU_THREADS": "1"},
    )
    text = result.stdout + result.stderr
    if "ptrace" in text and "not permitted" in text:
        pytest.skip("gdb may not trace processes here")
    return text


def test_gdb_steps_by_line_and_thread_and_shows_variables(program: Path) -> None:
    text = gdb(COMMANDS, program)
    expected = [
        "float sum = tile[threadIdx.x] + 1;",  # the source, which was a string
        "at 69 128 64 69",
        "pair 2 9",
        "sum 70",
        "x[i] = sum * p.first + t;",
        "twice 71 in thread 7",
        "doubled 142",
        "caller 71",
        "result 2 ",
    ]
    for line in expected:
        assert line in text, text


def test_a_breakpoint_in_the_source_stops_gdb(program: Path) -> None:
    program.write_text(PROGRAM.replace("int t = twice(i);", "int t = twice(i); if (i == 3) __brkpt();"))
    text = gdb('set debuginfod enabled off\nrun\nprintf "at %d\\n", i\nsignal 0\n', program)
    assert "SIGTRAP" in text, text
    assert "at 3\n" in text, text
    assert "result" in text, text  # the kernel went on


def test_kernels_show_by_name(program: Path, tmp_path: Path) -> None:
    """perf and others take names from the symbol table of the mapped file."""
    if shutil.which("nm") is None:
        pytest.skip("nm is not installed: apt-get install binutils")
    cache = tmp_path / "cache"
    environment = {**os.environ, "LANZA_CACHE_DIR": str(cache)}
    subprocess.run([sys.executable, str(program)], check=True, env=environment, timeout=120)
    (file,) = cache.rglob("*.so")
    symbols = subprocess.run(["nm", "-C", str(file)], capture_output=True, text=True, check=True).stdout
    assert "scale(float*, int, Pair)" in symbols, symbols
