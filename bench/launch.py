"""What a launch from Python costs: three buffers and an int, against a call of a Python function that does nothing.

Runs on any device. `launch.py lib/fake/libcuda.so.1` (of a build with tests) takes a driver whose launches do nothing, and measures Lanza
alone. Minima of interleaved runs, in nanoseconds; the spread of the baseline against itself tells how far to trust them.
"""

import ctypes
import os
import sys
import time
from collections.abc import Callable

import numpy as np

if len(sys.argv) > 1:
    # Set before the import: NVRTC is kept out, the compiler plug-in makes the PTX that the fake driver takes.
    os.environ.update(LANZA_DEVICE="cuda", LANZA_CUDA_DRIVER=os.path.abspath(sys.argv[1]), LANZA_NVRTC="/nonexistent")
    ctypes.CDLL(os.environ["LANZA_CUDA_DRIVER"]).lanza_fake_quiet(1)

import lanza

CALLS, ROUNDS = 100, 300  # bursts of at most 100 launches, into an idle queue

module = lanza.compile("""
__global__ void three(float* a, float* b, float* c, int n) {}
__global__ void two(const float* a, float* b) {}
""")
buffers = [lanza.Buffer(256, "float32") for _ in range(3)]
arrays = [np.zeros(256, np.float32) for _ in range(2)]
device = lanza.default_device()


def nothing(*arguments: object, block: int) -> None:
    """The least that a call with these arguments costs."""


def buffers_and_int(call: Callable[..., None] = module.three) -> None:
    a, b, c = buffers
    for _ in range(CALLS):
        call(a, b, c, 256, block=32)


def baseline() -> None:
    buffers_and_int(nothing)


def attribute() -> None:
    for _ in range(CALLS):
        _ = module.three


def host_arrays() -> None:
    a, b = arrays
    for _ in range(CALLS):
        module.two(lanza.in_(a), lanza.out(b), block=32)


def measure(*cases: Callable[[], None]) -> list[float]:
    """The least nanoseconds a call of each, interleaved."""
    best = [float("inf")] * len(cases)
    for _ in range(ROUNDS):
        for i, case in enumerate(cases):
            device.synchronize()
            start = time.perf_counter_ns()
            case()
            best[i] = min(best[i], (time.perf_counter_ns() - start) / CALLS)
    device.synchronize()
    return best


cases = {
    "a Python function": baseline,
    "the same again": baseline,
    "launch, 3 buffers and an int": buffers_and_int,
    "launch, 2 host arrays, waited for": host_arrays,
    "module.kernel": attribute,
}
times = measure(*cases.values())
print(f"{device.name}, {module.compiler}")
for name, nanoseconds in zip(cases, times, strict=True):
    print(f"{name:36} {nanoseconds:8.0f} ns   {nanoseconds / times[0]:6.2f}x")
