"""Filters with phases: outputs at quotients of their index, weights by its remainder."""

import numpy as np
from harness import case

RESAMPLE = """
template <class T, int UP, int DOWN, int TAPS>
__global__ void resample(T* out, const T* in, const float* phases, int n_in, int n_out) {
  __shared__ float h[UP * TAPS];
  for (int i = threadIdx.x; i < UP * TAPS; i += blockDim.x) h[i] = phases[i];
  __syncthreads();
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= n_out) return;
  const int phase = DOWN * n % UP, base = DOWN * n / UP;
  float sum = 0;
  for (int k = 0; k < TAPS; ++k) {
    const int i = base - k + TAPS / 2;
    if (i >= 0 && i < n_in) sum += h[phase * TAPS + k] * in[i];
  }
  out[n] = (T)sum;
}
"""
KINDS = [("short", np.int16), ("unsigned char", np.uint8), ("float", np.float32)]


@case(blocks=[32, 64, 100, 256])
def outputs_of_a_few_phases(run):
    rng = np.random.default_rng(run.threads)
    for up, down, taps in ((3, 2, 24), (2, 1, 7), (4, 3, 30), (5, 4, 9)):
        for name, kind in KINDS:
            n_in = 400
            n_out = n_in * up // down
            phases = rng.integers(0, 3, (up, taps)).astype(np.float32)
            signal = rng.integers(0, 3, n_in).astype(kind)
            out = np.zeros(n_out, kind)
            name = f"resample<{name}, {up}, {down}, {taps}>"
            grid = -(-n_out // run.threads)
            run(RESAMPLE, out, signal, phases, np.int32(n_in), np.int32(n_out), grid=grid, names=[name])
            n = np.arange(n_out)[:, None]
            i = down * n // up - np.arange(taps) + taps // 2
            inside = (i >= 0) & (i < n_in)
            terms = np.where(inside, signal[np.clip(i, 0, n_in - 1)].astype(np.int64), 0) * phases[down * n[:, 0] % up]
            run.same(out, terms.sum(1).astype(kind))


ENLARGE = """
template <class T, int UP, int TAPS>
__global__ void enlarge(float* out, const T* in, const float* weights, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int phase = i % UP, base = i / UP;
  float sum = 0;
  for (int k = 0; k < TAPS; ++k) sum += in[base + k] * weights[phase * TAPS + k];
  out[i] = sum;
}
"""


@case(blocks=[32, 100, 256])
def rows_that_lanes_share(run):
    rng = np.random.default_rng(run.threads)
    for up, taps in ((2, 40), (3, 40), (3, 7), (4, 19), (5, 40)):
        for name, kind in KINDS:
            n = 3 * run.threads - 5
            weights = rng.integers(0, 3, (up, taps)).astype(np.float32)
            signal = rng.integers(0, 3, n // up + taps + 1).astype(kind)
            out = np.zeros(n, np.float32)
            run(ENLARGE, out, signal, weights, np.int32(n), grid=3, names=[f"enlarge<{name}, {up}, {taps}>"])
            i = np.arange(n)
            terms = signal[i[:, None] // up + np.arange(taps)].astype(np.float32) * weights[i % up]
            run.same(out, terms.sum(1))
