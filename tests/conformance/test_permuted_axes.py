"""Four axes permuted by a flat index: divided for each axis, a thread an element or in strides of the grid."""

import numpy as np
from harness import case

TYPES = {"float": np.float32, "double": np.float64, "unsigned char": np.uint8, "short": np.int16}
ORDERS = [(3, 1, 0, 2), (0, 2, 1, 3), (3, 2, 1, 0), (0, 3, 1, 2), (2, 3, 0, 1), (0, 1, 3, 2)]
SIZES = [(18, 21, 16, 32), (3, 5, 7, 19), (20, 3, 17, 24), (16, 2, 33, 16), (1, 40, 3, 50)]
LOOPS = {
    "each": "int o = blockIdx.x * blockDim.x + threadIdx.x; if (o < n0 * n1 * n2 * n3)",
    "strides": "for (int o = blockIdx.x * blockDim.x + threadIdx.x; o < n0 * n1 * n2 * n3; o += gridDim.x * blockDim.x)",
}
MOVES = {"gathers": "out[o] = in[AT]", "scatters": "out[AT] = in[o]"}


def source(kind, order, loop, move, restrict=""):
    a, b, c, d = order
    return (
        f"typedef {kind} T; __global__ void k(const T* {restrict} in, T* {restrict} out, int n0, int n1, int n2, int n3) {{ "
        f"{LOOPS[loop]} {{ int i{d} = o % n{d}, i{c} = o / n{d} % n{c}, i{b} = o / (n{d} * n{c}) % n{b}, i{a} = o / (n{d} * n{c} * n{b}); "
        f"{MOVES[move].replace('AT', '((i0 * n1 + i1) * n2 + i2) * n3 + i3')}; }} }}"
    )


def check(run, kind, order, size, loop, move, restrict="", missing=0):
    total = int(np.prod(size))
    places = np.arange(total).reshape(size).transpose(order).reshape(-1)
    values = np.random.default_rng(total).integers(0, 100, total).astype(TYPES[kind])
    out = np.full(total, 111).astype(TYPES[kind])
    blocks = max(1, -(-total // run.threads) - missing) if loop == "each" else 5
    done = min(total, blocks * run.threads) if loop == "each" else total
    expected = out.copy()
    if move == "gathers":
        expected[:done] = values[places[:done]]
    else:
        expected[places[:done]] = values[:done]
    run(source(kind, order, loop, move, restrict), values, out, *map(np.int32, size), grid=blocks)
    run.same(out, expected, f"{order} of {size}, {loop}, {move}")


@case(blocks=[256, 100], each=ORDERS)
def permuted(run, order):
    """All sizes, read or written in order."""
    for size in SIZES:
        for move in MOVES:
            check(run, "float", order, size, "each", move, missing=1)
            check(run, "float", order, size, "strides", move)
    for kind in TYPES:
        check(run, kind, order, SIZES[0], "strides", "gathers", "__restrict__")


PARTS = """
__global__ void k(const float* in, float* out, int w, int pitch, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i / w * pitch + i % w] + 1;
}
"""


@case(blocks=[256, 96])
def arrays_that_overlap(run):
    """A thread reads what it has written a turn before, or writes what it has read: turns go in order where arrays overlap."""
    grid, n = 3, 5000
    step = grid * run.threads
    for width in (37, 100):
        values = np.random.default_rng(width).integers(0, 100, n + step).astype(np.float32)
        for back in (False, True):
            memory = run.on_device(values)
            first, second = memory[:n], memory[step:]
            given = (second, first) if back else (first, second)
            run(PARTS, *given, np.int32(width), np.int32(width), np.int32(n), grid=grid)
            expected = values.copy()
            for i in range(0, n, step):
                end = min(i + step, n)
                if back:
                    expected[i:end] = values[i + step : end + step] + 1
                else:
                    expected[i + step : end + step] = expected[i:end] + 1
            run.same(run.contents(memory), expected, f"rows of {width}, {'back' if back else 'on'}")
        memory = run.on_device(np.concatenate([values, values]))
        run(PARTS, memory[: n + step], memory[n + step :], np.int32(width), np.int32(width), np.int32(n), grid=grid)
        run.same(run.contents(memory)[n + step : 2 * n + step], values[:n] + 1, f"rows of {width}, apart")
