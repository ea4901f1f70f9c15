"""Loops that lanes leave in different turns, by what they find, and together, by a limit that all share; and what is
asked behind them about the number with which each was left."""

import numpy as np
from harness import case, kernel

INT = np.int32

BODIES = {
    "is the end": "int j = 0; while (j < m && x[i + j] == w[j]) j++; out[i] = j == m;",
    "is less": "int j = 0; for (; j < m; j++) if (x[i + j] != w[j]) break; out[i] = j < m ? 5 : 7;",
    "number": "int j = 0; while (j < m && x[i + j] == w[j]) j++; out[i] = j;",
    "both": "int j = 0; while (j < m && x[i + j] == w[j]) j++; out[i] = j == m ? -1 : 3 * j;",
    "found": "int at = -1; for (int j = 0; j < m; j++) if (x[i + j] != w[j]) { at = j; break; } out[i] = at >= 0;",
    "until": "int j = 0; do { if (x[i + j] != w[j]) break; } while (++j < m); out[i] = j >= m;",
    "backwards": "int j = m - 1; while (j >= 0 && x[i + j] == w[j]) j--; out[i] = j < 0;",
    "wraps": "unsigned j = -3u; while (j != (unsigned)m && x[i + j + 3] == w[j + 3]) j++; out[i] = j == (unsigned)m;",
    "nested": """int k = 0, c = 0;
      for (; k < 3; k++) { int j = 0; while (j < m - k && x[i + k + j] == w[j]) j++; c += j == m - k; if (c > 1) break; }
      out[i] = c * 16 + (k == 3);""",
    "two ways": """int j = 0; bool odd = false;
      for (; j < m; j++) { if (x[i + j] != w[j]) break; if (x[i + j] == 3) { odd = true; break; } }
      out[i] = (j == m) + 2 * odd;""",
    "sums": """int j = 0, s = 0; for (; j < m; j++) { s += x[i + j] * (j + 1); if (s > 9 * m) break; }
      out[i] = j == m ? s : -s;""",
    "own limit": "int j = 0, e = i % 4 + m - 2; while (j < e && x[i + j] == w[j]) j++; out[i] = j == e;",
}


def model(what, x, w, m):
    """`out` at the place where `x` begins."""
    j = next((j for j in range(m) if x[j] != w[j]), max(m, 0))
    if what == "is the end":
        return j == m
    if what in ("until", "backwards"):
        return m <= 0 or j == m
    if what == "found":
        return j < m
    if what == "wraps":
        return all(x[: m + 3] == w[: m + 3])
    if what == "is less":
        return 5 if j < m else 7
    if what == "number":
        return j
    if what == "both":
        return -1 if j == m else 3 * j
    if what == "nested":
        c, k = 0, 0
        while k < 3:
            n = next((j for j in range(max(m - k, 0)) if x[k + j] != w[j]), max(m - k, 0))
            c += n == m - k
            if c > 1:
                break
            k += 1
        return c * 16 + (k == 3)
    if what == "two ways":
        j = next((j for j in range(m) if x[j] != w[j] or x[j] == 3), max(m, 0))
        return (j == m) + 2 * (j < m and x[j] == w[j])
    if what == "sums":
        s = j = 0
        while j < m:
            s += int(x[j]) * (j + 1)
            if s > 9 * m:
                break
            j += 1
        return s if j == m else -s
    raise AssertionError(what)


def own_limit(x, w, m, i):
    e = i % 4 + m - 2
    return next((j for j in range(e) if x[j] != w[j]), max(e, 0)) == e


def search(run, dtype, ctype, m):
    size = max(2 * run.threads - 5, 1)
    rng = np.random.default_rng(m + 7)
    w = rng.integers(1, 4, 16).astype(dtype)
    x = np.append(rng.integers(1, 4, size), np.zeros(24)).astype(dtype)
    for at in range(0, size - 16, 23):
        x[at : at + 16] = w
    for first in range(0, len(BODIES), 4):
        bodies = dict(list(BODIES.items())[first : first + 4])
        out = np.full((len(bodies), 2 * run.threads), 77, INT)
        source = kernel(
            f"const {ctype}* x, const {ctype}* w, int m, int size, int* out",
            "const int i = blockIdx.x * n + t; if (i >= size) return;"
            + " out += 2 * n;".join(f"{{ {body} }}" for body in bodies.values()),
        )
        run(source, x, w, m, size, out, grid=2)
        for what, row in zip(bodies, out, strict=True):
            one = own_limit if what == "own limit" else lambda x, w, m, i, what=what: model(what, x, w, m)
            expected = [one(x[i : i + 24], w, m, i) for i in range(size)]
            run.same(row[:size], np.array(expected, INT), f"{what}, {ctype}, {m}")
            run.same(row[size:], 77, f"beyond, {what}")


@case
def words_of_bytes(run):
    """A word at each place: found, how much of it, forwards and backwards; the word may be empty, and less than that."""
    for m in (8, 1, 0, -2):
        search(run, np.int8, "char", m)


@case
def words_of_numbers(run):
    """The same of shorts, ints, floats and doubles, whose masks have other widths."""
    for dtype, ctype in ((np.uint16, "unsigned short"), (INT, "int"), (np.float32, "float"), (np.float64, "double")):
        search(run, dtype, ctype, 6)


@case
def strings_to_their_end(run):
    """Comparisons that end with a string, each at a zero of its own, or with the other one's."""
    count = run.threads
    rng = np.random.default_rng(3)
    lengths = rng.integers(0, 7, count)
    text = np.zeros((count, 8), np.int8)
    for row, length in zip(text, lengths, strict=True):
        row[:length] = rng.integers(97, 99, length)
    one = np.frombuffer(b"abab\0\0\0\0", np.int8)
    out = np.zeros((2, count), INT)
    source = kernel(
        "const char* text, const char* one, int* out",
        """
  const char* s = text + 8 * t;
  int j = 0;
  while (s[j] && s[j] == one[j]) j++;
  out[t] = s[j] - one[j];
  j = 0;
  while (one[j] && s[j] == one[j]) j++;
  out[n + t] = one[j] == 0;
""",
    )
    run(source, text, one, out)
    expected = np.zeros((2, count), INT)
    for i, row in enumerate(text):
        j = next(j for j in range(8) if row[j] == 0 or row[j] != one[j])
        expected[0, i] = int(row[j]) - int(one[j])
        expected[1, i] = bytes(row).startswith(b"abab")
    run.same(out, expected)
