"""Arithmetic on bytes and shorts: C++ does it in 32 bits, whatever the compiler makes of it."""

import numpy as np
from harness import case, kernel


def bytes_of(run, factor, offset, dtype):
    return ((np.arange(run.threads) * factor + offset) % 256).astype(np.uint8).view(dtype)


@case
def differences_of_bytes(run):
    """Differences, magnitudes, saturation, averages: between -255 and 510."""
    a, b = bytes_of(run, 37, 11, np.uint8), bytes_of(run, 101, 250, np.uint8)
    out = np.zeros((4, run.threads), np.uint8)
    run(
        kernel(
            "const unsigned char* a, const unsigned char* b, unsigned char* out",
            """
            int d = a[t] - b[t], m = d < 0 ? -d : d;
            out[t] = m > 40 ? 255 : m * 3 >> 1;
            out[n + t] = (a[t] + b[t] + 1) >> 1;
            out[2 * n + t] = min(max(d * 2 + 100, 0), 255);
            out[3 * n + t] = (a[t] ^ b[t]) & ~(a[t] >> 3);
            """,
        ),
        a,
        b,
        out,
    )
    x, y = a.astype(int), b.astype(int)
    m = abs(x - y)
    expected = [
        np.where(m > 40, 255, m * 3 >> 1),
        (x + y + 1) >> 1,
        np.clip((x - y) * 2 + 100, 0, 255),
        (x ^ y) & ~(x >> 3) & 255,
    ]
    run.same(out, np.array(expected).astype(np.uint8))


@case
def distances(run):
    """Magnitudes of differences that have one bit more than what they are of: bytes and shorts, signed or not, mixed."""
    a, b = bytes_of(run, 37, 11, np.uint8), bytes_of(run, 101, 250, np.int8)
    s = ((np.arange(run.threads) * 7919 + 32768) % 65536).astype(np.uint16).view(np.int16)
    s[::7], b[::7] = -32768, -128
    u = s[::-1].view(np.uint16).copy()
    out = np.zeros((5, run.threads), np.int32)
    run(
        kernel(
            "const unsigned char* a, const signed char* b, const short* s, const unsigned short* u, int* out",
            """
            out[t] = abs(a[t] - b[t]);
            out[n + t] = (unsigned char)abs(b[t] - b[n - 1 - t]);
            out[2 * n + t] = abs(s[t] - s[n - 1 - t]);
            out[3 * n + t] = abs(u[t] - s[t]);
            out[4 * n + t] = (unsigned short)abs(u[t] - u[n - 1 - t]) + abs(a[t] - 255);
            """,
        ),
        a,
        b,
        s,
        u,
        out,
    )
    a, b, s, u = (v.astype(int) for v in (a, b, s, u))
    expected = [abs(a - b), abs(b - b[::-1]) & 255, abs(s - s[::-1]), abs(u - s), abs(u - u[::-1]) + abs(a - 255)]
    run.same(out, np.array(expected).astype(np.int32))


@case
def products_of_bytes(run):
    """Products of two fit into 16 bits as unsigned, of signed ones as signed, of three into neither."""
    a, b = bytes_of(run, 73, 200, np.uint8), bytes_of(run, 29, 127, np.int8)
    out = np.zeros((4, run.threads), np.int32)
    run(
        kernel(
            "const unsigned char* a, const signed char* b, int* out",
            """
            out[t] = a[t] * a[t];
            out[n + t] = b[t] * b[t] - a[t] * 128;
            out[2 * n + t] = a[t] * a[t] * b[t];
            out[3 * n + t] = (b[t] << 7) + (b[t] >> 2);
            """,
        ),
        a,
        b,
        out,
    )
    x, y = a.astype(int), b.astype(int)
    run.same(out, np.array([x * x, y * y - x * 128, x * x * y, (y << 7) + (y >> 2)]).astype(np.int32))


