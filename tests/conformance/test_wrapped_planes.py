"""Planes whose ends meet: neighbours by remainders, with guards and without, in launches that fit the plane or do not."""

import numpy as np
from harness import case, kernel

SHAPES = ((32, 8), (16, 16), (64, 2), (100,), (7, 5), (8, 4, 4))
# Neighbours above, below, left and right of (x, y), and of all eight; by int and by unsigned.
CROSS = "in[(y + 1) % h * w + x] * 3 - in[(y - 1 + h) % h * w + x] + in[y * w + (x + 1) % w] * 5 + in[y * w + (x + w - 1) % w] * 7"
AROUND = """
  int sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx || dy) sum = sum * 3 + in[(y + dy + h) % h * w + (x + dx + w) % w];
"""


def cross(plane):
    up, down = np.roll(plane, -1, 0), np.roll(plane, 1, 0)
    return up * 3 - down + np.roll(plane, -1, 1) * 5 + np.roll(plane, 1, 1) * 7


def around(plane):
    total = np.zeros_like(plane)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            if dx or dy:
                total = total * 3 + np.roll(plane, (-dy, -dx), (0, 1))
    return total


def numbers(height, width, kind=np.int32):
    return (np.arange(height * width) * 37 % 101).astype(kind).reshape(height, width)


@case(blocks=[s for s in SHAPES if len(s) == 2])
def planes_of_blocks(run):
    """A thread an element, guarded or in grids that are as large as the plane; larger ones see remainders of their own."""
    tx, ty, _ = run.block
    for word in ("int", "unsigned"):
        for guard in ("", "if (x >= w || y >= h) return;"):
            source = f"""
            __global__ void k(const int* in, int* out, {word} w, {word} h) {{
              {word} x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
              {guard}
              out[y * w + x] = {CROSS};
            }}"""
            for columns, rows, width, height in ((2, 1, 2 * tx, ty), (3, 2, 3 * tx, 2 * ty), (1, 2, tx, 2 * ty)):
                plane = numbers(height, width)
                out = np.full(plane.shape, -1, np.int32)
                run(source, plane, out, np.uint32(width), np.uint32(height), grid=(columns, rows))
                run.same(out, cross(plane), f"{word} {guard!r}, {width} x {height}")
            if guard:  # the grid is larger, or the plane is one element
                for width, height in ((2 * tx - 1, 2 * ty - 1), (1, 1), (tx + 1, 1)):
                    plane = numbers(height, width)
                    out = np.full(plane.shape, -1, np.int32)
                    run(source, plane, out, np.uint32(width), np.uint32(height), grid=(2, 2))
                    run.same(out, cross(plane), f"{word} {guard!r}, {width} x {height}")


TILE = """
  __shared__ {kind} tile[BY + 2][BX + 2];
  {word} x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  auto at = [&]({word} i, {word} j) {{ return in[(j + h) % h * w + (i + w) % w]; }};
  tile[ty][tx] = at(x, y);
  if (tx == 1) tile[ty][0] = at(x - 1, y);
  if (tx == BX) tile[ty][BX + 1] = at(x + 1, y);
  if (ty == 1) tile[0][tx] = at(x, y - 1);
  if (ty == BY) tile[BY + 1][tx] = at(x, y + 1);
  if (tx == 1 && ty == 1) tile[0][0] = at(x - 1, y - 1);
  if (tx == BX && ty == 1) tile[0][BX + 1] = at(x + 1, y - 1);
  if (tx == 1 && ty == BY) tile[BY + 1][0] = at(x - 1, y + 1);
  if (tx == BX && ty == BY) tile[BY + 1][BX + 1] = at(x + 1, y + 1);
  __syncthreads();
  if (x < w && y < h) {{
    int sum = 0;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        if (dx || dy) sum = sum * 3 + tile[ty + dy][tx + dx];
    out[y * w + x] = sum;
  }}
"""


