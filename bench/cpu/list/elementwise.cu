// A thread an element.
__global__ void saxpy(int n, float a, const float* __restrict__ x, float* __restrict__ y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void triad(int n, float s, const float* b, const float* c, float* a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = b[i] + s * c[i];
}

__global__ void elem(int n, const float* x, const float* y, float* z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = expf(-x[i] * x[i]) * sinf(y[i]) + sqrtf(x[i] * x[i] + 1.f);
}

// Cumulative normal distribution: Abramowitz and Stegun, 26.2.17.
__device__ float cumulative_normal(float d) {
  const float a1 = 0.31938153f, a2 = -0.356563782f, a3 = 1.781477937f, a4 = -1.821255978f, a5 = 1.330274429f;
  float k = 1.f / (1.f + 0.2316419f * fabsf(d));
  float tail = 0.39894228f * expf(-0.5f * d * d) * (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));
  return d > 0 ? 1.f - tail : tail;
}

__global__ void black_scholes(const float* price, const float* strike, const float* years, float* call, float* put,
                              float rate, float volatility, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = price[i], x = strike[i], t = years[i];
  float root = sqrtf(t);
  float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
  float d2 = d1 - volatility * root;
  float n1 = cumulative_normal(d1), n2 = cumulative_normal(d2);
  float discounted = x * expf(-rate * t);
  call[i] = s * n1 - discounted * n2;
  put[i] = discounted * (1.f - n2) - s * (1.f - n1);
}

// Monte-Carlo pi: every thread throws so many darts; a block adds up its hits.
__global__ void pi(unsigned* hits, int darts) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1u, count = 0;
  for (int k = 0; k < darts; k++) {
    state = state * 1664525u + 1013904223u;
    float x = (state >> 8) * (1.f / 16777216.f);
    state = state * 1664525u + 1013904223u;
    float y = (state >> 8) * (1.f / 16777216.f);
    if (x * x + y * y <= 1.f) count++;
  }
  atomicAdd(&sum, count);
  __syncthreads();
  if (threadIdx.x == 0) hits[blockIdx.x] = sum;
}