@case
def bytes_against_bounds(run):
    """Comparisons with bounds that are arguments, at and beyond what bytes and shorts can be."""
    a, s = bytes_of(run, 91, 3, np.uint8), ((np.arange(run.threads) * 7919) % 65536).astype(np.uint16).view(np.int16)
    for bound in (-(2**31), -32769, -32768, -1, 0, 128, 255, 256, 32767, 32768, 65535, 2**31 - 1):
        out = np.zeros(run.threads, np.int32)
        run(
            kernel(
                "const unsigned char* a, const short* s, int bound, int* out",
                """
                int x = a[t], y = s[t], d = a[t] - 100;
                out[t] = (x > bound) + 2 * (x <= bound) + 4 * (y >= bound) + 8 * (y < bound) + 16 * (x == bound) + 32 * (y != bound)
                  + 64 * (d < bound) + 128 * ((unsigned)x < (unsigned)bound) + 256 * ((unsigned)y > (unsigned)bound);
                """,
            ),
            a,
            s,
            np.int32(bound),
            out,
        )
        x, y = a.astype(int), s.astype(int)
        bits = [x > bound, x <= bound, y >= bound, y < bound, x == bound, y != bound, x - 100 < bound]
        bits += [x < bound % 2**32, y % 2**32 > bound % 2**32]
        run.same(out, sum(bit.astype(np.int32) << k for k, bit in enumerate(bits)))


@case
def one_bound_beside_a_type(run):
    """One comparison alone, of bytes and shorts with bounds that none of them is as well."""
    source = "__global__ void k(const T* a, unsigned char* out, int bound) { int t = THREAD; out[t] = a[t] ? 255 : 7; }"
    source = source.replace("THREAD", "threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)")
    types = {"unsigned char": np.uint8, "signed char": np.int8, "unsigned short": np.uint16, "short": np.int16}
    for spelled, dtype in types.items():
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        a = np.resize(np.array([least, most, least + 1, most - 1, 3, 100], dtype), run.threads)
        for asks, compare in (("<", np.less), ("<=", np.less_equal), (">", np.greater), (">=", np.greater_equal)):
            typed = source.replace("T*", f"{spelled}*").replace("a[t] ?", f"a[t] {asks} bound ?")
            for bound in (-(2**31), least - 1, least, 3, most, most + 1, 2**31 - 1):
                out = np.zeros(run.threads, np.uint8)
                run(typed, a, out, np.int32(bound))
                expected = np.where(compare(a.astype(int), bound), 255, 7).astype(np.uint8)
                run.same(out, expected, f"{spelled} {asks} {bound}")


@case
def shorts_that_wrap(run):
    """Sums of shorts do not wrap before they are stored."""
    a = ((np.arange(run.threads) * 7919 + 30000) % 65536).astype(np.uint16).view(np.int16)
    out, low = np.zeros((3, run.threads), np.int32), np.zeros(run.threads, np.int16)
    run(
        kernel(
            "const short* a, int* out, short* low",
            """
            out[t] = a[t] + a[t];
            out[n + t] = max(-a[t], a[t]) - 1;
            out[2 * n + t] = (unsigned short)a[t] + 1;
            low[t] = a[t] * 3 - 7;
            """,
        ),
        a,
        out,
        low,
    )
    x = a.astype(int)
    run.same(out, np.array([2 * x, abs(x) - 1, x % 65536 + 1]).astype(np.int32))
    run.same(low, (x * 3 - 7).astype(np.int64).astype(np.int16))


