"""Rows and columns of a plane, a thread each, by the loops that programmers write: counters, ends and pointers."""

import numpy as np
from harness import case

SHAPES = ((64, 1, 1), (100, 1, 1), (32, 8, 1))

ROWS = {
    "counter": "for (int x = 0; x < w; ++x) sum = sum * 3 + a[y * w + x];",
    "pointer": "const int* p = a + y * w; for (int x = 0; x < w; ++x) sum = sum * 3 + *p++;",
    "to an end": "const int *p = a + y * w, *end = p + w; while (p != end) sum = sum * 3 + *p++;",
    "below an end": "for (const int *p = a + y * w, *end = a + (y + 1) * w; p < end; ++p) sum = sum * 3 + *p;",
    "index to an end": "for (int i = y * w; i < (y + 1) * w; ++i) sum = sum * 3 + a[i];",
    "by fours": """const int *p = a + y * w, *end = p + w;
        for (; p + 3 < end; p += 4) sum = ((sum * 3 + p[0]) * 3 + p[1]) * 9 + p[2] * 3 + p[3];
        for (; p != end; ++p) sum = sum * 3 + *p;""",
    "size_t": "for (size_t x = 0; x < (size_t)w; ++x) sum = sum * 3 + a[(size_t)y * w + x];",
}
BACK = {
    "counter": "for (int x = w - 1; x >= 0; --x) sum = sum * 3 + a[y * w + x];",
    "pointer": "const int *first = a + y * w, *p = first + w; while (p != first) sum = sum * 3 + *--p;",
    "above an end": "for (const int *p = a + y * w + w - 1, *first = a + y * w; p >= first; --p) sum = sum * 3 + *p;",
}
COLUMNS = {
    "counter": "for (int j = 0; j < h; ++j) sum = sum * 3 + a[j * w + y];",
    "pointer": "for (const int *p = a + y, *end = a + y + w * h; p < end; p += w) sum = sum * 3 + *p;",
    "to an end": "const int *p = a + y, *end = p + h * w; while (p != end) { sum = sum * 3 + *p; p += w; }",
    "index": "for (int i = y; i < w * h; i += w) sum = sum * 3 + a[i];",
}


def check(run, ways, elements_of, is_column):
    threads = run.threads
    for way, body in ways.items():
        source = f"""
        __global__ void k(int* out, const int* a, int w, int h, int n) {{
          int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
          int y = blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + t;
          if (y >= n) return;
          int sum = 0;
          {body}
          out[y] = sum;
        }}"""
        for w, h in ((1, 1), (7, 2 * threads - 3), (2 * threads - 3, 5), (64, threads), (0, threads)):
            n = w if is_column else h
            if w == 0 and (is_column or ways is BACK):  # no pointer lies before an array
                continue
            a = (np.arange(w * h, dtype=np.int32) * 7 + 1).reshape(h, w)
            out = np.full(n, -1, np.int32)
            run(source, out, a, np.int32(w), np.int32(h), np.int32(n), grid=-(-n // threads))
            expected = np.zeros(n, np.int32)
            for elements in elements_of(a):
                expected = expected * 3 + elements
            run.same(out, expected.astype(np.int32), f"{way}, {w} x {h}")


@case(blocks=SHAPES)
def rows(run):
    """From the first element to the last."""
    check(run, ROWS, lambda a: a.T, is_column=False)


@case(blocks=SHAPES)
def rows_backwards(run):
    """From the last one to the first."""
    check(run, BACK, lambda a: a.T[::-1], is_column=False)


@case(blocks=SHAPES)
def columns(run):
    """A row further on each turn."""
    check(run, COLUMNS, lambda a: a, is_column=True)


@case(blocks=SHAPES)
def chunks(run):
    """As many elements in a row for each thread, read and written in place."""
    source = """
    __global__ void k(float* y, const float* x, float a, int n, int first) {
      int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
      int chunk = n / (blockDim.x * blockDim.y * blockDim.z);
      for (int i = t * chunk + first; i < (t + 1) * chunk + first; ++i) y[i] = a * x[i] + y[i];
    }"""
    for chunk, first in ((0, 0), (1, 3), (5, 0), (16, 1), (33, 2), (100, 0)):
        n = chunk * run.threads
        x, y = np.arange(n + 8, dtype=np.float32), np.arange(n + 8, dtype=np.float32)[::-1].copy()
        expected = y.copy()
        expected[first : first + n] += 2 * x[first : first + n]
        run(source, y, x, np.float32(2), np.int32(n + (run.threads - 1 if chunk else 0)), np.int32(first))
        run.same(y, expected, f"{chunk} from {first}")


@case(blocks=SHAPES)
def triangles(run):
    """Rows up to the diagonal or from it, forwards and backwards, without the diagonal's element or with it."""
    ways = {
        "backwards": ("int j = y; j >= 0; --j", lambda y, n: range(y, -1, -1)),
        "forwards": ("int j = 0; j < y; ++j", lambda y, n: range(y)),
        "behind": ("int j = n - 1; j > y; --j", lambda y, n: range(n - 1, y, -1)),
        "unsigned": ("unsigned j = y + 1; j-- > 0;", lambda y, n: range(y, -1, -1)),
    }
    for way, (head, columns_of) in ways.items():
        source = f"""
        __global__ void k(float* out, const float* a, int n) {{
          int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
          int y = blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + t;
          if (y >= n) return;
          float sum = 0;
          for ({head}) sum = sum * 0.5f + a[y * n + j];
          out[y] = sum;
        }}"""
        for n in (1, 5, 40, 130):
            a, out = (np.arange(n * n, dtype=np.float32) % 97).reshape(n, n), np.full(n, -1, np.float32)
            run(source, out, a, np.int32(n), grid=-(-n // run.threads))
            expected = np.zeros(n, np.float32)
            for y in range(n):
                for j in columns_of(y, n):
                    expected[y] = np.float32(np.float64(expected[y]) * 0.5 + a[y, j])
            run.same(out, expected, f"{way}, {n}")
