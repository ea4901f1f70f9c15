"""Options."""

import numpy as np
from cases import case
from science.common import floats

# 8. Asian option by Monte-Carlo: xorshift and Box-Muller in every thread
N = 4096
case(
    "Asian option, xorshift and Box-Muller",
    r"""
struct Rng {
  unsigned int s;
  __device__ explicit Rng(unsigned int seed) : s(seed * 747796405u + 2891336453u) {
    s = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
    s = (s >> 22) ^ s;
    if (s == 0) s = 1;
  }
  __device__ float uniform() {
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return ((s >> 8) + 0.5f) * (1.0f / 16777216.0f);
  }
  __device__ float normal() {
    float u1 = uniform(), u2 = uniform();
    return sqrtf(-2.0f * logf(u1)) * cosf(6.2831853f * u2);
  }
};

__global__ void asian(float *payoff, int paths, int steps, float spot, float strike, float drift, float vol) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= paths) return;
  Rng rng(p + 1);
  float s = spot, sum = 0.0f;
  for (int t = 0; t < steps; t++) {
    s *= expf(drift + vol * rng.normal());
    sum += s;
  }
  payoff[p] = fmaxf(sum / steps - strike, 0.0f);
}
""",
    r"""
void twin(float *__restrict payoff, int paths, int steps, float spot, float strike, float drift, float vol) {
  constexpr int B = 64;
  for (int p0 = 0; p0 < paths; p0 += B) {
    unsigned state[B];
    float s[B], sum[B];
#pragma omp simd
    for (int l = 0; l < B; l++) {
      unsigned v = (unsigned)(p0 + l + 1) * 747796405u + 2891336453u;
      v = ((v >> ((v >> 28) + 4)) ^ v) * 277803737u;
      v = (v >> 22) ^ v;
      state[l] = v == 0 ? 1 : v;
      s[l] = spot, sum[l] = 0;
    }
    for (int t = 0; t < steps; t++) {
#pragma omp simd
      for (int l = 0; l < B; l++) {
        unsigned v = state[l];
        v ^= v << 13, v ^= v >> 17, v ^= v << 5;
        const float u = ((float)(int)(v >> 8) + 0.5f) * (1.0f / 16777216.0f);
        v ^= v << 13, v ^= v >> 17, v ^= v << 5;
        state[l] = v;
        // the logarithm: mantissa in [sqrt(1/2), sqrt(2)), an odd series of (m - 1) / (m + 1)
        int bits;
        memcpy(&bits, &u, 4);
        const int e = (bits - 0x3f3504f3) >> 23;
        const int mb = bits - (e << 23);
        float m;
        memcpy(&m, &mb, 4);
        const float q = (m - 1.f) / (m + 1.f), q2 = q * q;
        const float log1 = 2.f * q * (1.f + q2 * (1.f / 3 + q2 * (0.2f + q2 * (1.f / 7 + q2 * (1.f / 9))))) + e * 0.69314718f;
        const float radius = std::sqrt(-2.f * log1);
        // the cosine of 2 pi w: as sin(2 pi d), |d| <= 1/4, with d = |w - 1/2| - 1/4
        const float w = ((float)(int)(v >> 8) + 0.5f) * (1.0f / 16777216.0f);
        const float d = std::fabs(w - 0.5f) - 0.25f, a = d * 6.2831853f, a2 = a * a;
        const float cosine = a * (1.f + a2 * (-1.f / 6 + a2 * (1.f / 120 + a2 * (-1.f / 5040 + a2 * (1.f / 362880 - a2 * (1.f / 39916800))))));
        // the exponential
        const float x = (drift + vol * radius * cosine) * 1.44269504f;
        const int whole = (int)(x + 1024.5f) - 1024;
        const float f = (x - whole) * 0.69314718f;
        const float poly = 1.f + f * (1.f + f * (0.5f + f * (1.f / 6 + f * (1.f / 24 + f * (1.f / 120 + f * (1.f / 720))))));
        int pb;
        memcpy(&pb, &poly, 4);
        pb += whole << 23;
        float ex;
        memcpy(&ex, &pb, 4);
        s[l] *= ex;
        sum[l] += s[l];
      }
    }
    for (int l = 0; l < B; l++) payoff[p0 + l] = std::max(sum[l] / steps - strike, 0.f);
  }
}
""",
    [
        np.zeros(N, np.float32),
        np.int32(N),
        np.int32(16),
        np.float32(100),
        np.float32(95),
        np.float32(0.001),
        np.float32(0.05),
    ],
    N // 128,
    128,
)

