"""Tiles in shared memory with halos and padded rows, which are laid out anew so that rows of threads have whole lines."""

import numpy as np
from harness import case

TYPES = {"float": np.float32, "double": np.float64, "int": np.int32}


@case(blocks=((16, 8, 1), (32, 4, 1), (64, 2, 1)))
def halos(run):
    """A frame of one to three elements around the block, filled by its first and last threads; the sum of a cross."""
    bx, by = run.block[0], run.block[1]
    for radius in (1, 2, 3):
        for name, dtype in TYPES.items():
            source = f"""
            #define R {min(radius, by)}
            __global__ void k({name}* out, const {name}* in, int w, int h) {{
              __shared__ {name} tile[{by} + 2 * R][{bx} + 2 * R];
              int x = blockIdx.x * {bx} + threadIdx.x, y = blockIdx.y * {by} + threadIdx.y;
              int tx = threadIdx.x + R, ty = threadIdx.y + R;
              auto at = [&](int x, int y) {{ return x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : {name}(0); }};
              tile[ty][tx] = at(x, y);
              if (threadIdx.x < R) {{
                tile[ty][tx - R] = at(x - R, y);
                tile[ty][tx + {bx}] = at(x + {bx}, y);
              }}
              if (threadIdx.y < R) {{
                tile[ty - R][tx] = at(x, y - R);
                tile[ty + {by}][tx] = at(x, y + {by});
              }}
              __syncthreads();
              {name} sum = tile[ty][tx];
              for (int d = 1; d <= R; ++d)
                sum += tile[ty][tx - d] + tile[ty][tx + d] + tile[ty - d][tx] + tile[ty + d][tx];
              if (x < w && y < h) out[y * w + x] = sum;
            }}"""
            w, h, r = 3 * bx - 5, 2 * by + 1, min(radius, by)
            a = (np.arange(w * h) % 97).astype(dtype).reshape(h, w)
            padded = np.pad(a, r)
            want = a.copy()
            for d in range(1, r + 1):
                for dy, dx in ((0, d), (0, -d), (d, 0), (-d, 0)):
                    want += padded[r + dy : r + dy + h, r + dx : r + dx + w]
            out = np.full((h, w), -1, dtype)
            run(source, out, a, np.int32(w), np.int32(h), grid=(3, -(-h // by)))
            run.same(out, want, f"{name}, radius {r}")


@case(blocks=((16, 16, 1), (32, 8, 1)))
def windows_by_loops(run):
    """The frame comes with loops that go beyond the block's threads."""
    bx, by = run.block[0], run.block[1]
    source = f"""
    __global__ void k(float* out, const float* in, int w, int h) {{
      __shared__ float tile[{by} + 4][{bx} + 4];
      for (int y = threadIdx.y; y < {by} + 4; y += {by})
        for (int x = threadIdx.x; x < {bx} + 4; x += {bx}) {{
          int gx = (int)blockIdx.x * {bx} + x - 2, gy = (int)blockIdx.y * {by} + y - 2;
          tile[y][x] = gx >= 0 && gx < w && gy >= 0 && gy < h ? in[gy * w + gx] : 0;
        }}
      __syncthreads();
      float sum = 0;
      for (int j = 0; j < 5; ++j)
        for (int i = 0; i < 5; ++i) sum += (j * 5 + i) * tile[threadIdx.y + j][threadIdx.x + i];
      int x = blockIdx.x * {bx} + threadIdx.x, y = blockIdx.y * {by} + threadIdx.y;
      if (x < w && y < h) out[y * w + x] = sum;
    }}"""
    w, h = 2 * bx + 7, 3 * by - 1
    a = (np.arange(w * h) % 31).astype(np.float32).reshape(h, w)
    padded = np.pad(a, 2)
    want = sum((5 * j + i) * padded[j : j + h, i : i + w] for j in range(5) for i in range(5)).astype(np.float32)
    out = np.full((h, w), -1, np.float32)
    run(source, out, a, np.int32(w), np.int32(h), grid=(3, 3))
    run.same(out, want)


@case(blocks=((16, 4, 1), (32, 4, 1)))
def rows_that_are_one_array_to_others(run):
    """The tile is read by one index, by a pointer, beyond a row's end, or filled by quotient and remainder."""
    bx = run.block[0]
    pitch = bx + 3
    fills = {
        "rows": f"for (int x = threadIdx.x; x < {pitch}; x += {bx}) tile[threadIdx.y][x] = in[threadIdx.y * {pitch} + x];",
        "one index": f"for (int i = t; i < 4 * {pitch}; i += {4 * bx}) tile[i / {pitch}][i % {pitch}] = in[i];",
    }
    reads = {
        "by one index": f"for (int i = t; i < 4 * {pitch}; i += {4 * bx}) out[i] = tile[0][i] + 1;",
        "by a pointer": f"int* p = &tile[0][0]; for (int i = t; i < 4 * {pitch}; i += {4 * bx}) out[i] = p[i] + 1;",
        "beyond the end": f"for (int x = threadIdx.x; x < {pitch}; x += {bx})"
        f" out[threadIdx.y * {pitch} + x] = (threadIdx.y ? tile[threadIdx.y - 1][x + {pitch}] : tile[0][x]) + 1;",
        "by quotients": f"for (int i = t; i < 4 * {pitch}; i += {4 * bx}) out[i] = tile[i / {pitch}][i % {pitch}] + 1;",
    }
    a = np.arange(4 * pitch, dtype=np.int32)
    for fill, write in fills.items():
        for how, read in reads.items():
            source = f"""
            __global__ void k(int* out, const int* in) {{
              __shared__ int tile[4][{pitch}];
              int t = threadIdx.y * {bx} + threadIdx.x;
              {write}
              __syncthreads();
              {read}
            }}"""
            out = np.zeros_like(a)
            run(source, out, a)
            run.same(out, a + 1, f"filled by {fill}, read {how}")


@case(blocks=((16, 4, 2), (32, 4, 1)))
def layers_and_vectors(run):
    """An array of three dimensions, and rows that are read by vectors of four."""
    bx, by, bz = run.block[0], run.block[1], run.block[2]
    source = f"""
    __global__ void k(float* out, const float* in) {{
      __shared__ __align__(16) float tile[{bz}][{by}][{bx} + 4];
      int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, i = (z * {by} + y) * {bx} + x;
      tile[z][y][x + 3] = in[i];
      if (x == 0) tile[z][y][0] = tile[z][y][1] = tile[z][y][2] = tile[z][y][{bx} + 3] = 1;
      __syncthreads();
      float4 v = *reinterpret_cast<float4*>(&tile[z][{by} - 1 - y][x / 4 * 4]);
      float last = tile[{bz} - 1 - z][y][x + 4 - (x == {bx} - 1)];
      out[i] = v.x + 2 * v.y + 4 * v.z + 8 * v.w + 16 * last;
    }}"""
    a = np.arange(bx * by * bz, dtype=np.float32).reshape(bz, by, bx) % 23
    tile = np.pad(a, ((0, 0), (0, 0), (3, 1)), constant_values=1)
    want = np.zeros_like(a)
    for x in range(bx):
        four = tile[:, ::-1, x // 4 * 4 : x // 4 * 4 + 4]
        last = tile[::-1, :, x + 4 - (x == bx - 1)]
        want[:, :, x] = four @ np.array([1, 2, 4, 8], np.float32) + 16 * last
    out = np.zeros_like(a)
    run(source, out, a)
    run.same(out, want)


MIRRORED = """
__global__ void k(const TYPE* in, TYPE* out) {
  __shared__ TYPE s[ROWS][COLUMNS + 1];
  const int tx = threadIdx.x, row = threadIdx.z * blockDim.y + threadIdx.y, at = row * COLUMNS + tx;
  s[row][tx] = in[at];
  __syncthreads();
  out[at] = s[ROWS - 1 - row][tx];
  out[ROWS * COLUMNS + at] = s[row][COLUMNS - 1 - tx] + s[ROWS - 1 - row][COLUMNS - 1 - tx];
}"""


@case(blocks=[(24, 2, 3), (16, 8), (32, 4), (8, 4, 4), (20, 5)], each=list(TYPES))
def mirrored(run, name):
    """Rows from the last one on, columns from the last one on: places that thread indices are subtracted from."""
    columns, rows = run.block[0], run.block[1] * run.block[2]
    source = MIRRORED.replace("TYPE", name).replace("ROWS", str(rows)).replace("COLUMNS", str(columns))
    values = np.random.default_rng(rows).integers(-99, 99, (rows, columns)).astype(TYPES[name])
    out = np.zeros((2, rows, columns), TYPES[name])
    run(source, values, out)
    run.same(out[0], values[::-1])
    run.same(out[1], values[:, ::-1] + values[::-1, ::-1])


BELOW = """
__global__ void k(const float* in, float* out) {
  __shared__ TYPE s[ROWS][COLUMNS + 1];
  const int tx = threadIdx.x, row = threadIdx.z * blockDim.y + threadIdx.y;
  s[row][tx] = tx + 100 * row;
  float v = in[tx];
  __syncthreads();
  v -= s[ROWS - 1 - row][tx];
  out[row * COLUMNS + tx] = v;
}"""


@case(blocks=[(24, 2, 3), (16, 8), (8, 4, 4), (20, 5)], each=list(TYPES))
def from_the_last_row_on(run, name):
    """The same of what threads keep over the barrier."""
    columns, rows = run.block[0], run.block[1] * run.block[2]
    source = BELOW.replace("TYPE", name).replace("ROWS", str(rows)).replace("COLUMNS", str(columns))
    values, out = np.arange(columns, dtype=np.float32) * 3, np.zeros((rows, columns), np.float32)
    run(source, values, out)
    row, x = np.mgrid[0:rows, 0:columns]
    run.same(out, values[x] - (x + 100 * (rows - 1 - row)))