@case(blocks=[s for s in SHAPES if len(s) == 2])
def tiles_beyond_planes(run):
    """All threads load, on the plane or beyond, in tiles with halos; who is beyond stores nothing. Grids of any size."""
    tx, ty, _ = run.block
    for word, kind, type_ in (
        ("int", "int", np.int32),
        ("int", "unsigned char", np.uint8),
        ("unsigned", "short", np.int16),
    ):
        body = TILE.format(word=word, kind=kind).replace("BX", str(tx)).replace("BY", str(ty))
        source = f"__global__ void k(const {kind}* in, int* out, {word} w, {word} h) {{ {body} }}"
        for width, height in (
            (2 * tx, 2 * ty),
            (2 * tx - 1, 3 * ty - 1),
            (tx + 1, ty + 1),
            (tx // 2 + 1, ty),
            (2, 3),
            (1, 1),
        ):
            plane = numbers(height, width, type_)
            out = np.full(plane.shape, -1, np.int32)
            grid = (-(-width // tx), -(-height // ty))
            run(source, plane, out, np.uint32(width), np.uint32(height), grid=grid)
            run.same(out, around(plane.astype(np.int32)), f"{word} {kind}, {width} x {height}")


@case(blocks=SHAPES)
def planes_by_flat_index(run):
    """`x = i % w, y = i / w`, and loops over the neighbours; bytes, too."""
    n = run.threads
    for word, kind in (("int", np.int32), ("unsigned char", np.uint8)):
        source = kernel(
            f"const {word}* in, int* out, int w, int h",
            f"""
            const int i = blockIdx.x * n + t;
            if (i >= w * h) return;
            const int x = i % w, y = i / w;
            {AROUND}
            out[i] = sum;
            """,
        )
        for height, width in ((3, n), (n, 3), (1, 2 * n + 1), (2 * n + 1, 1), (5, 33)):
            plane = numbers(height, width, kind)
            out = np.full(plane.shape, -1, np.int32)
            run(source, plane, out, width, height, grid=-(-height * width // n))
            run.same(out, around(plane.astype(np.int32)), f"{word}, {width} x {height}")


@case(blocks=SHAPES)
def remainders_of_more(run):
    """Threads beyond the ring, steps of two, sizes that are negative or 1, by turns with launches that fit."""
    n = run.threads
    source = kernel(
        "int* out, int size, int step",
        """
        const int i = blockIdx.x * n + t;
        out[3 * i] = (i + 1) % size;
        out[3 * i + 1] = (i - 1 + size) % size;
        out[3 * i + 2] = (i + step + size) % size + i / size;
        """,
    )

    def rest(a, b):
        return np.sign(a) * (np.abs(a) % abs(b))

    i = np.arange(2 * n)
    for size in (2 * n, 2 * n + 5, n, 1, -3, 2 * n, -1, 3, -2 * n, 5 * n):
        for step in (0, 1, -1, 2):
            out = np.full((2 * n, 3), -1, np.int32)
            run(source, out, size, step, grid=2)
            quotient = np.sign(size) * (i // abs(size))
            wanted = [rest(i + 1, size), rest(i - 1 + size, size), rest(i + step + size, size) + quotient]
            run.same(out, np.stack(wanted, axis=1).astype(np.int32), f"size {size}, step {step}")


@case(blocks=[64, 100, (16, 16)])
def divisors_of_zero(run):
    """A size of 0 between others: a launch of its own code, whose remainders are those of PTX."""
    n = run.threads
    source = kernel("int* out, int size", "out[t] = size ? (t + size) / size : -7;")
    for size in (3, 0, 5, -1, 0, n):
        out = np.full(n, -1, np.int32)
        run(source, out, size)
        t = np.arange(n)
        wanted = np.trunc((t + size) / size) if size else np.full(n, -7)
        run.same(out, wanted.astype(np.int32), f"size {size}")


@case(blocks=[(32, 8), (16, 16), (64, 2), (7, 5)])
def tiles_of_blocks(run):
    """Tiles with a halo around them: its corners are loaded by indices that reach into the next block's."""
    tx, ty, _ = run.block
    for word in ("int", "unsigned"):
        source = f"""
        #define X {tx}
        #define Y {ty}
        __global__ void k(const int* in, int* out, {word} w, {word} h) {{
          __shared__ int tile[Y + 2][X + 2];
          {word} i = threadIdx.x, j = threadIdx.y, x = blockIdx.x * X + i, y = blockIdx.y * Y + j;
          tile[j + 1][i + 1] = in[y * w + x];
          if (i < 2) tile[j + 1][i * (X + 1)] = in[y * w + (blockIdx.x * X + i * (X + 1) + w - 1) % w];
          if (j < 2) tile[j * (Y + 1)][i + 1] = in[(blockIdx.y * Y + j * (Y + 1) + h - 1) % h * w + x];
          if (i < 2 && j < 2)
            tile[j * (Y + 1)][i * (X + 1)] = in[(blockIdx.y * Y + j * (Y + 1) + h - 1) % h * w +
                                                (blockIdx.x * X + i * (X + 1) + w - 1) % w];
          __syncthreads();
          int sum = 0;
          for (int b = 0; b < 3; ++b)
            for (int a = 0; a < 3; ++a)
              if (a != 1 || b != 1) sum = sum * 3 + tile[j + b][i + a];
          out[y * w + x] = sum;
        }}"""
        for columns, rows in ((2, 1), (3, 2), (1, 1)):
            plane = numbers(rows * ty, columns * tx)
            out = np.full(plane.shape, -1, np.int32)
            run(source, plane, out, np.uint32(columns * tx), np.uint32(rows * ty), grid=(columns, rows))
            run.same(out, around(plane), f"{word}, {columns} x {rows}")


@case(blocks=[(16, 16), (32, 8), (8, 8), (16, 4)])
def halos_of_tiles(run):
    """Tiles with what lies around them, filled by a flat index: of planes that blocks cover, of larger and smaller ones."""
    tx, ty, _ = run.block
    for word in ("int", "unsigned"):
        source = f"""
        __global__ void k(const int* in, int* out, {word} w, {word} h) {{
          __shared__ int s[{(tx + 2) * (ty + 2)}];
          for (int k = threadIdx.y * {tx} + threadIdx.x; k < {(tx + 2) * (ty + 2)}; k += {tx * ty}) {{
            {word} x = ({word})(blockIdx.x * {tx} + k % {tx + 2} - 1 + w) % w;
            {word} y = ({word})((int)blockIdx.y * {ty} + k / {tx + 2} - 1 + (int)h) % h;
            s[k] = in[y * w + x];
          }}
          __syncthreads();
          {word} x = blockIdx.x * {tx} + threadIdx.x, y = blockIdx.y * {ty} + threadIdx.y;
          if (x >= w || y >= h) return;
          int c = (threadIdx.y + 1) * {tx + 2} + threadIdx.x + 1, sum = 0;
          for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
              if (dx || dy) sum = sum * 3 + s[c + dy * {tx + 2} + dx];
          out[y * w + x] = sum;
        }}"""
        sizes = ((4, 4, 4 * tx, 4 * ty), (5, 3, 5 * tx - 3, 3 * ty - 1), (3, 3, 2 * tx + 1, 2 * ty + 1), (1, 1, tx, ty))
        for columns, rows, width, height in (*sizes, (1, 1, 3, 2), (2, 2, tx - 1, 1)):
            plane = numbers(height, width)
            out = np.full(plane.shape, -1, np.int32)
            run(source, plane, out, np.uint32(width), np.uint32(height), grid=(columns, rows))
            run.same(out, around(plane), f"{word}, {width} x {height}")


@case(blocks=[(64,), (32, 2), (100,)])
def places_beside_rings(run):
    """Remainders of places before, on and far beyond rings of any length, also below 0, of some threads and of all."""
    for word, kind, guard in [
        (w, k, g) for w, k in (("int", np.int32), ("unsigned", np.uint32)) for g in (False, True)
    ]:
        source = f"""
        __global__ void k(const {word}* start, unsigned* out, {word} n, {word} from, int most) {{
          int t = threadIdx.y * blockDim.x + threadIdx.x;
          {word} at = from + t;
          out[t] = (at + n - 1) % n;
          {"if (start[t] < most)" if guard else ""}
            out[t] += 3u * ((at + 1) % n) + 5u * ((start[t] + n) % n) + 7u * ((at - 1 + n) % n);
        }}"""
        t = np.arange(run.threads)
        start = (t * 37 % 90).astype(kind)
        signed = (-(2**30), -63, -1) if word == "int" else (2**31 + 5,)
        for n in (1, 2, 63, 1000, 2**29 - 1, 2**29, 2**29 + 1, 2**30, *signed):
            for first in (
                0,
                1,
                n - 10,
                2 * n - 3,
                3 * n - 20,
                5 * n,
                *((-20, -n, -2 * n + 7) if word == "int" else ()),
            ):
                low, high = min(first - 1, first + n - 1), max(first, first + n, first - n) + run.threads
                if low < (-(2**31) if word == "int" else 0) or high + abs(n) >= 2 ** (31 if word == "int" else 32):
                    continue

                def rest(v, n=n):
                    return np.fmod(v, n)

                at = first + t
                total = rest(at + n - 1)
                more = 3 * rest(at + 1) + 5 * rest(start.astype(np.int64) + n) + 7 * rest(at - 1 + n)
                total = total + np.where(start < 60, more, 0) if guard else total + more
                out = np.zeros(run.threads, np.uint32)
                run(source, start, out, kind(n), kind(first), np.int32(60))
                run.same(out, total.astype(np.int64).astype(np.uint32), f"{word} {guard}, {n} from {first}")
