"""Flat indices that are taken apart and go down columns: planes turned, channels first and last, of many sizes."""

import numpy as np
from harness import case

TYPES = {"float": np.float32, "double": np.float64, "unsigned char": np.uint8, "short": np.int16}
INDICES = {
    "int": "int i = blockIdx.x * blockDim.x + threadIdx.x;",
    "unsigned": "unsigned i = blockIdx.x * blockDim.x + threadIdx.x;",
    "size_t": "size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;",
}
# One plane of h rows and w columns.
PLANES = {
    "writes columns": "int y = i / w, x = i % w; out[x * h + y] = in[i];",
    "turned": "int y = i / w, x = i % w; out[x * h + h - 1 - y] = in[i];",
    "some": "int y = i / w, x = i % w; if (in[i] > 20) out[x * h + y] = in[i];",
    "twice": "int y = i / w, x = i % w; out[x * h + y] = 1; out[x * h + y] += in[i];",
    "adds": "int y = i / w, x = i % w; out[x * h + y] += in[i];",
}
# b planes of h rows and w columns, from channels last to channels first.
CHANNELS = {
    "two quotients": "int x = i % w, y = i / w % h, z = i / (w * h); out[(z * w + x) * h + y] = in[i];",
    "in turn": "int r = i / w, x = i % w, y = r % h, z = r / h; out[(z * w + x) * h + y] = in[i];",
    "planes first": "int z = i / (h * w), r = i % (h * w); out[(z * w + r % w) * h + r / w] = in[i];",
    "reads columns": "int y = i % h, x = i / h % w, z = i / (w * h); out[i] = in[(z * h + y) * w + x];",
}
SIZES = [(16, 16), (64, 48), (37, 101), (100, 33), (5, 300), (300, 5), (16, 15), (130, 256)]


def source(kind, index, body):
    return (
        f"typedef {kind} T; __global__ void k(const T* in, T* out, int w, int h, int n) {{ {INDICES[index]} "
        f"if (i < n) {{ {body} }} }}"
    )


def expected(name, values, before, n):
    """`values`: b planes of h rows and w columns, of which the first n elements are moved."""
    b, h, w = values.shape
    done = (np.arange(values.size) < n).reshape(b, h, w)
    if name == "reads columns":
        out = before.copy()
        out[:n] = values.transpose(0, 2, 1).reshape(-1)[:n]
        return out
    moved = values
    if name == "some":
        done = done & (values > 20)
    elif name == "twice":
        moved = values + 1
    columns = before.reshape(b, w, h).transpose(0, 2, 1).copy()
    if name == "adds":
        moved = values + columns
    elif name == "turned":
        moved, done = moved[:, ::-1], done[:, ::-1]
    columns[done] = moved[done].astype(before.dtype)
    return columns.transpose(0, 2, 1).reshape(-1)


