"""The edges of an array, as programmers write them: the same neighbours by choices, clamps, guards, masks and pointers."""

import numpy as np
from harness import case

SHAPES = ((64, 1, 1), (100, 1, 1), (256, 1, 1), (32, 8, 1))

CLAMPED = {
    "min and max": "out[i] = a[max(i - 1, 0)] * 3 + a[i] + a[min(i + 1, n - 1)] * 5;",
    "choices of indices": "out[i] = a[i > 0 ? i - 1 : 0] * 3 + a[i] + a[i < n - 1 ? i + 1 : n - 1] * 5;",
    "turned round": "out[i] = a[i - 1 < 0 ? 0 : i - 1] * 3 + a[i] + a[i + 1 >= n ? n - 1 : i + 1] * 5;",
    "for equality": "out[i] = a[i == 0 ? 0 : i - 1] * 3 + a[i] + a[i == n - 1 ? i : i + 1] * 5;",
    "choices of values": "int l = i > 0 ? a[i - 1] : a[0], r = i < n - 1 ? a[i + 1] : a[n - 1]; out[i] = l * 3 + a[i] + r * 5;",
    "statements": "int l = i - 1, r = i + 1; if (l < 0) l = 0; if (r >= n) r = n - 1; out[i] = a[l] * 3 + a[i] + a[r] * 5;",
    "branches": """int s = a[i];
        if (i > 0) s += a[i - 1] * 3; else s += a[0] * 3;
        if (i + 1 < n) s += a[i + 1] * 5; else s += a[n - 1] * 5;
        out[i] = s;""",
    "pointers": "const int* p = a + i; int l = i > 0 ? p[-1] : p[0], r = i + 1 < n ? p[1] : p[0]; out[i] = l * 3 + *p + r * 5;",
    "steps": "int l = i - (i > 0), r = i + (i < n - 1); out[i] = a[l] * 3 + a[i] + a[r] * 5;",
    "a loop": "int s = 0; for (int d = -1; d <= 1; ++d) s += a[min(max(i + d, 0), n - 1)] * (d < 0 ? 3 : d ? 5 : 1); out[i] = s;",
    "unsigned": "unsigned u = i, m = n; out[i] = a[u > 0 ? u - 1 : 0] * 3 + a[u] + a[u + 1 < m ? u + 1 : m - 1] * 5;",
    "size_t": "size_t u = i, m = n; out[i] = a[u > 0 ? u - 1 : 0] * 3 + a[u] + a[u + 1 < m ? u + 1 : m - 1] * 5;",
}
MIRRORED = {
    "both": """int l = abs(i - 1), r = abs(i + 1);
        if (l >= n) l = 2 * n - 2 - l;
        if (r >= n) r = 2 * n - 2 - r;
        out[i] = a[l] * 3 + a[i] + a[r] * 5;""",
    "abs": "int r = i + 1; if (r >= n) r = 2 * n - 2 - r; out[i] = a[abs(i - 1)] * 3 + a[i] + a[r] * 5;",
    "choices": "out[i] = a[i < 1 ? 1 - i : i - 1] * 3 + a[i] + a[i + 1 < n ? i + 1 : n - 2] * 5;",
    "values": "int l = i ? a[i - 1] : a[1], r = i < n - 1 ? a[i + 1] : a[n - 2]; out[i] = l * 3 + a[i] + r * 5;",
}
WRAPPED = {
    "remainders": "out[i] = a[(i - 1 + n) % n] * 3 + a[i] + a[(i + 1) % n] * 5;",
    "choices": "out[i] = a[i == 0 ? n - 1 : i - 1] * 3 + a[i] + a[i == n - 1 ? 0 : i + 1] * 5;",
    "statements": "int l = i - 1, r = i + 1; if (l < 0) l += n; if (r >= n) r -= n; out[i] = a[l] * 3 + a[i] + a[r] * 5;",
    "pointers": "const int *l = i ? a + i - 1 : a + n - 1, *r = i + 1 < n ? a + i + 1 : a; out[i] = *l * 3 + a[i] + *r * 5;",
}
MASKED = {
    "masks": "out[i] = a[(i - 1) & (n - 1)] * 3 + a[i] + a[(i + 1) & (n - 1)] * 5;",
    "unsigned": "unsigned m = n - 1, u = i; out[i] = a[(u - 1) & m] * 3 + a[u] + a[(u + 1u) & m] * 5;",
}
DROPPED = {
    "choices": "int l = i > 0 ? a[i - 1] : 0, r = i < n - 1 ? a[i + 1] : 0; out[i] = l * 3 + a[i] + r * 5;",
    "a loop": "int s = 0; for (int d = -1; d <= 1; ++d) { int j = i + d; if (j >= 0 && j < n) s += a[j] * (d < 0 ? 3 : d ? 5 : 1); } out[i] = s;",
    "without a sign": "int s = a[i]; unsigned l = i - 1, r = i + 1, m = n; if (l < m) s += a[l] * 3; if (r < m) s += a[r] * 5; out[i] = s;",
    "continue": "int s = 0; for (int d = -1; d <= 1; ++d) { int j = i + d; if (j < 0 || j >= n) continue; s += a[j] * (d < 0 ? 3 : d ? 5 : 1); } out[i] = s;",
}
REVERSED = {
    "index": "int j = n - 1 - i; out[j] = a[j] * 2 + i;",
    "pointers": "const int* p = a + n - 1; int* o = out + n - 1; o[-i] = p[-i] * 2 + i;",
    "guarded itself": "int j = n - 1 - i; if (j >= 0) out[j] = a[j] * 2 + i;",
}


