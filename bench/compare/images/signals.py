"""Sound: mel bands, equalisers, resampling."""

import math

import numpy as np
from cases import case
from images.common import TRANSPOSE16, blocks, f32, i32, rng

# 17. mel spectrogram

FRAMES, BINS, MELS = 512, 257, 80


def mel_filters() -> tuple[np.ndarray, np.ndarray]:
    hz = 700 * (10 ** (np.linspace(0, 2595 * math.log10(1 + 8000 / 700), MELS + 2) / 2595) - 1)
    bins = np.arange(BINS) * 16000 / 512
    rise = (bins[None] - hz[:-2, None]) / (hz[1:-1] - hz[:-2])[:, None]
    fall = (hz[2:, None] - bins[None]) / (hz[2:] - hz[1:-1])[:, None]
    weights = np.maximum(0, np.minimum(rise, fall)).astype(f32)
    ranges = np.zeros((MELS, 2), i32)
    for m in range(MELS):
        used = np.flatnonzero(weights[m])
        ranges[m] = (used[0], used[-1] + 1) if used.size else (0, 0)
    return weights, ranges


weights, ranges = mel_filters()
case(
    "log mel bands from power spectra",
    r"""
__global__ void log_mel(const float *power, const float *filters, const int2 *ranges, float *mel, int frames, int bins) {
  const int frame = blockIdx.x * blockDim.x + threadIdx.x;
  const int band = blockIdx.y;
  if (frame >= frames) return;
  const int2 range = ranges[band];
  float energy = 0.0f;
  for (int k = range.x; k < range.y; k++) energy += filters[band * bins + k] * power[frame * bins + k];
  mel[band * frames + frame] = log10f(fmaxf(energy, 1e-10f));
}
""",
    TRANSPOSE16
    + r"""
// natural logarithm of positive normal numbers
static inline __m512 logarithm(__m512 x) {
  __m512 e = _mm512_getexp_ps(x), m = _mm512_getmant_ps(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_zero);
  // the mantissa is in [0.75, 1.5): the exponent follows it
  e = _mm512_mask_add_ps(e, _mm512_cmp_ps_mask(m, _mm512_set1_ps(1), _CMP_LT_OQ), e, _mm512_set1_ps(1));
  __m512 f = _mm512_sub_ps(m, _mm512_set1_ps(1)), g = _mm512_mul_ps(f, f);
  __m512 p = _mm512_set1_ps(7.0376836292e-2f);
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(-1.1514610310e-1f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(1.1676998740e-1f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(-1.2420140846e-1f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(1.4249322787e-1f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(-1.6668057665e-1f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(2.0000714765e-1f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(-2.4999993993e-1f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(3.3333331174e-1f));
  __m512 y = _mm512_fmadd_ps(_mm512_mul_ps(p, f), g, _mm512_fnmadd_ps(g, _mm512_set1_ps(0.5f), f));
  return _mm512_fmadd_ps(e, _mm512_set1_ps(0.69314718f), y);
}
void twin(const float *power, const float *filters, const int *ranges, float *mel, int frames, int bins) {
  // 16 frames at once, turned
  alignas(64) static float turned[1024][16];
  for (int f = 0; f < frames; f += 16) {
    int k = 0;
    for (; k + 16 <= bins; k += 16) {
      __m512 r[16];
      for (int i = 0; i < 16; ++i) r[i] = _mm512_loadu_ps(power + (f + i) * bins + k);
      transpose16(r);
      for (int i = 0; i < 16; ++i) _mm512_store_ps(turned[k + i], r[i]);
    }
    for (; k < bins; ++k)
      for (int i = 0; i < 16; ++i) turned[k][i] = power[(f + i) * bins + k];
    for (int band = 0; band < 80; ++band) {
      __m512 sum = _mm512_setzero_ps();
      for (int j = ranges[2 * band]; j < ranges[2 * band + 1]; ++j)
        sum = _mm512_fmadd_ps(_mm512_set1_ps(filters[band * bins + j]), _mm512_load_ps(turned[j]), sum);
      __m512 l = logarithm(_mm512_max_ps(sum, _mm512_set1_ps(1e-10f)));
      _mm512_storeu_ps(mel + band * frames + f, _mm512_mul_ps(l, _mm512_set1_ps(0.43429448f)));
    }
  }
}
""",
    [
        rng.exponential(1, (FRAMES, BINS)).astype(f32),
        weights,
        ranges.view("V8"),
        np.zeros((MELS, FRAMES), f32),
        i32(FRAMES),
        i32(BINS),
    ],
    (blocks(FRAMES, 128), MELS),
    128,
    results=[3],
)

