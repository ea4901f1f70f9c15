"""Quotients and remainders by what the program chooses between 1 and a size: no guard against 0."""

import numpy as np
from harness import case

PLACES = {
    "next on a ring": ("(i + 1) % m", lambda i, m, n: (i + 1) % m),
    "one before": ("(i + n - 1) % m", lambda i, m, n: (i + n - 1) % m),
    "row": ("i / m", lambda i, m, n: i // m),
    "column": ("i % m", lambda i, m, n: i % m),
    "both": ("i / m * 1000 + i % m", lambda i, m, n: i // m * 1000 + i % m),
}
CHOICES = {
    "by an argument": "g == 1 ? 1 : n",
    "by what is found": "f[i] == 1 ? 1 : n",
    "by a half": "g > 0 ? 1 : n / 2",
    "unsigned": "unsigned(g == 1 ? 1 : n)",
}
SOURCE = """
__global__ void k(const int* f, int* out, int n, int g) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    TYPE m = CHOICE;
    out[i] = PLACE;
  }
}"""


@case(blocks=[256, 64, 100], each=list(PLACES))
def chosen_divisors(run, name):
    place, expected = PLACES[name]
    n = 2 * run.threads - 3
    i = np.arange(n)
    for kind, choice in CHOICES.items():
        word = "unsigned" if kind == "unsigned" else "int"
        source = SOURCE.replace("CHOICE", choice).replace("PLACE", place).replace("TYPE", word)
        for g in (1, 0):
            f = np.where(i % 3 == 0, 1, 0).astype(np.int32) if g else np.zeros(n, np.int32)
            out = np.zeros(n, np.int32)
            run(source, f, out, np.int32(n), np.int32(g), grid=2)
            one = f == 1 if kind == "by what is found" else np.full(n, g == 1)
            m = np.where(one, 1, n // 2 if kind == "by a half" else n)
            run.same(out, expected(i, m, n), f"{kind}, {g}")
