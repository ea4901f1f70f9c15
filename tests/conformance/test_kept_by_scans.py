"""Values that some threads keep, at places that a scan found: side by side, or nearly."""

import numpy as np
from harness import case

SCANS = {
    # A warp's, by shuffles; then the block's by atomics or by shared memory.
    "warp": """
      int up = kept;
      for (int d = 1; d < 32; d *= 2) {
        int below = __shfl_up_sync(0xffffffffu, up, d);
        if (lane >= d) up += below;
      }
      __shared__ int sums[33];
      if (lane == 31 || t == SIZE - 1) sums[t / 32] = up;
      __syncthreads();
      int place = up - kept;
      for (int w = 0; w < t / 32; w++) place += sums[w];
    """,
    "tile": """
      __shared__ int s[SIZE];
      s[t] = kept;
      __syncthreads();
      for (int d = 1; d < SIZE; d *= 2) {
        int below = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += below;
        __syncthreads();
      }
      int place = s[t] - kept;
    """,
}
# Places as they are found, every second one of them, and some of which lie elsewhere.
PLACES = {
    "side by side": ("place", lambda place, t: place),
    "far apart": ("2 * place", lambda place, t: 2 * place),
    "from below": ("place - 3", lambda place, t: place - 3),
    "but for one": ("place + (t == 37 ? 500 : 0)", lambda place, t: place + np.where(t == 37, 500, 0)),
}
SOURCE = """
__global__ void k(const TYPE* in, TYPE* out, int* from, TYPE limit) {
  const int t = threadIdx.x, lane = t % 32;
  out += 16, from += 16;
  const TYPE v = in[t];
  const int kept = v < limit;
  SCAN
  if (kept) {
    out[PLACE] = v;
    from[PLACE] = t;
  }
}"""
TYPES = {"int": np.int32, "double": np.float64, "float": np.float32, "unsigned short": np.uint16}


@case(blocks=[32, 64, 256, 100], each=[f"{scan}, {kind}" for scan in SCANS for kind in TYPES])
def kept_by_scans(run, name):
    scan, kind = name.split(", ")
    size = run.threads
    t = np.arange(size)
    values = np.random.default_rng(size).integers(0, 100, size).astype(TYPES[kind])
    source = SOURCE.replace("SCAN", SCANS[scan]).replace("TYPE", kind).replace("SIZE", str(size))
    for limit in (0, 40, 100):
        kept = values < limit
        place = np.cumsum(kept) - kept
        for where, (spelled, of) in PLACES.items():
            out, start = np.full(2 * size + 600, 77, TYPES[kind]), np.full(2 * size + 600, -1, np.int32)
            expected, expected_start = out.copy(), start.copy()
            run(source.replace("PLACE", spelled), values, out, start, TYPES[kind](limit))
            expected[16 + of(place, t)[kept]] = values[kept]
            expected_start[16 + of(place, t)[kept]] = t[kept]
            run.same(out, expected, f"{where}, {limit}")
            run.same(start, expected_start, f"{where}, {limit}")
