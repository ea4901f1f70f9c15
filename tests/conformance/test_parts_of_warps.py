"""Teams of 2, 4, 8 and 16 threads of a warp combine a number each, and one of each team stores the result."""

import numpy as np
from harness import case

SOURCE = """
__device__ T both(T a, T b) { return COMBINED; }
__global__ void k(const T* in, T* out, T* all) {
  const int i = blockIdx.x * (blockDim.x * blockDim.y) + threadIdx.y * blockDim.x + threadIdx.x;
  T v = in[i];
  for (int o = W / 2; o > 0; o /= 2) v = both(v, EXCHANGE(0xffffffffu, v, o, W));
  if (i % W == STORES) out[i / W] = v;
  if (LOOKED_AT) all[i] = v;
}
"""
COMBINED = {"sum": "a + b", "most": "a > b ? a : b", "difference": "b - a"}


@case(blocks=[128, 64, 32, (8, 8), (32, 4)], each=[2, 4, 8, 16])
def one_of_each_team_stores(run, team):
    """Sums, maxima and differences of floats, ints and doubles; also where others look at the results as well."""
    rng = np.random.default_rng(team)
    n = 3 * run.threads
    for spelled, dtype in (("float", np.float32), ("int", np.int32), ("double", np.float64)):
        values = rng.integers(-1000, 1000, n).astype(dtype)
        for exchange in ("__shfl_xor_sync", "__shfl_down_sync"):
            for name, combined in COMBINED.items():
                source = (
                    f"#define T {spelled}\n#define W {team}\n#define EXCHANGE {exchange}\n#define COMBINED {combined}\n"
                )
                stores = team - 1 if "xor" in exchange else 0
                looked_at = "true" if name == "most" and spelled == "int" else "false"
                source += f"#define STORES {stores}\n#define LOOKED_AT {looked_at}\n{SOURCE}"
                out, every = np.zeros(n // team, dtype), np.zeros(n, dtype)
                run(source, values, out, every, grid=3)
                run.same(out, model(values.reshape(-1, team), exchange, name)[:, stores], f"{name} of {spelled}")


def model(v, exchange, name):
    """The same steps; a lane beyond its team keeps its own number."""
    team, step = v.shape[1], v.shape[1] // 2
    lanes = np.arange(team)
    while step:
        other = lanes ^ step if "xor" in exchange else np.where(lanes + step < team, lanes + step, lanes)
        b = v[:, other]
        v = {"sum": v + b, "most": np.maximum(v, b), "difference": b - v}[name]
        step //= 2
    return v
