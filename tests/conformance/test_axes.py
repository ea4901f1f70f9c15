"""Memory that runs along y or z of the block, where lanes along x would gather: everything is where it belongs."""

import numpy as np
from harness import case

PLACE = """
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  const int nx = gridDim.x * blockDim.x, ny = gridDim.y * blockDim.y, nz = gridDim.z * blockDim.z;
"""
GRID = (3, 2, 2)


def volume(run):
    """The whole grid's shape, x slowest."""
    return tuple(g * b for g, b in zip(GRID, run.block, strict=True))


def numbers(shape):
    return (np.arange(np.prod(shape)) * 7 + 3).astype(np.int32).reshape(shape)


@case
def volumes_with_z_fastest(run):
    """a[x][y][z] of a grid of blocks, read and written."""
    body = PLACE + "const int i = (x * ny + y) * nz + z; out[i] = in[i] * 3 + x + 1000 * (y + 1000 * z);"
    a = numbers(volume(run))
    x, y, z = np.indices(a.shape)
    out = np.zeros_like(a)
    run("__global__ void k(const int* in, int* out) {" + body + "}", a, out, grid=GRID)
    run.same(out, a * 3 + x + 1000 * (y + 1000 * z))


@case
def matrices_with_y_fastest(run):
    """a[x][y] with guards, within an array that ends inside of blocks; a row that all share, a column that a row does."""
    body = (
        PLACE
        + """
      if (x >= rows || y >= columns || z != 1) return;
      m[x * columns + y] -= f[x] * m[y];
      if (y == 0) first[x] += f[x];
    """
    )
    nx, ny, _ = volume(run)
    rows, columns = nx - nx // 4, ny - ny // 3
    m, f, first = numbers((rows + 1, columns)), numbers(rows), numbers(rows)
    expected, sums = m.copy(), first + f
    expected[1:] -= f[:, None] * m[0]
    parameters = "int* m, const int* f, int* first, int rows, int columns"
    body = body.replace("m[x * columns", "m[(x + 1) * columns")
    run("__global__ void k(" + parameters + ") {" + body + "}", m, f, first, rows, columns, grid=GRID)
    run.same(m, expected)
    run.same(first, sums)


@case
def loops_and_tiles_with_y_fastest(run):
    """Sums over rows that neighbours along y share, through shared memory, with barriers; counts of all threads."""
    bx, by, bz = run.block
    body = (
        PLACE
        + f"""
      __shared__ int tile[{bz}][{bx}][{by}];
      int sum = 0;
      for (int k = 0; k < 5; ++k) {{
        tile[threadIdx.z][threadIdx.x][threadIdx.y] = in[(k * nx + x) * ny + y] + z;
        __syncthreads();
        sum = sum * 3 + tile[threadIdx.z][{bx - 1} - threadIdx.x][threadIdx.y];
        __syncthreads();
      }}
      out[(z * nx + x) * ny + y] = sum;
      atomicAdd(total + z, sum);
    """
    )
    nx, ny, nz = volume(run)
    a, out, total = numbers((5, nx, ny)), np.zeros((nz, nx, ny), np.int32), np.zeros(nz, np.int32)
    run("__global__ void k(const int* in, int* out, int* total) {" + body + "}", a, out, total, grid=GRID)
    turned = a.reshape(5, GRID[0], bx, ny)[:, :, ::-1].reshape(a.shape)
    expected = np.zeros_like(out)
    for k in range(5):
        expected = expected * 3 + turned[k] + np.arange(nz, dtype=np.int32)[:, None, None]
    run.same(out, expected)
    run.same(total, expected.reshape(nz, -1).sum(1, dtype=np.int32))


@case(blocks=((6, 11, 1), (2, 3, 11), (3, 5, 4), (11, 6, 1)))
def scans_in_short_rows(run):
    """Scans in shared memory by flat indices: lanes along y have fewer ends of rows within a group than lanes along x."""
    threads = run.threads
    turns = (threads - 1).bit_length()
    body = f"""
      const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
      __shared__ int sums[{threads}];
      const int first = table[t % 32 % 5];
      sums[t] = in[blockIdx.x * {threads} + t];
      __syncthreads();
      for (int i = 0; i < {turns}; ++i) {{
        const int other = t >= 1 << i ? sums[t - (1 << i)] : 0;
        __syncthreads();
        sums[t] += other;
        __syncthreads();
      }}
      out[blockIdx.x * {threads} + t] = sums[t] + first;
    """
    blocks = 3
    values, table = numbers((blocks, threads)), numbers(5)
    out = np.zeros_like(values)
    run("__global__ void k(const int* in, const int* table, int* out) {" + body + "}", values, table, out, grid=blocks)
    run.same(out, values.cumsum(1, dtype=np.int32) + table[np.arange(threads) % 32 % 5])


@case
def rows_of_blocks_with_y_fastest(run):
    """The blocks along y are one row, which ends inside of one; the first one of a call may begin anywhere."""
    body = """
      const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
      if (x >= rows || y >= columns || threadIdx.z != 0) return;
      a[x * columns + y] = a[x * columns + y] * 3 - f[x];
      if (y == 0) f[x + rows] = a[x * columns];
    """
    nx, ny, _ = run.block
    rows, columns = 3 * nx - 1, 11 * ny - 1
    a, f = numbers((rows, columns)), numbers(2 * rows)
    expected = a * 3 - f[:rows, None]
    run("__global__ void k(int* a, int* f, int rows, int columns) {" + body + "}", a, f, rows, columns, grid=(3, 11))
    run.same(a, expected)
    run.same(f[rows:], expected[:, 0])


@case
def numbers_in_order(run):
    """Who takes a number: each thread another one, whichever way memory runs."""
    body = PLACE + "out[(x * ny + y) * nz + z] = atomicAdd(count, 1);"
    out, count = np.zeros(volume(run), np.int32), np.zeros(1, np.int32)
    run("__global__ void k(int* out, int* count) {" + body + "}", out, count, grid=GRID)
    run.same(np.sort(out, axis=None), np.arange(out.size))
    run.same(count, [out.size])
