"""Tiles that the threads of a block fill by a flat index, in rows that are no multiple of a vector."""

import numpy as np
from harness import case, kernel

BLOCKS = [256, (16, 16), (32, 8), (8, 8, 4), 64, 48, 100]
COLUMNS = {str(n): n for n in (9, 18, 20, 34, 50, 66)}
ROWS = 18


def fill(columns, count="n", value="x[(i / COLUMNS) * pitch + i % COLUMNS]"):
    """The loop."""
    text = f"for (int i = t; i < ROWS * COLUMNS; i += {count}) tile[i / COLUMNS][i % COLUMNS] = {value};"
    return text.replace("ROWS", str(ROWS)).replace("COLUMNS", str(columns))


def tile_sums(tile, threads):
    """What each thread adds up: elements a block apart, with what they lie beside."""
    flat = tile.ravel()
    return np.array([sum(flat[k] * (k % 7 + 1) for k in range(t, flat.size, threads)) for t in range(threads)])


def sums(columns, out="out[blockIdx.x * n + t]"):
    size = ROWS * columns
    return f"""
      int sum = 0;
      for (int k = (t + 3) % n; k < {size}; k += n) sum += tile[k / {columns}][k % {columns}] * (k % 7 + 1);
      {out} = sum;
    """


def expected_sums(tile, run):
    return np.roll(tile_sums(tile, run.threads), -3)


@case(each=COLUMNS, blocks=BLOCKS)
def filled(run, columns):
    """From rows in memory that are further apart, once and again in turns around barriers, a plane each."""
    body = f"""
      __shared__ int tile[{ROWS}][{columns}];
      for (int turn = 0; turn < turns; ++turn) {{
        {fill(columns)}
        __syncthreads();
        {sums(columns, "out[(turn * gridDim.x + blockIdx.x) * n + t]")}
        x += pitch * {ROWS};
        __syncthreads();
      }}
    """
    turns, pitch = 3, columns + 5
    x = (np.arange(turns * ROWS * pitch) * 37 % 101 - 50).astype(np.int32).reshape(turns, ROWS, pitch)
    out = np.zeros((turns, 2, run.threads), np.int32)
    run(kernel("const int* x, int* out, int pitch, int turns", body), x, out, pitch, turns, grid=2)
    for turn in range(turns):
        run.same(out[turn], np.tile(expected_sums(x[turn, :, :columns], run), (2, 1)).astype(np.int32))


@case(each=COLUMNS, blocks=BLOCKS)
def filled_with_edges(run, columns):
    """What lies outside of the image is 0."""
    body = f"""
      __shared__ int tile[{ROWS}][{columns}];
      const int x0 = (int)blockIdx.x * 16 - 3, y0 = (int)blockIdx.y * 16 - 2;
      {
        fill(
            columns,
            value="x0 + i % COLUMNS >= 0 && x0 + i % COLUMNS < width && y0 + i / COLUMNS >= 0 && y0 + i / COLUMNS < height"
            " ? x[(y0 + i / COLUMNS) * width + x0 + i % COLUMNS] : 0",
        )
    }
      __syncthreads();
      {sums(columns, "out[(blockIdx.y * gridDim.x + blockIdx.x) * n + t]")}
    """
    width, height, grid = 37, 29, (3, 2)
    x = (np.arange(width * height) * 37 % 101 - 50).astype(np.int32).reshape(height, width)
    out = np.zeros((grid[1], grid[0], run.threads), np.int32)
    run(kernel("const int* x, int* out, int width, int height", body), x, out, width, height, grid=grid)
    around = np.pad(x, ((2, 60), (3, 120)))
    for by in range(grid[1]):
        for bx in range(grid[0]):
            tile = around[by * 16 : by * 16 + ROWS, bx * 16 : bx * 16 + columns]
            run.same(out[by, bx], expected_sums(tile, run).astype(np.int32))


