"""Windows around each thread's place in an image, each of whose taps asks whether it lies inside."""

import numpy as np
from harness import case

HEAD = """__global__ void k(const int* in, int* out, int width, int height, int r) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = (blockIdx.y * blockDim.y + threadIdx.y) * blockDim.z + threadIdx.z;
"""


def images(run):
    """(width, height) of whole blocks: one, and several of them."""
    rows = run.block[1] * run.block[2]
    return [(run.block[0] * wide, rows * high) for wide, high in ((1, 1), (3, 2), (2, 40 // rows + 1))]


def check(run, body, expected, radii=(0, 1, 3)):
    """`expected(image, dx, dy, r)`: what the tap (dx, dy) adds, as an image, of an image that is 0 beyond its edges."""
    for width, height in images(run):
        image = (np.arange(width * height, dtype=np.int32) * 7919 % 1009 + 1).reshape(height, width)
        grid = (width // run.block[0], height // (run.block[1] * run.block[2]))
        for r in radii:
            out = np.full_like(image, -1)
            run(HEAD + body + "}", image, out, width, height, r, grid=grid)
            run.same(out, expected(image, r))


def shifted(image, dx, dy):
    """The image's value at (x + dx, y + dy) for each (x, y); 0 beyond its edges."""
    height, width = image.shape
    x, y = np.meshgrid(np.arange(width) + dx, np.arange(height) + dy)
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    return np.where(inside, image[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)], 0)


def row(image, r):
    return sum((k + 9) * shifted(image, k, 0) for k in range(-r, r + 1))


def column(image, r):
    return sum((k + 9) * shifted(image, 0, k) for k in range(-r, r + 1))


def square(image, r):
    return sum((7 * j + k + 40) * shifted(image, k, j) for j in range(-r, r + 1) for k in range(-r, r + 1))


@case
def rows_of_known_length(run):
    """No guard of the kernel's own, and a radius that the compiler knows."""
    body = """int s = 0;
    for (int k = -3; k <= 3; k++) s += (k + 9) * (x + k >= 0 && x + k < width ? in[y * width + x + k] : 0);
    out[y * width + x] = s;"""
    check(run, body, lambda image, _: row(image, 3), radii=(3,))


@case
def rows_of_any_length(run):
    body = """int s = 0;
    for (int k = -r; k <= r; k++) if (x + k >= 0 && x + k < width) s += (k + 9) * in[y * width + x + k];
    out[y * width + x] = s;"""
    check(run, body, row)


@case
def columns(run):
    """What is asked is the same for a row of threads; with a guard of the kernel's own, too."""
    for guard in ("", "if (x >= width || y >= height) return;"):
        body = (
            guard
            + """int s = 0;
        for (int k = -r; k <= r; k++) {
          int yy = y + k;
          if (yy < 0 || yy >= height) continue;
          s += (k + 9) * in[yy * width + x];
        }
        out[y * width + x] = s;"""
        )
        check(run, body, column)


@case
def squares(run):
    """Asked in the outer loop for rows and in the inner one for columns, and all at once."""
    apart = """int s = 0;
    for (int j = -r; j <= r; j++) {
      int yy = y + j;
      if (yy < 0 || yy >= height) continue;
      for (int k = -r; k <= r; k++) {
        int xx = x + k;
        if (xx >= 0 && xx < width) s += (7 * j + k + 40) * in[yy * width + xx];
      }
    }
    out[y * width + x] = s;"""
    at_once = """int s = 0;
    for (int j = -r; j <= r; j++)
      for (int k = -r; k <= r; k++) {
        int xx = x + k, yy = y + j;
        if ((unsigned)xx < width && (unsigned)yy < height) s += (7 * j + k + 40) * in[yy * width + xx];
      }
    out[y * width + x] = s;"""
    check(run, apart, square)
    check(run, at_once, square)


@case
def neighbours(run):
    """Single loads behind guards, in a loop that writes, too."""
    body = """int p = y * width + x, s = 0;
    for (int turn = 0; turn <= r; turn++) {
      int w = x > 0 ? in[p - 1] : 0, e = x < width - 1 ? in[p + 1] : 0;
      int n = y > 0 ? in[p - width] : 0, t = y < height - 1 ? in[p + width] : 0;
      s = s * 3 + 2 * w + 3 * e + 5 * n + 7 * t;
      out[p] = s;
    }"""

    def expected(image, r):
        once = (
            2 * shifted(image, -1, 0) + 3 * shifted(image, 1, 0) + 5 * shifted(image, 0, -1) + 7 * shifted(image, 0, 1)
        )
        s = np.zeros_like(image)
        for _ in range(r + 1):
            s = s * 3 + once
        return s

    check(run, body, expected)


@case
def clamped_columns(run):
    """Rows beyond an edge are the last one, asked by a clamp that a row of threads shares."""
    body = """int s = 0;
    for (int k = -r; k <= r; k++) s += (k + 9) * in[min(max(y + k, 0), height - 1) * width + x];
    out[y * width + x] = s;"""

    def expected(image, r):
        height = image.shape[0]
        at = np.arange(height)
        return sum((k + 9) * image[np.clip(at + k, 0, height - 1)] for k in range(-r, r + 1))

    check(run, body, expected)


@case
def sides_that_exclude_each_other(run):
    """No group passes all guards; the threads of one read what others do not."""
    body = """int p = y * width + x, s = 0;
    if (x < width / 2) s += in[p];
    if (x >= width / 2) s += 2 * in[p];
    if (y < r) s += 4 * in[p];
    if (y >= r) s += 8 * in[p];
    out[p] = s;"""

    def expected(image, r):
        y, x = np.indices(image.shape)
        return image * (np.where(x < image.shape[1] // 2, 1, 2) + np.where(y < r, 4, 8))

    check(run, body, expected)