def check(run, ways, expected, sizes):
    threads = run.threads
    for way, body in ways.items():
        source = f"""
        __global__ void k(int* out, const int* a, int n) {{
          int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
          int i = blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + t;
          if (i < n) {{ {body} }}
        }}"""
        for n in sizes:
            a, out = np.arange(n, dtype=np.int32) * 7 + 1, np.full(n, -1, np.int32)
            run(source, out, a, np.int32(n), grid=-(-n // threads))
            run.same(out, expected(a, np.arange(n), n).astype(np.int32), f"{way}, {n}")


def neighbours(left, right):
    return lambda a, i, n: a[left(i, n)] * 3 + a + a[right(i, n)] * 5


@case(blocks=SHAPES)
def clamped(run):
    """Beyond an edge its own element."""
    expected = neighbours(lambda i, n: np.maximum(i - 1, 0), lambda i, n: np.minimum(i + 1, n - 1))
    check(run, CLAMPED, expected, (1, 2, run.threads, 3 * run.threads - 5))


@case(blocks=SHAPES)
def mirrored(run):
    """Beyond an edge the element as far inside."""
    expected = neighbours(lambda i, n: np.abs(i - 1), lambda i, n: np.where(i + 1 < n, i + 1, n - 2))
    check(run, MIRRORED, expected, (2, 3, run.threads, 3 * run.threads - 5))


@case(blocks=SHAPES)
def wrapped(run):
    """Beyond an edge the other one's element."""
    expected = neighbours(lambda i, n: (i - 1) % n, lambda i, n: (i + 1) % n)
    check(run, WRAPPED, expected, (1, 2, run.threads, 3 * run.threads - 5))


@case(blocks=SHAPES)
def masked(run):
    """The same of powers of two that the launch knows."""
    expected = neighbours(lambda i, n: (i - 1) % n, lambda i, n: (i + 1) % n)
    check(run, MASKED, expected, (1, 2, 64, 512))


@case(blocks=SHAPES)
def masks_that_leave_holes(run):
    """`(i + 1) & mask` of masks that are no power of two less one."""
    source = """
    __global__ void k(int* out, const int* a, int n, int mask) {
      int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
      int i = blockIdx.x * (blockDim.x * blockDim.y * blockDim.z) + t;
      if (i < n) out[i] = a[(i + 1) & mask] * 3 + a[i] + a[(i + 5) & mask];
    }"""
    n = 4 * run.threads
    a, i = np.arange(n, dtype=np.int32) * 7 + 1, np.arange(n)
    for mask in (n - 1, 0, 1, 15, 16, 48, 0x2F, 31, ~1, -1):
        mask = mask if 0 <= mask < n else mask & 63
        out = np.full(n, -1, np.int32)
        run(source, out, a, np.int32(n), np.int32(mask), grid=4)
        run.same(out, a[(i + 1) & mask] * 3 + a + a[(i + 5) & mask], f"mask {mask}")


@case(blocks=SHAPES)
def dropped(run):
    """Beyond an edge nothing."""

    def expected(a, i, n):
        left = np.where(i > 0, a[np.maximum(i - 1, 0)], 0)
        right = np.where(i < n - 1, a[np.minimum(i + 1, n - 1)], 0)
        return left * 3 + a + right * 5

    check(run, DROPPED, expected, (1, 2, run.threads, 3 * run.threads - 5))


@case(blocks=SHAPES)
def turned_round(run):
    """From the last element to the first."""
    check(run, REVERSED, lambda a, i, n: a * 2 + (n - 1 - i), (1, 2, run.threads, 3 * run.threads - 5))
