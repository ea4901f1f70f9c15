"""Sums of the products of words' bytes, as quantised networks have them: `__dp4a`, and the same by hand."""

import numpy as np
from harness import case

DOTS = {
    "dp4a": ("int", "int", "sum = __dp4a(a[i], b[i], sum);"),
    "dp4a without signs": ("unsigned", "unsigned", "sum = __dp4a(a[i], b[i], unsigned(sum));"),
    "the second without a sign": (
        "int",
        "unsigned",
        "for (int k = 0; k < 4; k++) sum += (signed char)(a[i] >> 8 * k) * int(b[i] >> 8 * k & 255);",
    ),
    "some of the bytes": (
        "int",
        "int",
        "for (int k = 0; k < 3; k++) sum += (signed char)(a[i] >> 8 * k) * (signed char)(b[i] >> 8 * k);",
    ),
    "crossed bytes": (
        "int",
        "int",
        "for (int k = 0; k < 4; k++) sum += (signed char)(a[i] >> 8 * k) * (signed char)(b[i] >> (24 - 8 * k));",
    ),
    "bits of the first's bytes": ("int", "int", "sum = __dp4a(a[i] & 0x0f0f0f0f, b[i], sum);"),
    "bits of the second's bytes": ("int", "int", "sum = __dp4a(a[i], b[i] & 0x7f3f1f01, sum);"),
    "higher bits": ("int", "int", "sum = __dp4a(a[i] >> 4 & 0x0f0f0f0f, b[i], sum);"),
    "bits of both without signs": (
        "unsigned",
        "unsigned",
        "sum = __dp4a(a[i] & 0xf0f0f0f0u, b[i] & 0x8001ff7fu, unsigned(sum));",
    ),
    "one for all": ("int", "int", "sum = __dp4a(a[i], b[0], sum) + __dp4a(a[i], b[1], 1);"),
}
DOT = """
__global__ void k(const A* a, const B* b, int* out, int n, int turns) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  int sum = 2147483647 - t;
  for (int j = 0; j < turns; j++) {
    int i = j * n + t;
    TURN
  }
  out[t] = sum;
}"""


@case(blocks=[256, 64, 100], each=list(DOTS))
def products_of_bytes(run, name):
    """Sums of products of words' bytes, with and without signs, of the largest numbers, beyond the end of an int."""
    first, second, turn = DOTS[name]
    n, turns = 2 * run.threads + 5, 3
    rng = np.random.default_rng(n)
    a, b = (rng.integers(0, 2**32, n * turns, dtype=np.uint64).astype(np.uint32) for _ in range(2))
    for k, (p, q) in enumerate(((0x80808080, 0x80808080), (0x80808080, 0x7F7F7F7F), (0xFFFFFFFF, 0xFFFFFFFF), (0, 1))):
        a[k::9], b[k::9] = p, q
    out = np.zeros(n, np.int32)
    types = {"int": np.int32, "unsigned": np.uint32}
    source = DOT.replace("TURN", turn).replace("A*", f"{first}*").replace("B*", f"{second}*")
    run(
        source,
        a.view(types[first]),
        b.view(types[second]),
        out,
        np.int32(n),
        np.int32(turns),
        grid=-(-n // run.threads),
    )

    def bytes_of(words, kind):
        return words.view(np.int8 if kind == "int" else np.uint8).reshape(turns, n, 4).astype(np.int64)

    masks = {
        "bits of the first's bytes": (0x0F0F0F0F, ~0),
        "bits of the second's bytes": (~0, 0x7F3F1F01),
        "bits of both without signs": (0xF0F0F0F0, 0x8001FF7F),
    }
    of_a, of_b = (np.uint32(mask & 0xFFFFFFFF) for mask in masks.get(name, (~0, ~0)))
    x, y = bytes_of(a & of_a, first), bytes_of(b & of_b, second)
    if name == "higher bits":
        x = bytes_of(a >> np.uint32(4) & np.uint32(0x0F0F0F0F), first)
    total = 2147483647 - np.arange(n, dtype=np.int64)
    if name == "some of the bytes":
        x = x[..., :3]
        y = y[..., :3]
    if name == "crossed bytes":
        y = y[..., ::-1]
    if name == "one for all":
        y, z = y[0, 0], y[0, 1]
        total += (x * z).sum(axis=(0, 2)) + turns
    total += (x * y).sum(axis=(0, 2))
    run.same(out, total.astype(np.uint64).astype(np.uint32).view(np.int32))


@case(blocks=[(16, 16), (32, 8)], each=["16", "32"])
def products_of_tiles(run, name):
    """A product of matrices of bytes in tiles: a thread's sum takes as many words in a turn as a tile is wide."""
    width = int(name)
    rows, rng = 32, np.random.default_rng(width)
    a, b = (rng.integers(0, 2**32, (rows, 64), dtype=np.uint64).astype(np.uint32).view(np.int32) for _ in range(2))
    out = np.zeros((rows, rows), np.int32)
    run(
        f"#define W {width}\n"
        + """
__global__ void k(const int* a, const int* b, int* out, int n, int words) {
  __shared__ int s[32][W], t[32][W + 1];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * blockDim.y + y, sum = 0;
  for (int first = 0; first < words; first += W) {
    for (int i = x; i < W; i += blockDim.x) s[y][i] = a[row * words + first + i];
    for (int r = y; r < blockDim.x; r += blockDim.y)
      for (int i = x; i < W; i += blockDim.x) t[r][i] = b[(blockIdx.x * blockDim.x + r) * words + first + i];
    __syncthreads();
    for (int i = 0; i < W; i++) sum = __dp4a(s[y][i], t[x][i], sum);
    __syncthreads();
  }
  out[row * n + blockIdx.x * blockDim.x + x] = sum;
}""",
        a,
        b,
        out,
        np.int32(rows),
        np.int32(64),
        grid=(rows // run.block[0], rows // run.block[1]),
    )
    x, y = (words.view(np.int8).reshape(rows, -1).astype(np.int64) for words in (a, b))
    run.same(out, (x @ y.T).astype(np.int32))