def check(run, kind, index, name, body, b, h, w, n, blocks=None):
    rng = np.random.default_rng(h * w)
    values = rng.integers(0, 40, (b, h, w)).astype(TYPES[kind])
    before = rng.integers(40, 80, values.size).astype(TYPES[kind])
    out = before.copy()
    blocks = blocks or -(-n // run.threads)
    run(source(kind, index, body), values.reshape(-1), out, np.int32(w), np.int32(h), np.int32(n), grid=blocks)
    run.same(out, expected(name, values, before, min(n, blocks * run.threads)))


@case(blocks=[256, 64, 96])
def planes_by_flat_index(run):
    """Planes turned by flat index, all sizes and types; also a part of a plane."""
    for name, body in PLANES.items():
        for h, w in SIZES:
            check(run, "float", "int", name, body, 1, h, w, h * w)
    for kind in TYPES:
        for index in INDICES:
            check(run, kind, index, "writes columns", PLANES["writes columns"], 1, 70, 130, 70 * 130 - 200)


@case(blocks=[256, 128, 100])
def channels_by_flat_index(run):
    """Channels last to channels first and back, however the index is taken apart."""
    for name, body in CHANNELS.items():
        for h, w in SIZES:
            check(run, "float", "int", name, body, 3, h, w, 3 * h * w)
        for kind in TYPES:
            check(run, kind, "unsigned", name, body, 2, 50, 64, 2 * 50 * 64 - 1000)


# out[i], or out[(z * h + y) * w + x], from places that go by rows; s threads share a column, d planes a layer.
ROWS = {
    "cut out": "int x = i % w, y = i / w % h, z = i / (w * h); out[i] = in[(z * (h + s) + y + s - 1) * (w + d) + x + 1];",
    "every so often": "int x = i % w, y = i / w % h, z = i / (w * h); out[i] = in[(z * h + y / s) * w + x / s] + x % s + y % s;",
    "four": "int x = i % w, y = i / w % h, z = i / (w * h) % d, c = i / (w * h * d); out[i] = in[((c * h + y) * d + z) * w + x];",
    "in turn": "int r = i; int x = r % w; r /= w; int y = r % h; r /= h; int z = r % d; int c = r / d; out[i] = in[((c * h + y) * d + z) * w + x];",
    "layers first": "int c = i / (d * h * w), r = i % (d * h * w), z = r / (h * w); r %= h * w; int y = r / w, x = r % w; "
    "out[i] = in[((c * h + y) * d + z) * w + x];",
    "rows of layers": "int x = i % w, r = i / w % (h * d), c = i / (w * h * d); out[i] = in[((c * h + r % h) * d + r / h) * w + x];",
    "layers of layers": "int x = i % w, y = i / w % h, z = i / (h * w) % (s * d), c = i / (h * w * s * d), r = i % (w * h * d * s); "
    "out[i] = in[((c * h + y) * (d * s) + z) * w + x] + r % 7;",
    "cut off": "int j = (signed char)i, y = j / w, x = j % w; out[i] = in[i % w] + y + x;",
    "window": "int x = i % w, y = i / w; T sum = 0; for (int k = 0; k < s; ++k) for (int j = 0; j < d; ++j) sum += in[(y + k) * w + x * d + j]; out[i] = sum;",
    "edges": "int x = i % w, y = i / w % h, z = i / w / h; T sum = in[i]; if (x > 0) sum += in[i - 1]; if (x + s < w) sum += in[i + s]; "
    "if (y + 1 < h) sum += in[i + w]; out[(z * h + y) * w + x] = sum;",
}


def row_values(name, values, w, h, s, d, n):
    """What the bodies of ROWS give for the first n elements."""
    i = np.arange(n)
    x, y, z = i % w, i // w % h, i // (w * h)
    if name == "cut out":
        return values[(z * (h + s) + y + s - 1) * (w + d) + x + 1]
    if name == "every so often":
        return (values[(z * h + y // s) * w + x // s] + x % s + y % s).astype(values.dtype)
    if name == "layers of layers":
        return (values[((z // (d * s) * h + y) * d * s + z % (d * s)) * w + x] + i % (w * h * d * s) % 7).astype(
            values.dtype
        )
    if name == "cut off":
        j = i.astype(np.int8).astype(np.int64)
        rows = np.trunc(j / w).astype(np.int64)
        return (values[x] + rows + (j - rows * w)).astype(values.dtype)
    if name in ("four", "in turn", "layers first", "rows of layers"):
        return values[((z // d * h + y) * d + z % d) * w + x]
    if name == "window":
        return sum(values[(i // w + k) * w + x * d + j] for k in range(s) for j in range(d)).astype(values.dtype)
    sums = values[i] + np.where(x > 0, values[i - 1], 0) + np.where(x + s < w, values[i + s], 0)
    return (sums + np.where(y + 1 < h, values[i + w], 0)).astype(values.dtype)


@case(blocks=[256, 96, 64])
def rows_by_flat_index(run):
    """Rows of any length, taken apart by what the launch says; columns and planes divided again."""
    parameters = "const T* in, T* out, int w, int h, int s, int d, int n"
    for name, body in ROWS.items():
        for kind, index in (("float", "int"), ("unsigned char", "unsigned"), ("double", "size_t"), ("short", "int")):
            text = f"typedef {kind} T; __global__ void k({parameters}) {{ {INDICES[index]} if (i < n) {{ {body} }} }}"
            for h, w in ((9, 7), (5, 8), (12, 13), (3, 16), (17, 28), (1, 100), (6, 130)):
                for s, d in ((1, 1), (2, 3), (5, 2)):
                    n = 6 * h * w - 5
                    values = np.random.default_rng(n).integers(0, 9, 4 * (h + 8) * (w + 8) * 8).astype(TYPES[kind])
                    out = np.zeros(n + 3, TYPES[kind])
                    run(text, values, out, *map(np.int32, (w, h, s, d, n)), grid=-(-n // run.threads) + 1)
                    run.same(out[:n], row_values(name, values, w, h, s, d, n))
                    run.same(out[n:], np.zeros(3, TYPES[kind]))


# Of sizes that kernels compute themselves: rows and columns of the output from those of the input.
SIZED = {
    "halves": ("W / 2", "H / 2", "out[i] = in[(c * H + 2 * y) * W + 2 * x] + in[(c * H + 2 * y + 1) * W + 2 * x + 1];"),
    "strides": ("(W - 3) / s + 1", "(H - 3) / s + 1", "out[i] = in[(c * H + y * s) * W + x * s + 2];"),
    "doubled": ("W * 2", "H * 2", "out[i] = in[(c * H + y / 2) * W + x / 2];"),
    "fours": ("W * 4", "H / 2", "out[i] = in[(c * H + y * 2) * W + x / 4];"),
}


def sized_values(name, images, s, h, w):
    y, x = np.arange(h)[:, None], np.arange(w)[None, :]
    if name == "halves":
        return images[:, 2 * y, 2 * x] + images[:, 2 * y + 1, 2 * x + 1]
    if name == "strides":
        return images[:, y * s, x * s + 2]
    return images[:, y // 2, x // 2] if name == "doubled" else images[:, y * 2, x // 4]


@case(blocks=[256, 96])
def rows_of_sizes_that_kernels_compute(run):
    """Pools, strided windows, larger images; images of no rows, and strides of 0, of which nothing is made."""
    for name, (wide, high, body) in SIZED.items():
        for index in INDICES:
            text = f"""__global__ void k(const float* in, float* out, int C, int H, int W, int s) {{
              int w = {wide}, h = {high}; {INDICES[index]}
              if (i < (int)(C * h * w)) {{ int x = i % w, y = i / w % h, c = i / (w * h); {body} }}
            }}"""
            for C, H, W, s in (
                (3, 56, 56, 2),
                (2, 19, 37, 3),
                (5, 4, 3, 1),
                (1, 3, 200, 2),
                (2, 1, 1, 1),
                (2, 9, 9, 0),
            ):
                if name == "strides" and W < 3:
                    continue
                if name == "strides" and s == 0:
                    h, w = 0, 0  # a quotient by 0 is -1
                else:
                    h, w = (int(eval(size.replace("/", "//"), {}, {"H": H, "W": W, "s": s})) for size in (high, wide))
                n = max(C * h * w, 0)
                images = np.random.default_rng(n).integers(0, 9, (C, H, W)).astype(np.float32)
                out = np.full(n + 9, 7, np.float32)
                run(text, images.reshape(-1), out, *map(np.int32, (C, H, W, s)), grid=-(-n // run.threads) + 1)
                run.same(out[n:], np.full(9, 7, np.float32))
                if n:
                    run.same(out[:n], sized_values(name, images, s, h, w).reshape(-1))


@case(blocks=[256, 96])
def rows_in_strides_of_the_grid(run):
    """The same in loops of a grid of any size, over all elements, or fewer; and loops that know more than their index."""
    parameters = "const T* in, T* out, int w, int h, int s, int d, int n"
    loops = {
        "int": "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)",
        "unsigned": "for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)",
        "size_t": "for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)blockDim.x * gridDim.x)",
    }
    h, w, s, d = 12, 28, 2, 3
    n = 6 * h * w - 5
    values = np.random.default_rng(n).integers(0, 9, 4 * (h + 8) * (w + 8) * 8).astype(np.float32)
    for name, body in ROWS.items():
        for loop in loops.values():
            text = f"typedef float T; __global__ void k({parameters}) {{ {loop} {{ {body} }} }}"
            for blocks, count in ((1, n), (3, n), (40, n), (2, 1), (2, 0)):
                out = np.zeros(n, np.float32)
                run(text, values, out, *map(np.int32, (w, h, s, d, count)), grid=blocks)
                run.same(out[:count], row_values(name, values, w, h, s, d, count))
                run.same(out[count:], np.zeros(n - count, np.float32))
    known = {
        "sum": ("float sum = 0;", "sum += in[i % w]; out[i] = sum;", ""),
        "thread": ("", "out[i] = in[i % w] + threadIdx.x + gridDim.x;", ""),
        "behind": ("", "out[i] = in[i % w];", "out[n + blockIdx.x * blockDim.x + threadIdx.x] = 5;"),
    }
    for body in ("out[i % w] += in[i];", "out[i] = out[i % w] + 1;"):  # from turn to turn
        text = f"typedef float T; __global__ void k({parameters}) {{ {loops['int']} {{ {body} }} }}"
        wide = 2 * run.threads
        out, want = np.zeros(7 * wide, np.float32), np.zeros((7, wide), np.float32)
        if "+=" in body:
            want[0] = values[: 7 * wide].reshape(7, wide).sum(axis=0)
        else:
            want[0], want[1:] = 1, 2
        run(text, values, out, *map(np.int32, (wide, h, s, d, 7 * wide)), grid=2)
        run.same(out, want.reshape(-1))
    for name, (before, body, behind) in known.items():
        text = f"typedef float T; __global__ void k({parameters}) {{ {before} {loops['int']} {{ {body} }} {behind} }}"
        threads = 2 * run.threads
        out, want = np.zeros(n + threads, np.float32), np.zeros(n + threads, np.float32)
        i = np.arange(n)
        x = values[i % w]
        want[:n] = x + i % threads % run.threads + 2 if name == "thread" else x
        if name == "sum":
            for first in range(threads):
                want[first:n:threads] = np.cumsum(x[first::threads])
        if name == "behind":
            want[n:] = 5
        run(text, values, out, *map(np.int32, (w, h, s, d, n)), grid=2)
        run.same(out, want)


@case(blocks=[256])
def fewer_threads_than_a_plane(run):
    """Threads that the launch does not have do nothing, whoever else does."""
    for blocks in (1, 7, 20):
        check(run, "float", "int", "writes columns", PLANES["writes columns"], 1, 70, 130, 70 * 130, blocks)
        check(run, "float", "int", "in turn", CHANNELS["in turn"], 4, 40, 64, 4 * 40 * 64, blocks)


@case(blocks=[256])
def rows_that_are_no_rows(run):
    """No elements a row, or less; several rows of blocks, which all do the same."""
    body = "int y = i / w, x = i % w; int at = x * h + y; if (at >= 0 && at < n) out[at] = in[i];"
    n, h = 40 * run.threads, 80
    values = np.arange(n, dtype=np.float32)
    i = np.arange(n)
    for w in (0, -1, -20, 1, 2, 128):
        if w == 0 and run.on_gpu:
            continue  # NVIDIA's compiler makes the remainder of the quotient, and no promise about either
        out = np.zeros(n, np.float32)
        run(source("float", "int", body), values, out, np.int32(w), np.int32(h), np.int32(n), grid=(40, 3))
        y = np.full(n, -1) if w == 0 else np.trunc(i / w).astype(np.int64)
        x = np.full(n, -1) if w == 0 else i - y * w
        at = x * h + y
        inside = (at >= 0) & (at < n)
        want = np.zeros(n, np.float32)
        ordered = np.unique(at[inside]).size == inside.sum()
        if ordered:
            want[at[inside]] = values[inside]
            run.same(out, want)


@case(blocks=[256, 96])
def rows_backwards_and_rolled(run):
    """Rows from right to left, and moved around by distances that are known at run time."""
    bodies = {
        "flip": "out[y * w + (w - 1 - x)] = in[i];",
        "flip read": "out[i] = in[y * w + (w - x - 1)];",
        "both": "out[(h - 1 - y) * w + (w - 1 - x)] = in[i];",
        "roll": "out[i] = in[((y - 3 % h + h) % h) * w + (x - s + w) % w];",
        "roll up": "out[((y + h - 3 % h) % h) * w + (x + s) % w] = in[i];",
    }
    for h, w in ((16, 64), (37, 101), (7, 15), (5, 300), (64, 1)):
        for s in (0, 1, w // 2, w - 1):
            values = (np.arange(h * w).reshape(h, w) * 7 % 251).astype(np.float32)
            rolled = {"roll": np.roll(values, (3 % h, s), (0, 1)), "roll up": np.roll(values, (-(3 % h), s), (0, 1))}
            flipped = values[:, ::-1]
            want = {"flip": flipped, "flip read": flipped, "both": values[::-1, ::-1], **rolled}
            for name, body in bodies.items():
                source = (
                    "__global__ void k(const float* in, float* out, int w, int h, int s) { "
                    "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= w * h) return; "
                    f"int y = i / w, x = i % w; {body} }}"
                )
                out = np.zeros(h * w, np.float32)
                run(
                    source,
                    values.reshape(-1),
                    out,
                    np.int32(w),
                    np.int32(h),
                    np.int32(s),
                    grid=-(-h * w // run.threads),
                )
                run.same(out, want[name].reshape(-1), f"{name} of {h} x {w} by {s}")


@case(blocks=[256, 96])
def neighbours_of_a_torus(run):
    """Above, below and beside, around the edges; the index in 32 or 64 bits, with and without a sign."""
    body = """int y = i / w, x = i % w;
      if (y >= h || x >= w) return;
      int up = y > 0 ? y - 1 : h - 1, down = y + 1 < h ? y + 1 : 0, left = x ? x - 1 : w - 1, right = x == w - 1 ? 0 : x + 1;
      out[y * w + x] = in[up * w + x] + 2 * in[down * w + x] + 3 * in[y * w + left] + 5 * in[y * w + right];"""
    first = "if (i < w) out[i] = 1; else if (w + w > i) out[i] = 2; else out[i] = in[i / w * w - w + i % w];"
    for kind in ("float", "unsigned char"):
        for index in ("int", "unsigned", "size_t"):
            for h, w in ((37, 101), (2, 70), (9, 16), (20, 3), (1, 40)):
                values = np.random.default_rng(h * w).integers(0, 20, (h, w)).astype(TYPES[kind])
                out, rows = np.zeros_like(values), np.zeros_like(values)
                size = (np.int32(w), np.int32(h), np.int32(h * w))
                blocks = -(-h * w // run.threads)
                run(source(kind, index, body), values.reshape(-1), out.reshape(-1), *size, grid=blocks)
                want = np.roll(values, 1, 0) + 2 * np.roll(values, -1, 0)
                want += 3 * np.roll(values, 1, 1) + 5 * np.roll(values, -1, 1)
                run.same(out, want, f"{kind}, {index}, {h} x {w}")
                run(source(kind, index, first), values.reshape(-1), rows.reshape(-1), *size, grid=blocks)
                want[:1], want[1:2], want[2:] = 1, 2, values[1:-1]
                run.same(rows, want, f"first rows, {kind}, {index}, {h} x {w}")


@case
def either_of_two_arrays(run):
    """Of two arrays that end where the last thread's element does, by a bit of the index."""
    choices = {
        "pairs": ("i % 2 ? b[i / 2] : a[i / 2]", lambda i, a, b: np.where(i % 2, b[i // 2], a[i // 2])),
        "fours": ("i & 2 ? a[i / 4] : b[i / 4]", lambda i, a, b: np.where(i & 2, a[i // 4], b[i // 4])),
        "halves": ("i & 1 ? b[i / 2 + 1] : a[i / 2]", lambda i, a, b: np.where(i & 1, b[i // 2 + 1], a[i // 2])),
        "apart": ("i % 2 ? b[i] : a[i]", lambda i, a, b: np.where(i % 2, b[i], a[i])),
    }
    for name, (body, want) in choices.items():
        for spelled, dtype in (("unsigned char", np.uint8), ("short", np.int16), ("float", np.float32)):
            source = f"""
              __global__ void k({spelled}* out, const {spelled}* a, const {spelled}* b, int n) {{
                int i = (blockIdx.x * blockDim.y * blockDim.z + threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
                if (i < n) out[i] = {body};
              }}
            """
            for n in (2 * run.threads, 2 * run.threads - 1, run.threads + run.threads // 3, 1):
                length = {"apart": n, "fours": (n + 3) // 4}.get(name, n // 2 + 1)
                a, b = (np.arange(length) * 3 % 100).astype(dtype), (np.arange(length) * 7 % 100 + 100).astype(dtype)
                out = np.zeros(2 * run.threads, dtype)
                run(source, out, a, b, np.int32(n), grid=2)
                run.same(out[:n], want(np.arange(n), a, np.append(b, 0)).astype(dtype), f"{name} of {n}")
                run.same(out[n:], np.zeros(out.size - n, dtype))