# 18. IIR filters, a thread per channel

CHANNELS, STEPS = 128, 512
case(
    "equaliser, 4 biquads, thread per channel",
    r"""
struct Section {
  double b0, b1, b2, a1, a2;
};
__constant__ Section sections[4] = {{1.02, -1.85, 0.86, -1.86, 0.88},
                                    {0.98, -1.52, 0.72, -1.54, 0.71},
                                    {1.05, -0.90, 0.45, -0.92, 0.49},
                                    {0.60, 0.30, 0.10, -0.20, 0.15}};

__global__ void equalise(const float *in, float *out, int channels, int steps) {
  int ch = blockIdx.x * blockDim.x + threadIdx.x;
  if (ch >= channels) return;
  double z[4][2];
  for (int s = 0; s < 4; s++) z[s][0] = z[s][1] = 0.0;
  for (int t = 0; t < steps; t++) {
    double x = in[t * channels + ch];
    for (int s = 0; s < 4; s++) {
      const Section &q = sections[s];
      double y = q.b0 * x + z[s][0];
      z[s][0] = q.b1 * x - q.a1 * y + z[s][1];
      z[s][1] = q.b2 * x - q.a2 * y;
      x = y;
    }
    out[t * channels + ch] = (float)x;
  }
}
""",
    r"""
static const double sections[4][5] = {{1.02, -1.85, 0.86, -1.86, 0.88},
                                      {0.98, -1.52, 0.72, -1.54, 0.71},
                                      {1.05, -0.90, 0.45, -0.92, 0.49},
                                      {0.60, 0.30, 0.10, -0.20, 0.15}};
void twin(const float *__restrict in, float *__restrict out, int channels, int steps) {
  for (int c = 0; c < channels; c += 16) {
    __m512d z0[4][2], z1[4][2];
    for (int s = 0; s < 4; ++s)
      for (int k = 0; k < 2; ++k) z0[s][k] = z1[s][k] = _mm512_setzero_pd();
    for (int t = 0; t < steps; ++t) {
      __m512 both = _mm512_loadu_ps(in + t * channels + c);
      __m512d x[2] = {_mm512_cvtps_pd(_mm512_castps512_ps256(both)), _mm512_cvtps_pd(_mm512_extractf32x8_ps(both, 1))};
#pragma GCC unroll 4
      for (int s = 0; s < 4; ++s) {
        const double *q = sections[s];
#pragma GCC unroll 2
        for (int k = 0; k < 2; ++k) {
          __m512d y = _mm512_fmadd_pd(_mm512_set1_pd(q[0]), x[k], z0[s][k]);
          z0[s][k] = _mm512_fmadd_pd(_mm512_set1_pd(-q[3]), y, _mm512_fmadd_pd(_mm512_set1_pd(q[1]), x[k], z1[s][k]));
          z1[s][k] = _mm512_fmadd_pd(_mm512_set1_pd(-q[4]), y, _mm512_mul_pd(_mm512_set1_pd(q[2]), x[k]));
          x[k] = y;
        }
      }
      _mm256_storeu_ps(out + t * channels + c, _mm512_cvtpd_ps(x[0]));
      _mm256_storeu_ps(out + t * channels + c + 8, _mm512_cvtpd_ps(x[1]));
    }
  }
}
""",
    [rng.normal(0, 1, (STEPS, CHANNELS)).astype(f32), np.zeros((STEPS, CHANNELS), f32), i32(CHANNELS), i32(STEPS)],
    2,
    64,
)

# 19. resampling of audio