@case
def sums_weighted_as_bytes_allow(run):
    """Sums of products that just fit into 16 bits, with a sign and without, and that just do not; high bytes of them."""
    source = """
      __global__ void k(const unsigned char* p, unsigned char* high, int* out) {
        int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        int n = blockDim.x * blockDim.y * blockDim.z;
        int r = p[3 * t], g = p[3 * t + 1], b = p[3 * t + 2];
        high[t] = (66 * r + 129 * g + 25 * b + 128 >> 8) + 16;
        high[n + t] = (-38 * r - 74 * g + 112 * b + 128 >> 8) + 128;
        high[2 * n + t] = 200 * r + 100 * g - 99 * b >> 9;
        high[3 * n + t] = (unsigned char)(((r << 8) - (g << 4) * b) >> 8);
        int fits = 128 * r - 128 * g, wraps = 128 * r + 129 * g + b, below = -(r << 7) - g;
        out[t] = fits > b ? fits : -fits;
        out[n + t] = wraps >> 3;
        out[2 * n + t] = min(max(below >> 2, -8000), b * 2);
        out[3 * n + t] = abs((r - g) << 1) + abs(2 * (b - g)) + (fits == 0);
      }
    """
    n = run.threads
    pixels = np.random.default_rng(3).integers(0, 256, (n, 3)).astype(np.uint8)
    pixels[: min(n, 6)] = [[255] * 3, [0] * 3, [255, 0, 0], [0, 255, 0], [0, 0, 255], [0, 255, 255]][: min(n, 6)]
    high, out = np.zeros((4, n), np.uint8), np.zeros((4, n), np.int32)
    run(source, pixels, high, out)
    r, g, b = pixels.astype(int).T
    expected = [
        (66 * r + 129 * g + 25 * b + 128 >> 8) + 16,
        (-38 * r - 74 * g + 112 * b + 128 >> 8) + 128,
        200 * r + 100 * g - 99 * b >> 9,
        (r * 256 - g * 16 * b) >> 8,
    ]
    run.same(high, (np.array(expected) % 256).astype(np.uint8))
    fits = 128 * (r - g)
    expected = [
        np.where(fits > b, fits, -fits),
        (128 * r + 129 * g + b) >> 3,
        np.minimum(np.maximum((-128 * r - g) >> 2, -8000), b * 2),
        abs(2 * (r - g)) + abs(2 * (b - g)) + (fits == 0),
    ]
    run.same(out, np.array(expected).astype(np.int32))


@case
def bytes_of_pixels(run):
    """Members of pixels of two, three and four bytes or shorts: all, one, not from the first; guarded."""
    for spelled, dtype in (("unsigned char", np.uint8), ("short", np.int16)):
        for size in (2, 3, 4):
            source = f"""
              __global__ void k(const {spelled}* p, {spelled}* one, {spelled}* all, int count) {{
                int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
                if (t >= count) return;
                one[t] = p[{size} * t + {size - 1}] ^ 1;
                int sum = 0;
                for (int k = 0; k < {size}; ++k) sum += p[{size} * t + k];
                all[t] = sum >> 1;
              }}
            """
            for count in (0, 1, run.threads - 1, run.threads):
                p = (np.arange(count * size) * 71 + 5).astype(dtype)
                one, all_ = np.zeros((2, run.threads), dtype)
                run(source, p, one, all_, count)
                members = p.reshape(count, size).astype(np.int64)
                run.same(one[:count], members[:, size - 1].astype(dtype) ^ dtype(1), f"{spelled} of {size}")
                run.same(all_[:count], (members.sum(1) >> 1).astype(dtype), f"{spelled} of {size}")


RIMS = """
__global__ void k(const unsigned char* a, int* out, int n, int w, int h) {
  __shared__ unsigned char tile[7][19];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 17 + tx, y = blockIdx.y * 5 + ty;
  for (int ly = ty; ly < 7; ly += 5)
    for (int lx = tx; lx < 19; lx += 17) {
      const int gx = (int)blockIdx.x * 17 + lx - 1, gy = (int)blockIdx.y * 5 + ly - 1;
      tile[ly][lx] = gx >= 0 && gx < w && gy >= 0 && gy < h ? a[gy * w + gx] : 0;
    }
  __syncthreads();
  if (x >= w || y >= h) return;
  const int i = y * w + x;
  out[i] = tile[4 - ty][16 - tx] - a[(i + n - 3 % n) % n];
}
"""


