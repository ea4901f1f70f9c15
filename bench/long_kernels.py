"""
How long kernels of 500 lines compile (goal: at most 1 s each), from string to the result of the first launch: as a user has
it, or with LANZA_CPU_QUICK_START=never, where the best code is waited for. Each figure is the least of several compilations
in this process.

    python bench/long_kernels.py [--runs N] [--only TEXT] [--phases]
"""

import argparse
import json
import os
import random
import tempfile
import time
from collections.abc import Callable

os.environ["LANZA_CACHE_DIR"] = tempfile.mkdtemp()  # nothing of an earlier run is found

import numpy as np

import lanza

LINES = 480  # of a kernel's body; with what stands around them some 500
BLOCK, BLOCKS = 256, 2  # a small launch: it is compiling that takes the time
GOAL = 1000.0  # ms

HEAD = """
#include <cuda_fp16.h>
__global__ void k(float* a, float* b, int* m, double* d, __half* h, __half2* p, int n) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  __shared__ float s[BLOCK];
  float x = a[i], y = b[i], z = x * 0.5f;
  int u = m[i], v = t;
  double e = d[i];
  __half f = h[i], g = f;
  __half2 q = p[i], r = q;
  s[t] = x;
  __syncthreads();
""".replace("BLOCK", str(BLOCK))
TAIL = "  a[i] = x + y + z + s[t]; m[i] = u + v; d[i] = e; h[i] = f + g; p[i] = __hadd2(q, r);\n}\n"

Line = Callable[[random.Random, int], str]


def pick(choice: random.Random, *lines: str) -> str:
    """One of them, with numbers for # (0.1 to 0.9, each its own) and @ (1 to 199, one for the line)."""
    line = choice.choice(lines)
    while "#" in line:
        line = line.replace("#", f"{choice.uniform(0.1, 0.9):.3f}f", 1)
    return line.replace("@", str(choice.randrange(1, 200)))


def lines_of(*lines: str) -> Line:
    return lambda choice, _: pick(choice, *lines)


def in_turn(*lines: str) -> Line:
    return lambda choice, place: pick(choice, lines[place % len(lines)])


ARITHMETIC = ("x = x * # + y;", "y = y - z * #;", "z = (x + y) * # - z;", "u = u * @ + v;", "v ^= u >> 3;")
KINDS: dict[str, Line] = {
    "arithmetic": lines_of(*ARITHMETIC),
    "conditions": lines_of(
        "if (x > #) y = x * #; else z -= y;", "if (u > @) v += u; else x = x * #;", "u = u < v ? u + @ : v - @;"
    ),
    "guarded loads": lines_of("if (i + @ < n) x += a[i + @] * #;", "if (i - @ >= 0) y += b[i - @];"),
    "guarded stores": lines_of("if (u > @) a[i] = x * #;", "if (x > #) b[i] = y + #;", "x = x * # + y;"),
    "loads of shared memory": lines_of(
        f"x += s[(t + @) % {BLOCK}] * #;", f"y -= s[t ^ {BLOCK // 4}];", "z += s[t / 2];"
    ),
    "gathers": lines_of("x += a[m[(i + @) & 1023] & 1023];", "u += m[(u + @) & 1023];"),
    "atomics": lines_of("atomicAdd(&m[(u + @) & 1023], v);", "atomicAdd(&a[(i + @) & 1023], x);", "u += @;"),
    "functions of floats": lines_of(
        "x = sinf(x) + #;", "y = expf(y * #) - x;", "z = logf(fabsf(z) + #);", "x = sqrtf(x * x + #);"
    ),
    "functions of doubles": in_turn("e = exp(e * 0.5);", "e = pow(fabs(e), 0.3) + 0.1;"),
    "sines of doubles": lines_of("e = sin(e) + 0.5;", "e = cos(e * 0.3);"),
    "quotients": lines_of("u = (u + @) / (v | 1);", "v = (v + @) % (u | 1);", "u += (u + i) / @;"),
    "short loops": lines_of(
        "for (int j = 0; j < @; ++j) x = x * # + y;", "for (int j = 0; j < n % 7; ++j) u += v * @;"
    ),
    "loops over memory": lines_of(
        "for (int j = 0; j < @; ++j) x += a[j * 4 + (t & 3)] * #;", "for (int j = 0; j < @; ++j) y += s[j];"
    ),
    "loops nobody counts": lines_of("while (x > #) x *= #;", "y += #; x = y * #;", "while (u > @) u /= 2;"),
    "barriers": in_turn("__syncthreads();", f"s[t] = s[(t + @) % {BLOCK}] + #;"),
    "barriers, shuffles": in_turn(
        "__syncthreads();",
        f"s[t] = s[(t + @) % {BLOCK}] + #;",
        "__syncthreads();",
        "x += __shfl_xor_sync(0xffffffffu, x, 1);",
    ),
    "shuffles": lines_of(
        "x += __shfl_xor_sync(0xffffffffu, x, 4);",
        "y += __shfl_down_sync(0xffffffffu, y, 2);",
        "u += __shfl_sync(0xffffffffu, u, @ & 31);",
    ),
    "votes": lines_of(
        "u += __ballot_sync(0xffffffffu, u > @);", "v += __any_sync(0xffffffffu, x > #);", "u ^= __popc(v);"
    ),
    "operators of halves": lines_of("f = f * g + f;", "g = g - f * g;", "f = f + g; g = g * f;"),
    "functions of halves": lines_of(
        "f = __hfma(f, g, f);", "g = hexp(__hmul(f, g));", "f = __hadd(f, hsqrt(__habs(g)));"
    ),
    "functions of pairs": lines_of(
        "q = __hfma2(q, r, q);", "r = __hmul2(__hadd2(q, r), q);", "q = __hsub2(q, r); r = __hmax2(q, r);"
    ),
    "a lot of all": lines_of(
        *ARITHMETIC,
        "if (i + @ < n) x += a[i + @] * #;",
        f"x += s[(t + @) % {BLOCK}] * #;",
        "for (int j = 0; j < @; ++j) x = x * # + y;",
        "u += m[(u + @) & 1023];",
        "x = sinf(x) + #;",
        "y += __shfl_down_sync(0xffffffffu, y, 2);",
        "__syncthreads();",
    ),
}