# 9. an American put by the binomial tree, a block an option
N, STEPS = 128, 127
case(
    "binomial tree, American put, shared",
    r"""
#define STEPS 127
__global__ void american_put(const float *spot, const float *strike, float *price, float up, float pu, float pd) {
  __shared__ float value[STEPS + 2];
  int i = threadIdx.x;
  float k = strike[blockIdx.x];
  float s = spot[blockIdx.x] * powf(up, 2.0f * i - STEPS);
  float v = fmaxf(k - s, 0.0f);
  value[i] = v;
  __syncthreads();
  for (int t = STEPS - 1; t >= 0; t--) {
    s *= up;
    if (i <= t) {
      float hold = pu * value[i + 1] + pd * v;
      v = fmaxf(hold, k - s);
    }
    __syncthreads();
    if (i <= t) value[i] = v;
    __syncthreads();
  }
  if (i == 0) price[blockIdx.x] = v;
}
""",
    r"""
void twin(const float *__restrict spot, const float *__restrict strike, float *__restrict price, float up, float pu, float pd) {
  constexpr int S = 127, options = 128;
  static float power[2 * S + 1];
  power[S] = 1;
  for (int i = 1; i <= S; i++) power[S + i] = power[S + i - 1] * up, power[S - i] = power[S - i + 1] / up;
  const __m512 a = _mm512_set1_ps(pu), b = _mm512_set1_ps(pd);
  for (int o = 0; o < options; o += 16) {  // sixteen options side by side
    __m512 now[2 * S + 1], v[S + 1];
    const __m512 s = _mm512_loadu_ps(spot + o), k = _mm512_loadu_ps(strike + o);
    for (int i = 0; i <= 2 * S; i++) now[i] = _mm512_fnmadd_ps(s, _mm512_set1_ps(power[i]), k);
    for (int i = 0; i <= S; i++) v[i] = _mm512_max_ps(now[2 * i], _mm512_setzero_ps());
    auto node = [&](__m512 low, __m512 high, int t, int i) __attribute__((always_inline)) {
      return _mm512_max_ps(_mm512_fmadd_ps(a, high, _mm512_mul_ps(b, low)), now[2 * i - t + S]);
    };
    int t = S;
    for (; t >= 4; t -= 4) {  // four steps a pass
      __m512 p0 = v[0], p1 = node(p0, v[1], t - 1, 0);
      __m512 q1 = node(v[1], v[2], t - 1, 1), p2 = node(p1, q1, t - 2, 0);
      p0 = v[2];
      p1 = q1;
      __m512 r1 = node(p0, v[3], t - 1, 2), q2 = node(p1, r1, t - 2, 1), p3 = node(p2, q2, t - 3, 0);
      p0 = v[3], p1 = r1, p2 = q2;
      for (int i = 4; i <= t; i++) {
        const __m512 n0 = v[i], n1 = node(p0, n0, t - 1, i - 1), n2 = node(p1, n1, t - 2, i - 2), n3 = node(p2, n2, t - 3, i - 3);
        v[i - 4] = node(p3, n3, t - 4, i - 4);
        p0 = n0, p1 = n1, p2 = n2, p3 = n3;
      }
    }
    for (; t > 0; t--)
      for (int i = 0; i < t; i++) v[i] = node(v[i], v[i + 1], t - 1, i);
    _mm512_storeu_ps(price + o, v[0]);
  }
}
""",
    [
        floats(11, N, low=80, high=120),
        floats(12, N, low=90, high=110),
        np.zeros(N, np.float32),
        np.float32(1.018),
        np.float32(0.4985),
        np.float32(0.5012),
    ],
    N,
    STEPS + 1,
)
