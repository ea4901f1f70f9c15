"""Pixels whose channels all go through the same operations, by loops over channels, weights of tables, borders that are copied."""

import numpy as np
from harness import case

SHAPES = ((16, 16, 1), (32, 8, 1), (64, 1, 1), (20, 5, 1))
SIZES = ((1, 1), (3, 2), (37, 19), (130, 21))


def grid_of(run, width, height):
    return (-(-width // run.block[0]), -(-height // run.block[1]))


def image(width, height, channels):
    return np.random.default_rng(width + channels).integers(0, 256, (height, width, channels), np.uint8)


def sharpened(a):
    height, width = a.shape[:2]
    out, wide = a.copy(), a.astype(np.int32)
    if height > 2 and width > 2:
        around = sum(wide[y : height - 2 + y, x : width - 2 + x] for y in range(3) for x in range(3)) - wide[1:-1, 1:-1]
        out[1:-1, 1:-1] = np.clip(9 * wide[1:-1, 1:-1] - around, 0, 255)
    return out


BORDERS = {
    "equal": "x == 0 || y == 0 || x == width - 1 || y == height - 1",
    "below": "x < 1 || y < 1 || x >= width - 1 || y >= height - 1",
    "not inside": "!(x > 0 && y > 0 && x < width - 1 && y < height - 1)",
}


@case(blocks=SHAPES)
def bordered(run):
    """A filter of each channel; the border is copied."""
    for channels in (1, 2, 3, 4):
        for border in BORDERS.values():
            source = f"""
            __global__ void k(const unsigned char* src, unsigned char* dst, int width, int height) {{
              int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
              if (x >= width || y >= height) return;
              for (int c = 0; c < {channels}; c++) {{
                int at = (y * width + x) * {channels} + c;
                if ({border}) {{ dst[at] = src[at]; continue; }}
                int sum = 9 * src[at];
                for (int dy = -1; dy <= 1; dy++)
                  for (int dx = -1; dx <= 1; dx++)
                    if (dx != 0 || dy != 0) sum -= src[((y + dy) * width + x + dx) * {channels} + c];
                dst[at] = (unsigned char)min(max(sum, 0), 255);
              }}
            }}"""
            for width, height in SIZES:
                a = image(width, height, channels)
                out = np.zeros_like(a)
                run(source, a, out, np.int32(width), np.int32(height), grid=grid_of(run, width, height))
                run.same(out, sharpened(a), f"{channels} channels, {border}, {width} x {height}")


@case(blocks=SHAPES)
def in_place(run):
    """Each channel of what the thread itself stores: nothing may be read early."""
    source = """
    __global__ void k(unsigned char* a, int width, int height) {
      int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
      if (x >= width || y >= height) return;
      unsigned char* p = a + (y * width + x) * 3;
      for (int c = 0; c < 3; c++) p[c] = p[c] * 2 + p[(c + 1) % 3];
    }"""
    for width, height in SIZES:
        a = image(width, height, 3)
        expected = a.copy()
        for c in range(3):
            expected[..., c] = expected[..., c] * 2 + expected[..., (c + 1) % 3]
        run(source, a, np.int32(width), np.int32(height), grid=grid_of(run, width, height))
        run.same(a, expected, f"{width} x {height}")


@case(blocks=SHAPES)
def weighed(run):
    """A blur of `uchar4` and `ushort4` by a table, clamped at the edges, divided by its sum."""
    weights = np.array([[1, 2, 1], [0, 7, 4], [2, 3, 5]])
    for channel, vector, dtype in (("unsigned char", "uchar4", np.uint8), ("unsigned short", "ushort4", np.uint16)):
        source = f"""
        __constant__ int weights[9] = {{1, 2, 1, 0, 7, 4, 2, 3, 5}};
        __global__ void k(const {vector}* in, {channel}* result, int w, int h) {{
          {vector}* out = reinterpret_cast<{vector}*>(result);
          int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
          if (x >= w || y >= h) return;
          int4 sum = make_int4(0, 0, 0, 0);
          for (int j = -1; j <= 1; ++j)
            for (int i = -1; i <= 1; ++i) {{
              {vector} p = in[min(max(y + j, 0), h - 1) * w + min(max(x + i, 0), w - 1)];
              int k = weights[(j + 1) * 3 + i + 1];
              sum.x += k * p.x; sum.y += k * p.y; sum.z += k * p.z; sum.w += k * p.w;
            }}
          out[y * w + x] = make_{vector}(sum.x / 25, sum.y / 25, sum.z / 25, sum.w / 25);
        }}"""
        for width, height in SIZES:
            a = image(width, height, 4).astype(dtype) * dtype(np.iinfo(dtype).max // 255)
            wide = np.pad(a.astype(np.int32), ((1, 1), (1, 1), (0, 0)), mode="edge")
            total = sum(int(weights[j, i]) * wide[j : j + height, i : i + width] for j in range(3) for i in range(3))
            out = np.zeros_like(a)
            run(
                source,
                a.view(f"V{4 * a.itemsize}"),
                out,
                np.int32(width),
                np.int32(height),
                grid=grid_of(run, width, height),
            )
            run.same(out, (total // 25).astype(dtype), f"{channel}, {width} x {height}")


POINTS = {
    "scaled": (
        "r.x = p.x * 3 >> 2; r.y = p.y * 5 >> 3; r.z = p.z * 7 >> 4; r.w = p.w * 9 >> 4;",
        lambda p: (p * np.array([3, 5, 7, 9])) >> np.array([2, 3, 4, 4]),
    ),
    "divided": ("r.x = p.x / 7; r.y = p.y / 7; r.z = p.z / 7; r.w = p.w / 7;", lambda p: p // 7),
    "one kept": (
        "r.x = p.x / 3; r.y = p.y / 3; r.z = p.z / 3; r.w = p.w;",
        lambda p: np.concatenate((p[..., :3] // 3, p[..., 3:]), -1),
    ),
    "swapped": ("r.x = p.z * 3; r.y = p.y * 3; r.z = p.x * 3; r.w = p.w * 3;", lambda p: p[..., [2, 1, 0, 3]] * 3),
    "by alpha": (
        "r.x = p.x * p.w / 255; r.y = p.y * p.w / 255; r.z = p.z * p.w / 255; r.w = p.w * p.w / 255;",
        lambda p: p * p[..., 3:] // 255,
    ),
    "chosen": (
        "bool b = x % 3 == 1; r.x = b ? p.x : 9; r.y = b ? p.y : 9; r.z = b ? p.z : 9; r.w = b ? p.w : 9;",
        None,
    ),
    "as floats": (
        "r.x = p.x * 0.7f; r.y = p.y * 0.7f; r.z = p.z * 0.7f; r.w = p.w * 0.7f;",
        lambda p: (p.astype(np.float32) * np.float32(0.7)).astype(np.int32),
    ),
}


@case(blocks=SHAPES)
def points(run):
    """One `uchar4` at a time: channels alike, with constants of their own, swapped, or one beside the others."""
    for name, (body, expected) in POINTS.items():
        source = f"""
        __global__ void k(const uchar4* in, unsigned char* result, int w, int h) {{
          uchar4* out = reinterpret_cast<uchar4*>(result);
          int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
          if (x >= w || y >= h) return;
          uchar4 p = in[y * w + x], r;
          {body}
          out[y * w + x] = r;
        }}"""
        for width, height in SIZES:
            a = image(width, height, 4)
            wide = a.astype(np.int32)
            chosen = np.where(np.arange(width)[None, :, None] % 3 == 1, wide, 9)
            out = np.zeros_like(a)
            run(source, a.view("V4"), out, np.int32(width), np.int32(height), grid=grid_of(run, width, height))
            run.same(out, (expected(wide) if expected else chosen).astype(np.uint8), f"{name}, {width} x {height}")
