"""What the main job costs on each device, for scripts/demo. Not a benchmark: those are in bench/."""

import time
from collections.abc import Callable

import numpy as np

import lanza

SOURCE = """
__global__ void sumar(float *dest, const float *a, const float *b, int n) {{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dest[i] = a[i] + b[i] * {constant}f;
}}"""


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def best(work: Callable[[], object], repeats: int) -> float:
    return min(seconds(work) for _ in range(repeats))


def new_source() -> str:
    return SOURCE.format(constant=f"1.{time.time_ns()}")


def measure(device: lanza.Device) -> list[tuple[str, float]]:
    n = 1000
    a = np.arange(n, dtype=np.float32)
    b = np.ones(n, dtype=np.float32)
    dest = np.empty_like(a)

    def first_result(source: str) -> None:
        module = lanza.compile(source, device=device)
        module.sumar(lanza.out(dest), lanza.in_(a), lanza.in_(b), n, grid=4, block=256)

    rows = [("string to first result, compiler not loaded yet", seconds(lambda: first_result(new_source())))]
    sources = [new_source() for _ in range(5)]
    rows.append(
        (
            "string to first result, compiler loaded",
            min(seconds(lambda s=source: first_result(s)) for source in sources),
        )
    )
    rows.append(("string to first result, from the disk cache", best(lambda: first_result(sources[0]), 20)))

    kernel = lanza.compile(sources[0], device=device).sumar
    buffers = [lanza.to_device(array, device=device) for array in (dest, a, b)]
    launches = 100

    def burst() -> None:
        for _ in range(launches):
            kernel(*buffers, n, grid=4, block=256)

    def launched_and_waited() -> None:
        kernel(*buffers, n, grid=4, block=256)
        device.synchronize()

    def whole_call() -> None:
        kernel(lanza.out(dest), lanza.in_(a), lanza.in_(b), n, grid=4, block=256)

    rows.append(("call with three NumPy arrays of 1000, copies and wait included", best(whole_call, 200)))
    rows.append(("launch on buffers and wait", best(launched_and_waited, 200)))
    per_burst = []
    for _ in range(20):
        per_burst.append(seconds(burst) / launches)
        device.synchronize()
    rows.append((f"launch on buffers, in bursts of {launches}", min(per_burst)))
    return rows


def text(value: float) -> str:
    return f"{value * 1e3:10.2f} ms" if value >= 1e-3 else f"{value * 1e6:10.2f} us"


def main() -> None:
    for device in lanza.devices():
        print(f"{device} ({device.name})")
        try:
            rows = measure(device)
        except lanza.Unavailable as error:
            print(f"  not measured: {error}")
            continue
        for name, value in rows:
            print(f"  {name:<64}{text(value)}")


if __name__ == "__main__":
    main()
