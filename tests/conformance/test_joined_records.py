"""Records that come from several places, guarded, chosen or looked up, and go on as a whole."""

import numpy as np
from harness import case

SOURCE = """
struct {align} R {{ {type} v[{members}]; }};
__global__ void k(const {type}* from_, const unsigned char* flags, const int* index, {type}* out_, int n) {{
  const R* from = (const R*)from_;
  R* out = (R*)out_;
  __shared__ R tile[256];
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  R guarded = {{}};
  if (t >= 2 && t < n - 3) guarded = from[t - 2];
  tile[threadIdx.x] = guarded;
  __syncthreads();
  if (t < n) {{
    out[t] = tile[blockDim.x - 1 - threadIdx.x];
    R chosen;
    if (flags[t]) chosen = from[t]; else chosen = from[n - 1 - t];
    out[n + t] = chosen;
    R last;
    memset(&last, 1, sizeof last);
    for (int i = 0; i < 3; i++)
      if (flags[(t + i) % n]) last = from[index[(t + i) % n]];
    out[2 * n + t] = last;
    out[3 * n + t] = flags[t] ? from[index[t]] : last;
    R through = from[index[n - 1 - t]];
    out[4 * n + t] = through;
  }}
}}"""

TYPES = {"unsigned char": np.uint8, "short": np.int16, "float": np.float32, "double": np.float64}
SHAPES = [(3, "unsigned char"), (5, "short"), (4, "float"), (9, "float"), (2, "double")]


def expected(source, flags, index, block, n):
    t = np.arange(n)
    at = t // block * block + block - 1 - t % block
    inside = (at >= 2) & (at < n - 3)
    guarded = np.where(inside[:, None], source[np.clip(at - 2, 0, n - 1)], source.dtype.type(0))
    chosen = np.where(flags[:, None] != 0, source, source[::-1])
    ones = np.full(source.nbytes // n, 1, np.uint8).view(source.dtype)
    last = np.broadcast_to(ones, source.shape)
    for i in range(3):
        j = (t + i) % n
        last = np.where(flags[j][:, None] != 0, source[index[j]], last)
    either = np.where(flags[:, None] != 0, source[index], last)
    return np.concatenate([guarded, chosen, last, either, source[index[::-1]]])


@case(blocks=[100])
def records_from_several_places(run):
    rng = np.random.default_rng(run.threads)
    n = 2 * run.threads - 5
    for members, name in SHAPES:
        dtype = np.dtype(TYPES[name])
        size = members * dtype.itemsize
        align = f"__align__({size})" if size in (8, 16) else ""
        source = rng.integers(0, 100, (n, members)).astype(dtype)
        flags, index = rng.integers(0, 2, n).astype(np.uint8), rng.integers(0, n, n).astype(np.int32)
        out = np.zeros((5 * n, members), dtype)
        text = SOURCE.format(align=align, type=name, members=members)
        run(text, source, flags, index, out, np.int32(n), grid=2)
        run.same(out, expected(source, flags, index, run.threads, n))
