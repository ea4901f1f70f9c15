// Nine kernels in one file: what compiling one of them costs (bench/thread_engine.py).
extern "C" __global__ void saxpy(int n, float a, const float* __restrict__ x, float* __restrict__ y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
extern "C" __global__ void elem(int n, const float* x, const float* y, float* z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = expf(-x[i] * x[i]) * sinf(y[i]) + sqrtf(x[i] * x[i] + 1.f);
}
#define T 16
extern "C" __global__ void matmul(const float* A, const float* B, float* C, int N) {
  __shared__ float As[T][T];
  __shared__ float Bs[T][T];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
  float s = 0;
  for (int t = 0; t < N / T; t++) {
    As[ty][tx] = A[row * N + t * T + tx];
    Bs[ty][tx] = B[(t * T + ty) * N + col];
    __syncthreads();
    for (int k = 0; k < T; k++) s += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  C[row * N + col] = s;
}
extern "C" __global__ void reduce(const float* in, float* out, int n) {
  extern __shared__ float sd[];
  unsigned tid = threadIdx.x;
  unsigned i = blockIdx.x * (blockDim.x * 2) + tid;
  float v = i < n ? in[i] : 0;
  if (i + blockDim.x < n) v += in[i + blockDim.x];
  sd[tid] = v;
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) sd[tid] += sd[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = sd[0];
}
#define R 4
extern "C" __global__ void stencil(const float* in, float* out, int n) {
  __shared__ float t[256 + 2 * R];
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  int l = threadIdx.x + R;
  t[l] = g < n ? in[g] : 0.f;
  if (threadIdx.x < R) {
    t[l - R] = g >= R ? in[g - R] : 0.f;
    t[l + 256] = g + 256 < n ? in[g + 256] : 0.f;
  }
  __syncthreads();
  float r = 0;
  for (int o = -R; o <= R; o++) r += t[l + o];
  if (g < n) out[g] = r;
}
#define KR 2
extern "C" __global__ void conv2d(const float* __restrict__ in, const float* __restrict__ w, float* __restrict__ out,
                                  int W, int H) {
  __shared__ float t[T + 2 * KR][T + 2 * KR];
  int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
  for (int dy = threadIdx.y; dy < T + 2 * KR; dy += T)
    for (int dx = threadIdx.x; dx < T + 2 * KR; dx += T) {
      int gx = (int)blockIdx.x * T + dx - KR, gy = (int)blockIdx.y * T + dy - KR;
      t[dy][dx] = (gx >= 0 && gx < W && gy >= 0 && gy < H) ? in[gy * W + gx] : 0.f;
    }
  __syncthreads();
  float s = 0;
  for (int j = 0; j < 2 * KR + 1; j++)
    for (int i = 0; i < 2 * KR + 1; i++) s += w[j * (2 * KR + 1) + i] * t[threadIdx.y + j][threadIdx.x + i];
  if (x < W && y < H) out[y * W + x] = s;
}
extern "C" __global__ void mandel(int* out, int W, int H, int maxit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= W || y >= H) return;
  float cr = -2.f + 3.f * x / W, ci = -1.5f + 3.f * y / H, zr = 0, zi = 0;
  int it = 0;
  while (it < maxit && zr * zr + zi * zi <= 4.f) {
    float t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = t;
    it++;
  }
  out[y * W + x] = it;
}
extern "C" __global__ void wreduce(const float* in, float* out, int n) {
  __shared__ float ws[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : 0.f;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  if (lane == 0) ws[w] = v;
  __syncthreads();
  if (w == 0) {
    v = lane < (blockDim.x >> 5) ? ws[lane] : 0.f;
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if (lane == 0) out[blockIdx.x] = v;
  }
}
extern "C" __global__ void nbody(const float4* __restrict__ p, float4* __restrict__ a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 q = p[i];
  float ax = 0, ay = 0, az = 0;
  __shared__ float4 sp[256];
  for (int t = 0; t < n; t += 256) {
    sp[threadIdx.x] = p[t + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 256; j++) {
      float dx = sp[j].x - q.x, dy = sp[j].y - q.y, dz = sp[j].z - q.z;
      float d = dx * dx + dy * dy + dz * dz + 1e-3f;
      float r = rsqrtf(d);
      float r3 = r * r * r * sp[j].w;
      ax += dx * r3;
      ay += dy * r3;
      az += dz * r3;
    }
    __syncthreads();
  }
  float4 o;
  o.x = ax;
  o.y = ay;
  o.z = az;
  o.w = 0.f;
  a[i] = o;
}