@case(blocks=[(17, 5)])
def turned_tiles_with_a_rim(run):
    """Rows of 17 bytes and their rim, read backwards, less bytes of a ring: long vectors next to the parts of others."""
    w, h = 31, 20
    a = np.random.default_rng(4).integers(0, 256, (h, w)).astype(np.uint8)
    out = np.zeros((h, w), np.int32)
    run(RIMS, a, out, w * h, w, h, grid=(2, 4))
    padded = np.pad(a.astype(np.int32), ((1, 9), (1, 9)))
    y, x = np.mgrid[:h, :w]
    turned = padded[y // 5 * 5 + 4 - y % 5, x // 17 * 17 + 16 - x % 17]
    run.same(out, turned - a.reshape(-1)[(y * w + x - 3) % (w * h)])


@case
def searches_in_text(run):
    """A word at each place of a text: found or not, how often, how much of it; the loops end at another place each."""
    size, word = max(2 * run.threads - 3, 1), np.frombuffer(b"abaab", np.int8)
    text = np.random.default_rng(5).choice(np.frombuffer(b"ab", np.int8), size).copy()
    text[size // 3 : size // 3 + 5] = word[: len(text[size // 3 : size // 3 + 5])]
    found, lengths, counts = (
        np.zeros(2 * run.threads, np.int32),
        np.zeros(2 * run.threads, np.int32),
        np.zeros(3, np.int32),
    )
    parameters = "const char* text, const char* word, int m, int size, int* found, int* counts"
    bodies = {
        "found": "int j = 0; while (j < m && text[i + j] == word[j]) j++; found[i] = j == m;",
        "length": "int j = 0; while (j < m && text[i + j] == word[j]) j++; found[i] = j;",
        "count": "for (int j = 0; j < m; j++) if (text[i + j] != word[j]) return; atomicAdd(&counts[0], 3);",
        "words": "if (text[i] == 'a' && (i == 0 || text[i - 1] != 'a')) atomicAdd(&counts[1], 1);",
    }
    for what, body in bodies.items():
        source = kernel(parameters, f"const int i = blockIdx.x * n + t; if (i + m > size) return; {body}")
        run(source, text, word, len(word), size, lengths if what == "length" else found, counts, grid=2)
    shared = "__shared__ int c; if (t == 0) c = 0; __syncthreads(); const int i = blockIdx.x * n + t;"
    shared += "if (i < size && text[i] == 'b') atomicAdd(&c, 1); __syncthreads(); if (t == 0) atomicAdd(&counts[2], c);"
    run(kernel(parameters, shared), text, word, len(word), size, found, counts, grid=2)
    last = max(size - len(word) + 1, 0)
    equal = [text[i : i + len(word)] == word for i in range(last)]
    expected = np.zeros((2, 2 * run.threads), np.int32)
    expected[0, :last] = [e.all() for e in equal]
    expected[1, :last] = [np.argmin(np.append(e, False)) for e in equal]
    run.same(found, expected[0], "found")
    run.same(lengths, expected[1], "length")
    begins = (text[:last] == ord("a")) & (np.append(0, text[:last])[:last] != ord("a"))
    run.same(counts, [3 * expected[0].sum(), begins.sum(), (text == ord("b")).sum()], "counts")


@case
def distances_of_strings(run):
    """Levenshtein's distance of a string a thread from one that all share: a row of bytes, in registers."""
    length, word = 11, np.frombuffer(b"abacaba", np.uint8)
    strings = np.random.default_rng(7).choice(np.frombuffer(b"abc", np.uint8), (run.threads, length))
    source = kernel(
        "int* out, const unsigned char* strings, const unsigned char* word",
        f"""
        unsigned char row[{len(word) + 1}];
        for (int j = 0; j <= {len(word)}; ++j) row[j] = j;
        for (int i = 0; i < {length}; ++i) {{
          const unsigned char c = strings[t * {length} + i];
          int diagonal = row[0];
          row[0] = i + 1;
          for (int j = 0; j < {len(word)}; ++j) {{
            const int above = row[j + 1], v = min(min(row[j], above) + 1, diagonal + (c != word[j]));
            diagonal = above;
            row[j + 1] = v;
          }}
        }}
        out[t] = row[{len(word)}];
        """,
    )
    out = np.zeros(run.threads, np.int32)
    run(source, out, strings, word)
    row = np.tile(np.arange(len(word) + 1), (run.threads, 1))
    for i in range(length):
        above, row = row, np.full_like(row, i + 1)
        for j in range(len(word)):
            step = np.minimum(row[:, j], above[:, j + 1]) + 1
            row[:, j + 1] = np.minimum(step, above[:, j] + (strings[:, i] != word[j]))
    run.same(out, row[:, -1])