@case(each={str(n): n for n in (12, 18, 33, 34, 66)}, blocks=[256, (32, 8), (32, 32), (64, 4), 64, 48])
def filled_with_bytes(run, columns):
    """A tile and its halo of bytes, or shorts, which kernels without wider numbers have in groups of 32; both kinds of edges."""
    for word, kind in (("unsigned char", np.uint8), ("short", np.int16)):
        for edge in ("min(max({i}, 0), {n} - 1)", "({i} + {n}) % {n}"):
            body = f"""
              __shared__ {word} tile[{ROWS}][{columns}];
              for (int i = t; i < {ROWS * columns}; i += n) {{
                const int gx = {edge.format(i=f"((int)blockIdx.x * 16 + i % {columns} - 1)", n="width")};
                const int gy = {edge.format(i=f"((int)blockIdx.y * 16 + i / {columns} - 1)", n="height")};
                tile[i / {columns}][i % {columns}] = x[gy * width + gx];
              }}
              __syncthreads();
              for (int k = t; k < {ROWS * columns}; k += n)
                out[(blockIdx.y * gridDim.x + blockIdx.x) * {ROWS * columns} + k] = tile[k / {columns}][k % {columns}];
            """
            width, height, grid = 117, 61, (5, 4)
            x = (np.arange(width * height) * 37 % 251).astype(kind).reshape(height, width)
            out = np.zeros((grid[1], grid[0], ROWS, columns), kind)
            run(kernel(f"const {word}* x, {word}* out, int width, int height", body), x, out, width, height, grid=grid)
            for by, bx in np.ndindex(grid[1], grid[0]):
                gy, gx = by * 16 + np.arange(ROWS) - 1, bx * 16 + np.arange(columns) - 1
                if "%" in edge:
                    gy, gx = gy % height, gx % width
                else:
                    gy, gx = gy.clip(0, height - 1), gx.clip(0, width - 1)
                run.same(out[by, bx], x[np.ix_(gy, gx)], f"{word}, {edge}, block {bx}, {by}")


@case(blocks=[256, (16, 16), 64])
def who_fills_matters(run):
    """Where a thread's own order decides: written before by the same thread, read by it before the others have come."""
    columns = 18
    body = f"""
      __shared__ int tile[{ROWS}][{columns}];
      int own = 0;
      for (int i = t; i < {ROWS * columns}; i += n) tile[i / {columns}][i % {columns}] = -1;
      {fill(columns)}
      for (int i = t; i < {ROWS * columns}; i += n) own = own * 3 + tile[i / {columns}][i % {columns}];
      __syncthreads();
      {sums(columns, "out[t]")}
      out[n + t] = own;
      __syncthreads();
      x[t] = 1000 + t;
      {fill(columns, value="x[i]")}
      __syncthreads();
      {sums(columns, "out[2 * n + t]").replace("int sum", "sum")}
      __syncthreads();
      {fill(columns, value="x[i] + 1")}
      x[t] = 7;
      __syncthreads();
      {sums(columns, "out[3 * n + t]").replace("int sum", "sum")}
    """
    size = ROWS * columns
    pitch, threads = columns, run.threads
    x = (np.arange(size) * 37 % 101 - 50).astype(np.int32)
    filled_first, filled_next = x.copy(), x.copy()
    filled_next[:threads] = 1000 + np.arange(threads)
    own = np.zeros(threads, np.int64)
    for t in range(threads):
        for k in range(t, size, threads):
            own[t] = own[t] * 3 + filled_first[k]
    out = np.zeros((4, threads), np.int32)
    run(kernel("int* x, int* out, int pitch", body), x, out, pitch)
    run.same(out[0], expected_sums(filled_first, run).astype(np.int32))
    run.same(out[1], own.astype(np.int32))
    run.same(out[2], expected_sums(filled_next, run).astype(np.int32))
    run.same(out[3], expected_sums(filled_next + 1, run).astype(np.int32))


