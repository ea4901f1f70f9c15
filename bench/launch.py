"""What a launch from Python costs: three buffers and an int, against a call of a Python function that does nothing.

Runs on any device. `--driver lib/fake/libcuda.so.1` (of a build with tests) takes a driver whose launches do nothing, and measures Lanza
alone; `--raw lib/libbench_raw_launches.so` (of a build with benchmarks) measures the driver's own launches beside Lanza's. Minima of
interleaved runs, in nanoseconds; the spread of the baseline against itself tells how far to trust them.
"""

import argparse
import ctypes
import os
import time
from collections.abc import Callable

import numpy as np

parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
parser.add_argument("--driver", help="a driver to measure with, instead of the system's")
parser.add_argument("--raw", help="the library of raw launches, on a CUDA device")
options = parser.parse_args()
if options.driver:
    # Set before the import: NVRTC is kept out, the compiler plug-in makes the PTX that the fake driver takes.
    os.environ.update(
        LANZA_DEVICE="cuda", LANZA_CUDA_DRIVER=os.path.abspath(options.driver), LANZA_NVRTC="/nonexistent"
    )
    ctypes.CDLL(os.environ["LANZA_CUDA_DRIVER"]).lanza_fake_quiet(1)

import lanza  # noqa: E402

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


def raw_launches() -> Callable[[], float]:
    """The same launches by the driver, in a loop in C++: three pointers and an int. Returns what it measured itself."""
    values = *(ctypes.c_uint64(b.ptr) for b in buffers), ctypes.c_int(256)
    pointers = (ctypes.c_void_p * 4)(*(ctypes.addressof(v) for v in values))
    burst = ctypes.CDLL(os.path.abspath(options.raw)).lanza_bench_raw_launches
    burst.restype = ctypes.c_double
    driver = ctypes.CDLL(options.driver or "libcuda.so.1")
    launch = ctypes.cast(driver.cuLaunchKernel, ctypes.c_void_p)
    context = ctypes.c_void_p(device.primary_context.handle)
    stream = lanza.Stream(device)
    function, raw_stream = ctypes.c_void_p(module.three.handle), ctypes.c_void_p(stream.handle)

    def run(_alive: object = (values, stream)) -> float:
        driver.cuCtxPushCurrent_v2(context)
        nanoseconds = burst(launch, function, raw_stream, pointers, CALLS)
        driver.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))
        if nanoseconds < 0:
            raise RuntimeError("a raw launch failed")
        return float(nanoseconds)

    return run


def measure(*cases: Callable[[], float | None]) -> list[float]:
    """The least nanoseconds a call of each, interleaved; a case may have measured itself."""
    best = [float("inf")] * len(cases)
    for _ in range(ROUNDS):
        for i, case in enumerate(cases):
            device.synchronize()
            start = time.perf_counter_ns()
            own = case()
            best[i] = min(best[i], own or (time.perf_counter_ns() - start) / CALLS)
    device.synchronize()
    return best


cases: dict[str, Callable[[], float | None]] = {
    "a Python function": baseline,
    "the same again": baseline,
    "launch, 3 buffers and an int": buffers_and_int,
    "launch, 2 host arrays, waited for": host_arrays,
    "module.kernel": attribute,
}
if options.raw:
    cases["raw launch, 3 pointers and an int"] = raw_launches()
times = measure(*cases.values())
print(f"{device.name}, {module.compiler}")
for name, nanoseconds in zip(cases, times, strict=True):
    print(f"{name:36} {nanoseconds:8.0f} ns   {nanoseconds / times[0]:6.2f}x")