def source_of(line: Line) -> str:
    choice = random.Random(5)
    return HEAD + "".join(f"  {line(choice, place)}\n" for place in range(LINES)) + TAIL


def buffers() -> list[lanza.Buffer | int]:
    count = 1024  # indices are taken by & 1023
    values: list[np.ndarray] = [np.full(count, 0.5, dtype) for dtype in (np.float32, np.float32)]
    values += [
        np.arange(count, dtype=np.int32),
        np.full(count, 0.5),
        np.full(count, 0.5, np.float16),
        np.full(2 * count, 0.5, np.float16),
    ]
    return [
        *(lanza.to_device(value, device="cpu") for value in values[:-1]),
        lanza.to_device(values[-1].view("V4"), device="cpu"),
        count,
    ]


def compiled(source: str) -> tuple[float, dict[str, object]]:
    """Milliseconds from string to first result, and the kernel's report."""
    arguments = buffers()
    stream = lanza.Stream("cpu")
    begun = time.perf_counter()
    kernel = lanza.compile(source, device="cpu").kernel("k")
    kernel(*arguments, grid=BLOCKS, block=BLOCK, stream=stream)
    stream.synchronize()
    taken = (time.perf_counter() - begun) * 1e3
    return taken, json.loads(kernel.report())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--phases", action="store_true", help="print the last compilation's phases")
    options = parser.parse_args()
    compiled("#include <cuda_fp16.h>\n__global__ void k(float*, float*, int*, double*, __half*, __half2*, int) {}")
    print(
        f"string to first result, ms (goal {GOAL:.0f}), quick start: {os.environ.get('LANZA_CPU_QUICK_START', 'auto')}"
    )
    for kind, line in KINDS.items():
        if options.only not in kind:
            continue
        # A comment of its own: no run finds what an earlier one left.
        runs = [compiled(f"// {run}\n" + source_of(line)) for run in range(options.runs)]
        least = min(taken for taken, _ in runs)
        print(f"{kind:24} {least:8.0f}{'  above the goal' if least > GOAL else ''}", flush=True)
        if options.phases:
            report = runs[-1][1]
            print("   ", json.dumps({phases: report.get(phases) for phases in ("front_ms", "compile_ms")}))


if __name__ == "__main__":
    main()
