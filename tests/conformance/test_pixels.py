"""Images as kernels take them: channels side by side, rows that are turned round or scaled, windows of any size."""

import numpy as np
from harness import case

F = np.float32
U8 = np.uint8
PLANE = """
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;"""


def tiles(run, width, height):
    return (-(-width // run.block[0]), -(-height // run.block[1]))


def sizes(run):
    """Rows that fill groups of 64 lanes, that end within one, that are shorter than a group."""
    return ((128, run.block[1]), (3 * 64 + 37, 2 * run.block[1] + 1), (100, 3), (7, 2), (1, 1))


LAYOUTS = {
    # From where a channel of a pixel is taken, to where it goes.
    "planes to pixels": ("(c * h + y) * w + x", "(y * w + x) * C + c"),
    "pixels to planes": ("(y * w + x) * C + c", "(c * h + y) * w + x"),
    "channels swapped": ("(y * w + x) * C + C - 1 - c", "(y * w + x) * C + c"),
    "rows reversed": ("(y * w + (w - 1 - x)) * C + c", "(y * w + x) * C + c"),
    "rows stored reversed": ("(y * w + x) * C + c", "(y * w + (w - 1 - x)) * C + c"),
    "rows reversed, without sign": ("unsigned(y * w + w - 1 - x) * C + c", "unsigned(y * w + x) * C + c"),
}
MOVES = """
__global__ void k(const T* in, T* out, int w, int h) {PLANE
  for (int c = 0; c < C; c++) out[TO] = in[FROM] + T(1);
}"""


def moved(where, pixel, width, height, channels):
    y, x, c = np.meshgrid(np.arange(height), np.arange(width), np.arange(channels), indexing="ij")
    text = where.replace("unsigned", "")
    return eval(text, {"x": x, "y": y, "c": c, "w": width, "h": height, "C": channels}).reshape(-1)


@case(blocks=[(32, 8), (16, 16), (64, 4), 96], each=LAYOUTS)
def layouts(run, ways):
    """Channels of pixels, moved: bytes, shorts and words, also where the arrays overlap."""
    for name, kind in (("unsigned char", np.uint8), ("short", np.int16), ("float", F)):
        for channels in (2, 3, 4, 5):
            for width, height in sizes(run):
                count = width * height * channels
                values = np.random.default_rng(width).integers(0, 100, count).astype(kind)
                source = MOVES.replace("PLANE", PLANE).replace("FROM", ways[0]).replace("TO", ways[1])
                out = np.zeros(count, kind)
                run(
                    f"#define C {channels}\ntypedef {name} T;{source}",
                    values,
                    out,
                    np.int32(width),
                    np.int32(height),
                    grid=tiles(run, width, height),
                )
                expected = np.zeros(count, kind)
                expected[moved(ways[1], kind, width, height, channels)] = (
                    values[moved(ways[0], kind, width, height, channels)] + 1
                )
                run.same(out, expected, f"{name}, {channels} channels, {width} x {height}")


IN_PLACE = """
__global__ void k(unsigned char* p, int from, int to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned char* in = p + from + 3 * i;
  unsigned char* out = p + to + 3 * i;
  out[0] = in[2] ^ 1;
  out[1] = in[1] ^ 2;
  out[2] = in[0] ^ 4;
}"""


@case(blocks=[128, 96])
def pixels_in_place(run):
    """Each thread reads behind its own stores: the same pixel, members of it, or what lies apart."""

    def expected(values, start, to, n):
        result = values.copy()
        for i in range(n):
            for k in range(3):
                result[to + 3 * i + k] = result[start + 3 * i + 2 - k] ^ (1 << k)
        return result

    n = 300
    for start, to in ((0, 0), (0, 3 * n), (3 * n, 0), (0, 3 * n + 1)):
        values = np.random.default_rng(start).integers(0, 256, 8 * n).astype(U8)
        got = values.copy()
        run(IN_PLACE, got, np.int32(start), np.int32(to), np.int32(n), grid=-(-n // run.threads))
        run.same(got, expected(values, start, to, n), f"from {start} to {to}")


PARTS = """
struct __align__(4) Pixel { PART c[CHANNELS]; };
__global__ void k(Pixel* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || i % 13 == 5) return;
  STORES
}"""
WRITTEN = {
    "all but the last": range(3),
    "all but the first": range(1, 4),
    "the first": [0],
    "the last": [3],
    "every other": [0, 2],
}


@case(blocks=[(256, 1, 1), 96, 33], each=WRITTEN)
def parts_of_pixels(run, written):
    """Channels that are not written stay: bytes and shorts, of pixels of 4 and of 8, neighbours and some lanes only."""
    for name, kind in (("unsigned char", np.uint8), ("short", np.int16)):
        for channels in (4, 8):
            places = [c for c in (*written, *(4 + c for c in written)) if c < channels]
            n = 3 * run.threads + 7
            values = np.random.default_rng(n).integers(0, 100, (n, channels)).astype(kind)
            expected = values.copy()
            active = np.arange(n) % 13 != 5
            for c in places:
                expected[active, c] = values[active, c] * 2 + 1
            stores = " ".join(f"p[i].c[{c}] = p[i].c[{c}] * 2 + 1;" for c in places)
            source = PARTS.replace("PART", name, 1).replace("CHANNELS", str(channels)).replace("STORES", stores)
            run(source, values.view(f"V{channels * values.itemsize}"), np.int32(n), grid=-(-n // run.threads))
            run.same(values, expected, f"{name}, {channels} channels")


UNALIGNED = """
__global__ void k(T* p, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  GUARD
  float sum = 0;
  READS
  out[i] = sum;
  STORES
}"""


@case(blocks=[(256, 1, 1), 96, 33], each=WRITTEN)
def parts_from_anywhere(run, members):
    """Channels of pixels that begin at any byte, the last of which ends with its last channel that is read."""
    for name, kind in (("unsigned char", np.uint8), ("short", np.int16)):
        for guard in ("if (i >= n) return;", "if (i >= n || i % 13 == 5 || i / 64 == 1) return;"):
            n = 3 * run.threads + 7
            reads = " ".join(f"sum += {c + 1} * p[4 * i + {c}];" for c in members)
            stores = " ".join(f"p[4 * i + {c}] = 77 - p[4 * i + {c}];" for c in members)
            source = UNALIGNED.replace("T*", f"{name}*").replace("GUARD", guard)
            source = source.replace("READS", reads).replace("STORES", stores)
            for start in (0, 1, 3):
                values = np.random.default_rng(n).integers(0, 78, start + 4 * n + max(members) - 3).astype(kind)
                expected, got, out = values.copy(), values.copy(), np.zeros(n, F)
                run(source, got[start:], out, np.int32(n), grid=-(-n // run.threads))
                i = np.arange(n)
                i = i[(i % 13 != 5) & (i // 64 != 1)] if "13" in guard else i
                sums = np.zeros(n, F)
                for c in members:
                    sums[i] += (c + 1) * values[start + 4 * i + c].astype(F)
                    expected[start + 4 * i + c] = 77 - values[start + 4 * i + c]
                run.same(out, sums, f"{name} from {start}: sums")
                run.same(got, expected, f"{name} from {start}")


SCALED = """
__global__ void k(const T* in, T* out, int w, int h, int iw, int ih, float sx, float sy) {PLANE
  WAY
}"""
SCALES = {
    "by a quotient": "out[y * w + x] = in[y * ih / h * iw + x * iw / w];",
    "by a factor": "out[y * w + x] = in[min(int(y * sy), ih - 1) * iw + min(int(x * sx), iw - 1)];",
    "two by two": """
  float fx = fmaxf((x + 0.5f) * sx - 0.5f, 0.f), fy = fmaxf((y + 0.5f) * sy - 0.5f, 0.f);
  int x0 = int(fx), y0 = int(fy), x1 = min(x0 + 1, iw - 1), y1 = min(y0 + 1, ih - 1);
  out[y * w + x] = in[y0 * iw + x0] + 2 * in[y0 * iw + x1] + 3 * in[y1 * iw + x0] + 4 * in[y1 * iw + x1];""",
    "by pieces": """
  float t = fabsf((x % 7) * 0.5f - 1), weight = 0;
  if (t <= 1) weight = 1 + t * t;
  else if (t < 2) weight = 3 - t;
  out[y * w + x] = T(in[min(int(y * sy), ih - 1) * iw + min(int(x * sx), iw - 1)] * weight);""",
}


@case(blocks=[(32, 8), (16, 16), (8, 8), 96], each=SCALES)
def scaled(run, way):
    """Rows and columns of another image: near each other and far apart, bytes, words and doubles."""
    for name, kind in (("unsigned char", np.uint8), ("int", np.int32), ("float", F), ("double", np.float64)):
        for width, height, iw, ih in ((100, 20, 50, 10), (64, 16, 64, 16), (130, 9, 40, 33), (40, 17, 700, 50)):
            sx, sy = F(iw) / F(width), F(ih) / F(height)
            image = np.random.default_rng(iw).integers(0, 20, (ih, iw)).astype(kind)
            out = np.zeros((height, width), kind)
            source = SCALED.replace("PLANE", PLANE).replace("WAY", way)
            run(
                f"typedef {name} T;{source}",
                image,
                out,
                *(np.int32(v) for v in (width, height, iw, ih)),
                sx,
                sy,
                grid=tiles(run, width, height),
            )
            x, y = np.arange(width), np.arange(height)
            if way == SCALES["by a quotient"]:
                expected = image[y * ih // height][:, x * iw // width]
            elif way == SCALES["two by two"]:
                fx = np.maximum((x.astype(F) + F(0.5)) * sx - F(0.5), F(0))
                fy = np.maximum((y.astype(F) + F(0.5)) * sy - F(0.5), F(0))
                x0, y0 = fx.astype(int), fy.astype(int)
                x1, y1 = np.minimum(x0 + 1, iw - 1), np.minimum(y0 + 1, ih - 1)
                rows, more = image[y0], image[y1]
                expected = rows[:, x0] + 2 * rows[:, x1] + 3 * more[:, x0] + 4 * more[:, x1]
            else:
                rows = np.minimum((y.astype(F) * sy).astype(int), ih - 1)
                columns = np.minimum((x.astype(F) * sx).astype(int), iw - 1)
                expected = image[rows][:, columns]
                if way == SCALES["by pieces"]:
                    t = np.abs((x % 7).astype(F) * F(0.5) - F(1))
                    weight = np.where(t <= 1, F(1) + t * t, np.where(t < 2, F(3) - t, F(0)))
                    expected = expected * weight  # integers are cut off below
            run.same(out, expected.astype(kind), f"{name}, {iw} x {ih} to {width} x {height}")


WINDOWS = {
    "clamped": ("sum += (i + 9) * in[y * w + min(max(x + i, 0), w - 1)];", "i = -r; i <= r; i++"),
    "guarded": ("if (x + i >= 0 && x + i < w) sum += (i + 9) * in[y * w + x + i];", "i = -r; i <= r; i++"),
    "guarded without sign": (
        "if (unsigned(x + i) < unsigned(w)) sum += (i + 9) * in[y * w + x + i];",
        "i = -r; i < r; i++",
    ),
    "backwards": ("if (x - i >= 0 && x - i < w) sum += (i + 9) * in[y * w + x - i];", "i = 0; i < r; i++"),
    "by twos": ("if (x + i < w) sum += (i + 9) * in[y * w + x + i];", "i = 0; i < r; i += 2"),
    "a triangle": (
        "for (int j = 0; j < i; j++) if (x + j < w && x - i >= 0) sum += in[y * w + x + j] - in[y * w + x - i];",
        "i = 0; i < r; i++",
    ),
    "to the end": ("if (x + i < w) sum += (i + 9) * in[y * w + x + i];", "i = 0; i != r; i++"),
}
WINDOW = """
__global__ void k(const T* in, int* out, int w, int h, int r) {PLANE
  int sum = 0;
  for (int LOOP) {
    TURN
  }
  out[y * w + x] = sum;
}"""


def window_sum(name, row, radius):
    w = len(row)
    x = np.arange(w)

    def at(i):
        return np.where((x + i >= 0) & (x + i < w), row[np.clip(x + i, 0, w - 1)], 0)

    total = np.zeros(w, np.int64)
    if name == "clamped":
        return sum(((i + 9) * row[np.clip(x + i, 0, w - 1)] for i in range(-radius, radius + 1)), total)
    if name == "guarded":
        return sum(((i + 9) * at(i) for i in range(-radius, radius + 1)), total)
    if name == "guarded without sign":
        return sum(((i + 9) * at(i) for i in range(-radius, radius)), total)
    if name == "backwards":
        return sum(((i + 9) * at(-i) for i in range(radius)), total)
    if name == "a triangle":
        for i in range(radius):
            for j in range(i):
                total += np.where((x + j < w) & (x - i >= 0), at(j) - at(-i), 0)
        return total
    return sum(((i + 9) * at(i) for i in range(0, radius, 2 if name == "by twos" else 1)), total)


@case(blocks=[(32, 4), (16, 8), 100], each=list(WINDOWS))
def windows_of_any_size(run, name):
    """Windows whose size only the launch knows: none, smaller and larger than the row."""
    turn, loop = WINDOWS[name]
    for kind, of in (("unsigned char", np.uint8), ("int", np.int32)):
        for width, height in ((200, 5), (33, 4), (16, 3)):
            for radius in (0, 1, 2, 5, 40, -3):
                if radius < 0 and "!=" in loop:
                    continue
                image = np.random.default_rng(width).integers(0, 99, (height, width)).astype(of)
                out = np.zeros((height, width), np.int32)
                source = WINDOW.replace("PLANE", PLANE).replace("LOOP", loop).replace("TURN", turn)
                run(
                    f"typedef {kind} T;{source}",
                    image,
                    out,
                    np.int32(width),
                    np.int32(height),
                    np.int32(radius),
                    grid=tiles(run, width, height),
                )
                expected = np.array([window_sum(name, row.astype(np.int64), radius) for row in image])
                run.same(out, expected.astype(np.int32), f"{kind}, {width}, {radius}")


CUT_WINDOWS = {
    "at both ends": (
        "int i = max(x - r, 0); i <= min(x + r, w - 1); i++",
        lambda x, r, w: (max(x - r, 0), min(x + r, w - 1)),
    ),
    "behind the last": (
        "int i = max(0, x - r); i < min(w, x + r); i++",
        lambda x, r, w: (max(x - r, 0), min(x + r, w) - 1),
    ),
    "by choices": (
        "int i = x - r < 0 ? 0 : x - r; i < (x + r > w ? w : x + r); ++i",
        lambda x, r, w: (max(x - r, 0), min(x + r, w) - 1),
    ),
    "to one side": (
        "int i = max(x + s.most - s.least, 0); i < min(x + s.most, w); i++",
        lambda x, r, w: (max(x + 3 - r, 0), min(x + 3, w) - 1),
    ),
    "below": ("int i = max(x - r, 0); i <= x; i++", lambda x, r, w: (max(x - r, 0), x)),
    "above": ("int i = x; i < min(x + r, w); i++", lambda x, r, w: (x, min(x + r, w) - 1)),
    "of memory": (
        "int i = max(x - radius[y], 0); i <= min(x + radius[y], w - 1); i++",
        lambda x, r, w: (max(x - r, 0), min(x + r, w - 1)),
    ),
    "of the thread": (
        "int i = max(x - r, 0); i <= min(2 * x + r, w - 1); i++",
        lambda x, r, w: (max(x - r, 0), min(2 * x + r, w - 1)),
    ),
}
CUT_WINDOW = """
struct Span { int least, most; };
__global__ void k(const T* in, int* out, int* ends, const int* radius, int w, int h, int r, Span s) {PLANE
  int sum = 0, last = -1;
  for (LOOP) {
    if (in[y * w + i] == 98) break;
    sum += (i - x + 9) * in[y * w + i];
    last = i;
  }
  for (int j = max(y - r, 0); j <= min(y + r, h - 1); j++)
    for (LOOP) {
      if (i == j) continue;
      sum ^= in[j * w + i] + i;
    }
  out[y * w + x] = sum;
  ends[y * w + x] = last;
}"""


def cut_window(image, of, radius):
    height, width = image.shape
    out, ends = np.zeros((2, height, width), np.int32)
    for y in range(height):
        for x in range(width):
            first, end = of(x, radius, width)
            places = np.arange(first, max(end + 1, first))
            row = image[y, places]
            stops = np.flatnonzero(row == 98)
            before = places[: stops[0]] if len(stops) else places
            total = int(((before - x + 9) * image[y, before]).sum())
            for j in range(max(y - radius, 0), min(y + radius, height - 1) + 1):
                other = places[places != j]
                total ^= int(np.bitwise_xor.reduce(image[j, other] + other)) if len(other) else 0
            out[y, x], ends[y, x] = total, before[-1] if len(before) else -1
    return out, ends


@case(blocks=[(32, 4), (16, 8), 100], each=list(CUT_WINDOWS))
def cut_windows_of_any_size(run, name):
    """Loops over as much of a window as lies in the image; the launch knows its size, which may be far more than that."""
    loop, of = CUT_WINDOWS[name]
    span = np.dtype([("least", np.int32), ("most", np.int32)])
    for kind, element in (("unsigned char", np.uint8), ("int", np.int32)):
        for width, height in ((70, 4), (16, 3)):
            for radius in (0, 1, 5, 40, -3, 300, 1 << 29):
                image = np.random.default_rng(width).integers(0, 99, (height, width)).astype(element)
                out, ends = np.zeros((2, height, width), np.int32)
                source = CUT_WINDOW.replace("PLANE", PLANE).replace("LOOP", loop)
                run(
                    f"typedef {kind} T;{source}",
                    image,
                    out,
                    ends,
                    np.full(height, radius, np.int32),
                    np.int32(width),
                    np.int32(height),
                    np.int32(radius),
                    np.array((radius, 3), span),
                    grid=tiles(run, width, height),
                )
                expected, last = cut_window(image.astype(np.int64), of, radius)
                run.same(out, expected, f"{kind}, {width}, {radius}")
                run.same(ends, last, f"{kind}, {width}, {radius}")


QUARTETS = """
__global__ void k(const float* xs, const unsigned char* ps, signed char* qs, float* ys, unsigned char* rs, float scale, int n) {
  const float4* x = (const float4*)xs;
  const uchar4* p = (const uchar4*)ps;
  char4* q = (char4*)qs;
  float4* y = (float4*)ys;
  uchar4* r = (uchar4*)rs;
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    float4 v = x[i];
    q[i] = make_char4(__float2int_rn(v.x * scale), __float2int_rn(v.y * scale), __float2int_rn(v.z * scale), __float2int_rn(v.w * scale));
    uchar4 b = p[i];
    y[i] = make_float4(b.x * scale, b.y * scale, b.z * scale, (255 - b.w) * scale);
    r[i] = make_uchar4(255 - b.x, 255 - b.y, 255 - b.z, b.w);
  }
}"""


@case(blocks=[32, 100, 256])
def records_of_bytes_and_floats(run):
    """Records of four, from floats to bytes, from bytes to floats, and of bytes alone, of which one is as it was."""
    rng = np.random.default_rng(run.threads)
    for n in (4 * run.threads, 5 * run.threads - 3, 7):
        x, p = rng.uniform(-9, 9, (n, 4)).astype(F), rng.integers(0, 256, (n, 4)).astype(U8)
        x[0, 0], x[-1, 3], x[n // 2, 1] = np.nan, 1e30, -1e30
        q, y, r = np.zeros((n, 4), np.int8), np.zeros((n, 4), F), np.zeros((n, 4), U8)
        scale = F(1.5)
        run(QUARTETS, x, p, q, y, r, scale, np.int32(n), grid=2)
        words = np.rint(np.nan_to_num(x * scale, nan=0.0)).astype(np.float64).clip(-(2.0**31), 2.0**31 - 1)
        run.same(q, words.astype(np.int64).astype(np.int8))
        inverted = np.concatenate([p[:, :3], 255 - p[:, 3:]], 1)
        run.same(y, inverted.astype(F) * scale)
        run.same(r, np.concatenate([255 - p[:, :3], p[:, 3:]], 1))