@case(blocks=[256, (16, 16), 64])
def some_fill(run):
    """Where not all threads are there to fill: some have left, or do something else."""
    columns = 18
    body = f"""
      __shared__ int tile[{ROWS}][{columns}];
      for (int i = t; i < {ROWS * columns}; i += n) tile[i / {columns}][i % {columns}] = i;
      __syncthreads();
      if (t % 3 != 1) {{ {fill(columns)} }}
      __syncthreads();
      {sums(columns, "out[t]")}
      __syncthreads();
      if (t >= n - 5) return;
      {fill(columns, value="2 * i")}
      __syncthreads();
      {sums(columns, "out[n + t]").replace("int sum", "sum")}
    """
    size, threads = ROWS * columns, run.threads
    x = (np.arange(size) * 37 % 101 - 50).astype(np.int32)
    by = np.arange(size) % threads
    first = np.where(by % 3 != 1, x, np.arange(size))
    second = np.where(by < threads - 5, 2 * np.arange(size), first)
    out = np.zeros((2, threads), np.int32)
    run(kernel("const int* x, int* out, int pitch", body), x, out, columns)
    run.same(out[0], expected_sums(first, run).astype(np.int32))
    run.same(out[1, :-5], expected_sums(second, run).astype(np.int32)[:-5])


@case(blocks=[256, (16, 16), 64])
def own_values(run):
    """What each thread has of its own goes where that thread fills."""
    columns = 18
    body = f"""
      __shared__ int tile[{ROWS}][{columns}];
      const int own = x[t] * 3 + t;
      {fill(columns, value="own + i")}
      __syncthreads();
      {sums(columns, "out[t]")}
    """
    size, threads = ROWS * columns, run.threads
    x = (np.arange(threads) * 37 % 101 - 50).astype(np.int32)
    by = np.arange(size) % threads
    out = np.zeros(threads, np.int32)
    run(kernel("const int* x, int* out", body), x, out)
    run.same(out, expected_sums(x[by] * 3 + by + np.arange(size), run).astype(np.int32))


@case(each=COLUMNS, blocks=BLOCKS)
def filled_in_a_line(run, columns):
    """Tiles of one dimension, by the flat index, and with rows that are further apart; elements between stay as they are."""
    for pitch in (columns, columns + 3, 128):
        body = f"""
          __shared__ int tile[{ROWS} * {pitch}];
          for (int i = t; i < {ROWS * pitch}; i += n) tile[i] = -i;
          __syncthreads();
          for (int i = t; i < {ROWS * columns}; i += n)
            tile[{"i" if pitch == columns else f"i / {columns} * {pitch} + i % {columns}"}] = x[i / {columns} * pitch + i % {columns}];
          __syncthreads();
          int sum = 0;
          for (int k = (t + 3) % n; k < {ROWS * pitch}; k += n) sum += tile[k] * (k % 7 + 1);
          out[blockIdx.x * n + t] = sum;
        """
        x = (np.arange(ROWS * (columns + 5)) * 37 % 101 - 50).astype(np.int32).reshape(ROWS, columns + 5)
        tile = -np.arange(ROWS * pitch).astype(np.int64).reshape(ROWS, pitch)
        tile[:, :columns] = x[:, :columns]
        out = np.zeros((2, run.threads), np.int32)
        run(kernel("const int* x, int* out, int pitch", body), x, out, columns + 5, grid=2)
        run.same(out, np.tile(expected_sums(tile, run), (2, 1)).astype(np.int32), f"rows of {pitch}")


@case(blocks=BLOCKS)
def filled_twice_in_a_line(run):
    """Places that are none of a turn's own: the last thread that writes one decides, so nobody may change who does."""
    columns, i = 18, np.arange(ROWS * 18)
    places = {
        "i / 18 * 17 + i % 18": i // 18 * 17 + i % 18,
        "i % 18 * 18 + i / 18": i % 18 * 18 + i // 18,
        "(unsigned char)i": i % 256,
    }
    for place, written in places.items():
        body = f"""
          __shared__ int tile[{ROWS} * {columns}];
          for (int i = t; i < {ROWS * columns}; i += n) tile[i] = -1;
          __syncthreads();
          for (int i = t; i < {ROWS * columns}; i += n) tile[{place}] = 7;
          __syncthreads();
          {sums(columns).replace(f"tile[k / {columns}][k % {columns}]", "tile[k]")}
        """
        tile = np.full(ROWS * columns, -1, np.int64)
        tile[written] = 7
        out = np.zeros(run.threads, np.int32)
        run(kernel("int* out", body), out)
        run.same(out, expected_sums(tile, run).astype(np.int32), place)
