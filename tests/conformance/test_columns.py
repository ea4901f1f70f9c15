"""Planes read and written by columns: lanes along x lie rows apart, neighbours along y or z beside each other."""

import numpy as np
from harness import case

SHAPES = [(16, 16), (32, 8), (8, 8), (64, 4), (16, 4, 4), 64]
TYPES = {"float": np.float32, "double": np.float64, "int": np.int32, "short": np.int16, "long": np.int64}
RECORDS = {"uchar4": np.uint32, "float2": np.uint64}  # and the numbers whose bits they are
PLACE = """
  INDEX x = blockIdx.x * blockDim.x + threadIdx.x;
  INDEX y = blockIdx.y * (blockDim.y * blockDim.z) + threadIdx.z * blockDim.y + threadIdx.y;
"""
BODIES = {
    "writes": "if (x < w && y < h) out[x * h + y] = in[y * w + x];",
    "reads": "if (x < w && y < h) out[y * w + x] = in[x * h + y];",
    "both": "if (x < w && y < h) out[x * h + y] = in[x * h + y] + 1;",
    "adds": "if (x < w && y < h) out[x * h + y] += in[y * w + x];",
    "returns": "if (x >= w) return; if (y >= h) return; out[x * h + y] = in[y * w + x];",
    "twice": "if (x < w && y < h) { out[x * h + y] = 1; out[x * h + y] = out[x * h + y] + in[y * w + x]; }",
    "also even": "if (x < w && y < h) { T v = in[y * w + x]; if (y % 2 == 0) v = 3; out[x * h + y] = v; }",
    "some": "if (x < w && y < h && in[y * w + x] > 20) out[x * h + y] = in[y * w + x];",
    "backwards": "if (x < w && y < h) out[(w - 1 - x) * h + y] = in[y * w + x];",
    "turns": "if (x < w && y < h) out[x * h + (h - 1 - y)] = in[y * w + x];",
    "turns about": "if (x < w && y < h) out[(w - 1 - x) * h + (h - 1 - y)] = in[y * w + x];",
    "reads turned": "if (x < w && y < h) out[y * w + x] = in[x * h + (h - 1 - y)];",
    "pairs": "if (x < w && y < h) { out[x * h + y] = in[y * w + x]; out[(w + x) * h + y] = in[y * w + x] + 1; }",
}


def moved(name, plane, before):
    """What BODIES give for a plane of h rows and w columns; `before` is what stood there, w (or 2 w) rows of h."""
    h, w = plane.shape
    out = before.copy()
    turned = plane.T
    if name in ("writes", "returns"):
        out[:w] = turned
    elif name in ("reads", "reads turned"):
        columns = plane.reshape(-1).reshape(w, h)
        out = (columns if name == "reads" else columns[:, ::-1]).T.copy()
        return np.concatenate([out.reshape(-1), before[w:].reshape(-1)])
    elif name == "both":
        out[:w] = plane.reshape(w, h) + 1
    elif name == "adds":
        out[:w] += turned
    elif name == "twice":
        out[:w] = 1 + turned
    elif name == "also even":
        out[:w] = np.where(np.arange(h)[None, :] % 2 == 0, 3, turned)
    elif name == "some":
        out[:w] = np.where(turned > 20, turned, out[:w])
    elif name == "backwards":
        out[:w] = turned[::-1]
    elif name == "turns":
        out[:w] = turned[:, ::-1]
    elif name == "turns about":
        out[:w] = turned[::-1, ::-1]
    elif name == "pairs":
        out[:w], out[w:] = turned, turned + 1
    return out.reshape(-1)


def check(run, kind, index, name, w, h):
    source = "typedef " + kind + " T;\n__global__ void k(const T* in, T* out, INDEX w, INDEX h) {" + PLACE
    source = source.replace("INDEX", index) + BODIES[name] + "}"
    columns, rows = run.block[0], run.threads // run.block[0]
    rng = np.random.default_rng(w + h)
    element = np.dtype({**TYPES, **RECORDS}[kind])
    plane = rng.integers(0, 40, (h, w)).astype(element)
    out = rng.integers(40, 80, (2 * w, h)).astype(element)
    got = out.copy().reshape(-1)
    number = {"int": np.int32, "unsigned": np.uint32, "long": np.int64, "size_t": np.uint64}[index]
    seen = np.dtype((np.void, element.itemsize)) if kind in RECORDS else element
    to = got.view(seen)
    run(source, plane.reshape(-1).view(seen), to, number(w), number(h), grid=(-(-w // columns), -(-h // rows)))
    run.same(to.view(element), moved(name, plane, out))


@case(blocks=SHAPES)
def columns_of_planes(run):
    """Written, read, added to, under further conditions; planes of whole blocks and others."""
    columns, rows = run.block[0], run.threads // run.block[0]
    for name in BODIES:
        for w, h in ((3 * columns, 2 * rows), (3 * columns - 5, 2 * rows + 3), (1, 7)):
            check(run, "float", "int", name, w, h)


@case(blocks=SHAPES)
def columns_of_types(run):
    """Elements of several sizes, indices of several types."""
    columns, rows = run.block[0], run.threads // run.block[0]
    for kind, index in (("double", "int"), ("int", "unsigned"), ("short", "int"), ("long", "long"), ("int", "size_t")):
        for name in ("writes", "reads", "adds", "turns", "reads turned"):
            check(run, kind, index, name, 2 * columns + 1, 3 * rows)


@case(blocks=SHAPES)
def columns_of_records(run):
    """Records that are moved as they are."""
    columns, rows = run.block[0], run.threads // run.block[0]
    for kind in RECORDS:
        for name in ("writes", "reads", "turns"):
            for w, h in ((3 * columns, 2 * rows), (3 * columns - 5, 2 * rows + 3)):
                check(run, kind, "int", name, w, h)
