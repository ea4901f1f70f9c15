"""
What the thread engine costs: a resume at a barrier and at a shuffle, a frame, a thread that runs to its end, and the way
from source text to the result of the first launch. Run on an idle machine; every figure is the least of several runs.

    python bench/thread_engine.py
"""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("LANZA_CPU_THREADS", "1")
os.environ["LANZA_CPU_MODE"] = "threads"

import numpy as np

import lanza

CPU = lanza.Device("cpu")
RUNS = 7
ROUNDS = 2000
GOAL_COMPILE = 15.0  # ms: small kernel, string to result
GOAL_OF_MANY = 50.0  # ms: one kernel of a file of many; the goal was set for nine of them

POINTS = {
    "barrier": ("__syncthreads();", 2.7),
    "shuffle": ("x += __shfl_xor_sync(0xffffffffu, x, 1);", 6.0),
    "ballot": ("x += __ballot_sync(0xffffffffu, x & 1);", None),
    "syncwarp": ("__syncwarp();", None),
}
SMALL = {
    "saxpy": "__global__ void k(float* x) { x[threadIdx.x] = 2.0f * x[threadIdx.x] + 1.0f; }",
    "reduction": """
        __global__ void k(float* x) {
          __shared__ float s[256];
          const int t = threadIdx.x;
          s[t] = x[t];
          __syncthreads();
          for (int step = blockDim.x / 2; step > 0; step /= 2) {
            if (t < step) s[t] += s[t + step];
            __syncthreads();
          }
          x[t] = s[0];
        }""",
    "warp sum": """
        __global__ void k(float* x) {
          float v = x[threadIdx.x];
          for (int d = 16; d; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
          x[threadIdx.x] = v;
        }""",
}


def least(work: Callable[[], object], runs: int = RUNS) -> float:
    """Seconds."""
    times = []
    for _ in range(runs):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return min(times)


def seconds_of(kernel: lanza.Kernel, out: np.ndarray, rounds: int) -> float:
    return least(lambda: kernel(out, rounds, block=out.size))


def points() -> None:
    print(f"{'point':10} {'threads':>8} {'ns/resume':>10} {'goal':>6} {'frame':>8}")
    for name, (statement, goal) in POINTS.items():
        source = f"""
        __global__ void k(int* out, int rounds) {{
          int x = threadIdx.x;
          for (int i = 0; i < rounds; ++i) {{ {statement} }}
          out[threadIdx.x] = x;
        }}"""
        kernel = lanza.compile(source, device=CPU)["k"]
        for threads in (32, 256, 1024):
            out = np.zeros(threads, np.int32)

            long, none = (seconds_of(kernel, out, rounds) for rounds in (ROUNDS, 0))
            nanoseconds = (long - none) / (ROUNDS * threads) * 1e9
            frame = json.loads(kernel.report().splitlines()[0])["frame_bytes"]
            print(f"{name:10} {threads:8} {nanoseconds:10.2f} {goal or '':>6} {frame:6} B")


def blocks() -> None:
    source = "__global__ void k(int* x) { __syncthreads(); if (blockIdx.x == 0x7fffffff) *x = 1; }"
    kernel = lanza.compile(source, device=CPU)["k"]
    out, grid, threads = np.zeros(1, np.int32), 2000, 1024
    seconds = least(lambda: kernel(out, grid=grid, block=threads), 3)
    each = seconds / (grid * threads) * 1e9
    print(f"\na thread with one barrier, begun and ended: {each:.1f} ns; 10^6 blocks of 1024: {each * 1.024:.1f} s")


def first_result(source: str, name: str, arguments: list[object], block: int) -> float:
    """Milliseconds from the string to the end of the first launch, nothing cached."""
    count = iter(range(10**6))

    def compile_and_run() -> None:
        fresh = f"{source}\n// {next(count)} {time.time_ns()}"
        lanza.compile(fresh, device=CPU, cache=False)[name](*arguments, block=block)

    compile_and_run()
    return least(compile_and_run, 15) * 1e3


def compiling() -> None:
    print(f"\n{'string to result':24} {'ms':>7} {'goal':>6}")
    for name, source in SMALL.items():
        data = np.zeros(256, np.float32)
        print(f"{name:24} {first_result(source, 'k', [data], 256):7.1f} {GOAL_COMPILE:6.0f}")
    files = sorted((Path(__file__).parent / "cpu" / "list").glob("*.cu"))
    many = first_result(
        "".join(file.read_text() for file in files), "saxpy", [256, np.float32(2), *saxpy_arrays()], 256
    )
    print(f"{'saxpy of bench/cpu/list':24} {many:7.1f} {GOAL_OF_MANY:6.0f}")


def saxpy_arrays() -> list[np.ndarray]:
    return [np.zeros(256, np.float32), np.zeros(256, np.float32)]


if __name__ == "__main__":
    points()
    blocks()
    compiling()
