"""Elements as far from each other as an argument says, as BLAS and arrays with strides have them; mostly 1."""

import numpy as np
from harness import case

F = np.float32
AXPY = """
__global__ void k(int n, float a, const float* x, int incx, float* y, int incy) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i * incy] += a * x[i * incx];
}"""
STRIDED = """
__global__ void k(int n, float a, const float* x, int incx, float* y, int incy) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[(long long)i * incy] += a * x[i * (long long)incx];
}"""
SHARED = """
__global__ void k(int n, float a, const float* x, int incx, float* y, int incy) {
  __shared__ float s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i * incx] : 0.f;
  __syncthreads();
  if (i < n) {
    if (i % 2) y[i * incy] += a * s[threadIdx.x];
    else y[incy * i] = y[i * incy] + s[threadIdx.x] * a;
  }
}"""
SOURCES = {"one each": AXPY, "in a loop": STRIDED, "by way of a tile": SHARED}


@case(blocks=[256, 64, 100], each=list(SOURCES))
def vectors(run, name):
    n, a = 2 * run.threads + 7, F(3)
    rng = np.random.default_rng(n)
    for incx, incy in ((1, 1), (2, 1), (1, 3), (2, 2), (0, 1), (-1, 1), (1, -2), (3, -1)):
        x, y = (rng.integers(-99, 99, (n - 1) * abs(inc) + 1).astype(F) for inc in (incx, incy))
        # Backwards from the last element, as BLAS has it.
        of_x, of_y = (np.arange(n) * inc + (-inc * (n - 1) if inc < 0 else 0) for inc in (incx, incy))
        expected = y.copy()
        expected[of_y] += a * x[of_x]
        source = SOURCES[name]
        if incx < 0:
            source = source.replace("x[i", "(x - (n - 1) * incx)[i")
        if incy < 0:
            source = source.replace("y[", "(y - (n - 1) * incy)[")
        run(source, np.int32(n), a, x, np.int32(incx), y, np.int32(incy), grid=-(-n // run.threads))
        run.same(y, expected, f"{incx}, {incy}")


PLANE = """
__global__ void k(const short* a, const short* b, short* c, int rows, int columns, int by_row, int by_column) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < columns && y < rows) {
    int at = y * by_row + x * by_column;
    c[at] = a[at] * 3 + b[at];
  }
}"""


@case(blocks=[(32, 4), (16, 16), (20, 5)])
def planes_by_rows_and_by_columns(run):
    rows, columns = 37, 70
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-99, 99, (rows, columns)).astype(np.int16) for _ in range(2))
    grid = (-(-columns // run.block[0]), -(-rows // run.block[1]))
    for order, strides in (("C", (columns, 1)), ("F", (1, rows))):
        of = [np.ravel(v, order) for v in (a, b)]
        c = np.zeros(a.size, np.int16)
        run(PLANE, *of, c, np.int32(rows), np.int32(columns), *map(np.int32, strides), grid=grid)
        run.same(c, np.ravel(a * 3 + b, order), order)
