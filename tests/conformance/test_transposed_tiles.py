"""Transpositions by way of a tile in shared memory, written by columns or read by them, padded, by loops, at edges."""

import numpy as np
from harness import case

WAYS = {
    "read by columns": ("tile[y][x] = v;", "v = tile[x][y];"),
    "written by columns": ("tile[x][y] = v;", "v = tile[y][x];"),
    "written and read by columns, too": ("tile[x][y] = v; __syncthreads(); v += tile[x][y];", "v = tile[y][x];"),
    "turned round": ("tile[T - 1 - x][y] = v;", "v = tile[T - 1 - y][x];"),
}


@case(blocks=((8, 8, 1), (16, 16, 1), (32, 32, 1)))
def squares(run):
    """Of blocks as large as the tile; sizes that are no multiple of it, too."""
    size = run.block[0]
    for pad in (0, 1, 3):
        for way, (write, read) in WAYS.items():
            source = f"""
            #define T {size}
            __global__ void k(float* out, const float* a, int w, int h) {{
              __shared__ float tile[T][T + {pad}];
              const int x = threadIdx.x, y = threadIdx.y;
              int column = blockIdx.x * T + x, row = blockIdx.y * T + y;
              float v = column < w && row < h ? a[row * w + column] : 0;
              {write}
              __syncthreads();
              {read}
              column = blockIdx.y * T + x, row = blockIdx.x * T + y;
              if (column < h && row < w) out[row * h + column] = v;
            }}"""
            for w, h in ((size, size), (3 * size, 2 * size), (2 * size - 3, size + 1)):
                a = np.arange(w * h, dtype=np.float32).reshape(h, w)
                out = np.full((w, h), -1, np.float32)
                run(source, out, a, np.int32(w), np.int32(h), grid=(-(-w // size), -(-h // size)))
                run.same(out, np.ascontiguousarray(a.T), f"{way}, padded by {pad}, {w} x {h}")


@case(blocks=((32, 8, 1), (16, 4, 1)))
def by_loops(run):
    """Of blocks that go over the tile in several turns."""
    size, rows = run.block[0], run.block[1]
    for write, read in (("tile[x][y + j]", "tile[y + j][x]"), ("tile[y + j][x]", "tile[x][y + j]")):
        source = f"""
        #define T {size}
        __global__ void k(double* out, const double* a, int n) {{
          __shared__ double tile[T][T + 1];
          const int x = threadIdx.x, y = threadIdx.y;
          for (int j = 0; j < T; j += {rows}) {write} = a[(blockIdx.y * T + y + j) * n + blockIdx.x * T + x];
          __syncthreads();
          for (int j = 0; j < T; j += {rows}) out[(blockIdx.x * T + y + j) * n + blockIdx.y * T + x] = {read};
        }}"""
        n = 3 * size
        a, out = np.arange(n * n, dtype=np.float64).reshape(n, n), np.full((n, n), -1.0)
        run(source, out, a, np.int32(n), grid=(3, 3))
        run.same(out, np.ascontiguousarray(a.T), write)


@case(blocks=((16, 16, 1),))
def columns_that_go_on_in_the_next_row(run):
    """`tile[x][y + 8]` of rows of 16, as programs that count on the tile's layout write it."""
    source = """
    __global__ void k(float* out, const float* a) {
      __shared__ float tile[18][16];
      const int x = threadIdx.x, y = threadIdx.y;
      tile[x][y + 8] = a[y * 16 + x];
      __syncthreads();
      out[y * 16 + x] = tile[y + (x + 8) / 16][(x + 8) % 16];
    }"""
    a, out = np.arange(256, dtype=np.float32).reshape(16, 16), np.full((16, 16), -1, np.float32)
    run(source, out, a)
    run.same(out, np.ascontiguousarray(a.T))


@case(blocks=((16, 16, 1), (32, 8, 1), (8, 8, 1)))
def without_a_tile(run):
    """Straight from one array to the other: by sizes that the kernel or the launch knows, arrays of rows, and pitches in bytes."""
    columns, rows = run.block[0], run.block[1]
    w, h = 3 * columns, 4 * rows
    ways = {
        "constants": ("T* o, const T* a, int n", f"o[x * {h} + y] = a[y * {w} + x];"),
        "arguments": (
            "T* o, const T* a, int n",
            "o[x * (gridDim.y * blockDim.y) + y] = a[y * (gridDim.x * blockDim.x) + x];",
        ),
        "arrays": (f"T (*o)[{h}], const T (*a)[{w}], int n", "o[x][y] = a[y][x];"),
        "pitches": (
            "char* o, const char* a, int n",
            "((T*)(o + x * size_t(n) * sizeof(T)))[y] = ((const T*)(a + y * (gridDim.x * blockDim.x * sizeof(T))))[x];",
        ),
        "backwards": ("T* o, const T* a, int n", f"o[x * {h} + {h - 1} - y] = a[y * {w} + x];"),
    }
    for way, (parameters, body) in ways.items():
        for kind, dtype in (
            ("float", np.float32),
            ("double", np.float64),
            ("unsigned char", np.uint8),
            ("short", np.int16),
        ):
            source = f"""
            using T = {kind};
            __global__ void k({parameters}) {{
              const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
              {body}
            }}"""
            a, out = np.arange(w * h).astype(dtype).reshape(h, w), np.zeros((w, h), dtype)
            given = (out.view(np.int8), a.view(np.int8)) if way == "pitches" else (out, a)
            run(source, *given, np.int32(h), grid=(3, 4))
            run.same(out, np.ascontiguousarray(a.T[:, ::-1] if way == "backwards" else a.T), f"{way}, {kind}")


@case(blocks=((8, 8, 1), (16, 16, 1), (32, 32, 1)))
def products_of_rows(run):
    """Of two matrices by rows, one of them read down the columns of its tile, or written so; a copy that something else
    is written beside."""
    size = run.block[0]
    for pad in (0, 1):
        for write, read in (("b[y][x]", "b[x][i]"), ("b[x][y]", "b[i][x]")):
            source = f"""
            #define T {size}
            __global__ void k(const float* p, const float* q, float* seen, float* out, int n, int depth) {{
              __shared__ float a[T][T + {pad}], b[T][T + {pad}];
              const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
              float sum = 0;
              for (int t = 0; t < depth; t += T) {{
                a[y][x] = p[row * depth + t + x];
                {write} = q[(blockIdx.x * T + y) * depth + t + x];
                if (blockIdx.x == 0) seen[row * depth + t + x] = a[y][x];
                __syncthreads();
                for (int i = 0; i < T; ++i) sum = fmaf(a[y][i], {read}, sum);
                __syncthreads();
              }}
              out[row * n + column] = sum;
            }}"""
            n, depth = 2 * size, 3 * size
            p = (np.arange(n * depth) * 7 % 19 - 9).astype(np.float32).reshape(n, depth)
            q = (np.arange(n * depth) * 5 % 23 - 11).astype(np.float32).reshape(n, depth)
            seen, out = np.zeros_like(p), np.zeros((n, n), np.float32)
            run(source, p, q, seen, out, np.int32(n), np.int32(depth), grid=(2, 2))
            run.same(out, p @ q.T, f"{write} and {read}, padded by {pad}")
            run.same(seen, p)


# A product's left factor, a tile that neighbours write column by column and all of a row read at one place.
COPIES = {
    "by a flat index": "for (int i = t; i < M * K; i += N_T) LEFT(i % K, i / K) = row + i / K < m ? a[(row + i / K) * K + i % K] : 0;",
    "four at a time": """for (int i = t; i < M * K / 4; i += N_T) {
        const T* from = a + (row + i / (K / 4)) * K + i % (K / 4) * 4;
        for (int q = 0; q < 4; ++q) LEFT(i % (K / 4) * 4 + q, i / (K / 4)) = row + i / (K / 4) < m ? from[q] : 0;
      }""",
    "and changed": """for (int i = t; i < M * K; i += N_T) LEFT(i % K, i / K) = row + i / K < m ? a[(row + i / K) * K + i % K] : 1;
      __syncthreads();
      for (int i = t; i < M * K; i += N_T) LEFT(i % K, i / K) *= 2;""",
}
LEFTS = {
    "padded rows": ("__shared__ T left[K][M + 1];", "left[k][r]"),
    "rows": ("__shared__ T left[K][M];", "left[k][r]"),
    "a line": ("__shared__ T left[K * M];", "left[(k) * M + r]"),
    "a padded line": ("__shared__ T left[K * (M + 1)];", "left[(k) * (M + 1) + r]"),
}


@case(blocks=((16, 16, 1), (256, 1, 1), (64, 1, 1), (8, 8, 1), (96, 1, 1), (32, 4, 1)))
def factors(run):
    """Of 32 rows and 16 columns in shared memory, declared in several ways, of several types; rows beyond the end."""
    n = 32
    for (copied, copy), (declared, (left, place)) in ((c, d) for c in COPIES.items() for d in LEFTS.items()):
        for spelled, dtype in (("float", np.float32), ("int", np.int32), ("double", np.float64)):
            if spelled != "float" and copied != "by a flat index":
                continue
            body = copy.replace("LEFT(", "AT(")
            source = f"""
            #define M 32
            #define K 16
            #define N {n}
            #define N_T {run.threads}
            #define AT(k_, r_) {place.replace("[k]", "[k_]").replace("(k)", "(k_)").replace("[r]", "[r_]").replace("+ r]", "+ (r_)]")}
            typedef {spelled} T;
            __global__ void k(T* c, const T* a, const T* b, int m) {{
              {left}
              __shared__ T right[K][N];
              const int t = threadIdx.y * blockDim.x + threadIdx.x, row = blockIdx.x * M;
              {body}
              for (int i = t; i < K * N; i += N_T) right[i / N][i % N] = b[i];
              __syncthreads();
              for (int i = t; i < M * N; i += N_T) {{
                T sum = 0;
                for (int k = 0; k < K; ++k) sum += AT(k, i / N) * right[k][i % N];
                if (row + i / N < m) c[(row + i / N) * N + i % N] = sum;
              }}
            }}"""
            for m in (64, 37):
                a = (np.arange(m * 16).reshape(m, 16) * 7 % 13).astype(dtype)
                b = (np.arange(16 * n).reshape(16, n) * 5 % 11).astype(dtype)
                c = np.zeros((m, n), dtype)
                run(source, c, a, b, np.int32(m), grid=-(-m // 32))
                run.same(
                    c,
                    (a @ b * (2 if copied == "and changed" else 1)).astype(dtype),
                    f"{copied}, {declared}, {spelled}, {m}",
                )