N = 65536
TAPS = 24
phases = np.sinc((np.arange(3 * TAPS) - 1.5 * TAPS + 0.5) / 3.2) * np.hanning(3 * TAPS)
phases = (phases.reshape(TAPS, 3).T / phases.sum() * 3).astype(f32).copy()
case(
    "resample 3:2, polyphase, shorts",
    r"""
#define TAPS 24

__global__ void resample(const short *in, const float *phases, short *out, int n_in, int n_out) {
  __shared__ float h[3 * TAPS];
  if (threadIdx.x < 3 * TAPS) h[threadIdx.x] = phases[threadIdx.x];
  __syncthreads();
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= n_out) return;
  const int phase = (2 * n) % 3;
  const int base = (2 * n) / 3;
  float sum = 0.f;
  for (int k = 0; k < TAPS; ++k) {
    const int i = base - k + TAPS / 2;
    if (i >= 0 && i < n_in) sum += h[phase * TAPS + k] * in[i];
  }
  sum = fminf(fmaxf(sum, -32768.f), 32767.f);
  out[n] = (short)__float2int_rn(sum);
}
""",
    r"""
void twin(const int16_t *in, const float *phases, int16_t *out, int n_in, int n_out) {
  // outputs 3j, 3j + 1, 3j + 2 have phases 0, 2, 1 and bases 2j, 2j, 2j + 1; even and odd samples lie apart
  constexpr int CHUNK = 1024;
  alignas(64) static float parts[2][16 + CHUNK + 32];
  float *even = parts[0] + 16, *odd = parts[1] + 16;
  const int half = n_in / 2;
  // of a = (phase 0, phase 2) and of b = (phase 1)
  alignas(64) int16_t places[64] = {};
  for (int i = 0; i < 48; ++i) places[i] = int16_t(16 * (i % 3) + i / 3);
  const __m512i first = _mm512_load_si512(places), second = _mm512_load_si512(places + 32);
  auto finish = [](__m512 v) { return _mm512_cvtsepi32_epi16(_mm512_cvtps_epi32(v)); };
  for (int start = 0; start < half; start += CHUNK) {
    // 16 before and after the chunk, zeros outside
    for (int i = -16; i < CHUNK + 16; i += 16) {
      __m512i pairs = start + i < 0 || start + i >= half ? _mm512_setzero_si512() : _mm512_loadu_si512(in + 2 * (start + i));
      _mm512_store_ps(even + i, _mm512_cvtepi32_ps(_mm512_srai_epi32(_mm512_slli_epi32(pairs, 16), 16)));
      _mm512_store_ps(odd + i, _mm512_cvtepi32_ps(_mm512_srai_epi32(pairs, 16)));
    }
    for (int j = 0; j < CHUNK && 3 * (start + j) < n_out; j += 64) {
      __m512 sums[4][3];
      for (int u = 0; u < 4; ++u)
        for (int p = 0; p < 3; ++p) sums[u][p] = _mm512_setzero_ps();
      // sample 2j + s, s from 13 down to -11
#pragma GCC unroll 25
      for (int s = 13; s >= -11; --s) {
        const float *from = (s & 1 ? odd : even) + j + (s >> 1);
#pragma GCC unroll 4
        for (int u = 0; u < 4; ++u) {
          __m512 x = _mm512_loadu_ps(from + 16 * u);
          if (s <= 12) {
            sums[u][0] = _mm512_fmadd_ps(_mm512_set1_ps(phases[12 - s]), x, sums[u][0]);
            sums[u][1] = _mm512_fmadd_ps(_mm512_set1_ps(phases[2 * 24 + 12 - s]), x, sums[u][1]);
          }
          if (s >= -10) sums[u][2] = _mm512_fmadd_ps(_mm512_set1_ps(phases[24 + 13 - s]), x, sums[u][2]);
        }
      }
      for (int u = 0; u < 4; ++u) {
        const int n = 3 * (start + j + 16 * u);
        __m512i a = _mm512_inserti64x4(_mm512_castsi256_si512(finish(sums[u][0])), finish(sums[u][1]), 1);
        __m512i b = _mm512_castsi256_si512(finish(sums[u][2]));
        __m512i x = _mm512_permutex2var_epi16(a, first, b), y = _mm512_permutex2var_epi16(a, second, b);
        if (n_out - n >= 48) {
          _mm512_storeu_si512(out + n, x);
          _mm256_storeu_si256((__m256i *)(out + n + 32), _mm512_castsi512_si256(y));
        } else {
          int16_t last[64];
          _mm512_storeu_si512(last, x);
          _mm512_storeu_si512(last + 32, y);
          for (int i = 0; i < n_out - n; ++i) out[n + i] = last[i];
        }
      }
    }
  }
}
""",
    [
        np.clip(12000 * np.sin(np.arange(N) / 9) + rng.normal(0, 2000, N), -32768, 32767).astype(np.int16),
        phases,
        np.zeros(N * 3 // 2, np.int16),
        i32(N),
        i32(N * 3 // 2),
    ],
    blocks(N * 3 // 2, 256),
    256,
    tolerance=2e-4,
)
