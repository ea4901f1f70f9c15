// Indices, types and places of memory.
#include <cuda_fp16.h>

// Clamped indices at the edges: the mean of 3 x 3.
__global__ void clamped(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      sum += in[min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)];
  out[y * width + x] = sum * (1.f / 9);
}

// The same of a row, whose size only the launch knows.
__global__ void blurred(const float* in, float* out, int width, int height, int radius) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int i = -radius; i <= radius; i++) sum += in[y * width + min(max(x + i, 0), width - 1)];
  out[y * width + x] = sum;
}

// Coordinates in another image, whose columns are those of all rows.
__global__ void enlarged(const float* in, float* out, int width, int height, int to_width, int to_height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= to_width || y >= to_height) return;
  float fx = fmaxf((x + 0.5f) * width / to_width - 0.5f, 0.f), fy = fmaxf((y + 0.5f) * height / to_height - 0.5f, 0.f);
  int x0 = (int)fx, y0 = (int)fy, x1 = min(x0 + 1, width - 1), y1 = min(y0 + 1, height - 1);
  float ax = fx - x0, ay = fy - y0;
  float top = in[y0 * width + x0] + ax * (in[y0 * width + x1] - in[y0 * width + x0]);
  float bottom = in[y1 * width + x0] + ax * (in[y1 * width + x1] - in[y1 * width + x0]);
  out[y * to_width + x] = top + ay * (bottom - top);
}

// Wrapped indices: a ring.
__global__ void wrapped(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int left = i == 0 ? n - 1 : i - 1, right = i == n - 1 ? 0 : i + 1;
  out[i] = 0.25f * in[left] + 0.5f * in[i] + 0.25f * in[right];
}

// Guards at the edges of a plane.
__global__ void guarded(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
    int i = y * width + x;
    out[i] = in[i - 1] + in[i + 1] + in[i - width] + in[i + width] - 4.f * in[i];
  }
}

struct Particle {
  float x, y, z, vx, vy, vz, mass, charge;
};

// Arrays of structures.
__global__ void particles(Particle* all, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Particle p = all[i];
  p.vy -= 9.81f * dt;
  p.x += p.vx * dt;
  p.y += p.vy * dt;
  p.z += p.vz * dt;
  all[i] = p;
}

__global__ void complex_product(const float2* a, const float2* b, float2* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 p = a[i], q = b[i];
  c[i] = make_float2(p.x * q.x - p.y * q.y, p.x * q.y + p.y * q.x);
}

__global__ void blend(const float4* front, const float4* back, float4* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 f = front[i], b = back[i];
  float rest = 1.f - f.w;
  out[i] = make_float4(f.x * f.w + b.x * rest, f.y * f.w + b.y * rest, f.z * f.w + b.z * rest, f.w + b.w * rest);
}

__global__ void grey(const uchar4* in, unsigned char* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uchar4 p = in[i];
  out[i] = (77 * p.x + 150 * p.y + 29 * p.z) >> 8;
}

__global__ void differences(const int3* in, int3* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int3 v = in[i];
  out[i] = make_int3(v.y - v.z, v.z - v.x, v.x - v.y);
}

// Bytes.
__global__ void erode(const unsigned char* in, unsigned char* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int least = 255;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      least = min(least, (int)in[min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)]);
  out[y * width + x] = least;
}

__global__ void difference_of_bytes(const unsigned char* a, const unsigned char* b, unsigned char* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = abs(a[i] - b[i]);
}

// Shorts: a mix of samples that saturates.
__global__ void mix(const short* a, const short* b, short* out, int gain, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = (a[i] * gain >> 15) + b[i];
  out[i] = max(-32768, min(32767, v));
}

__global__ void half_axpy(const __half* x, __half* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hfma(__float2half(a), x[i], y[i]);
}

__global__ void doubles(const double* x, double* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = x[i], p = 0.1;
  for (int k = 0; k < 8; k++) p = p * v + 0.5;
  y[i] = sqrt(p * p + 1.0) / (2.0 + v * v);
}

// Normal numbers of even ones (Box and Muller).
__global__ void normal_doubles(const double* x, double* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  double r = sqrt(-2.0 * log(x[i])), angle = 6.283185307179586 * x[n / 2 + i];
  y[i] = r * cos(angle);
  y[n / 2 + i] = r * sin(angle);
}

// Pixels of three bytes, and bytes of words.
__global__ void swapped(const uchar3* in, uchar3* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uchar3 p = in[i];
  out[i] = make_uchar3(p.z, p.y, p.x);
}

__global__ void byte_dots(const int* rows, const int* x, int* y, int words) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31, sum = 0;
  for (int i = lane; i < words; i += 32) sum = __dp4a(rows[row * words + i], x[i], sum);
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) y[row] = sum;
}

// 64-bit integers, and 64-bit indices.
__global__ void mixed_bits(const unsigned long long* in, unsigned long long* out, unsigned long long n) {
  unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long z = in[i] + 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  out[i] = z ^ (z >> 31);
}

__global__ void long_index(const float* x, float* y, float a, long long n) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// A table in constant memory.
#define FOUR(x) x, x + 0.1f, x + 0.3f, x + 0.7f
#define SIXTEEN(x) FOUR(x), FOUR(x + 1.f), FOUR(x * 2.f), FOUR(x * 3.f)
#define SIXTY_FOUR(x) SIXTEEN(x), SIXTEEN(x + 5.f), SIXTEEN(x + 9.f), SIXTEEN(x - 3.f)
__constant__ float curve[256] = {SIXTY_FOUR(1.f), SIXTY_FOUR(7.f), SIXTY_FOUR(20.f), SIXTY_FOUR(33.f)};
__global__ void constant_table(const unsigned char* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = curve[in[i]] + 1.f;
}

// A table in shared memory.
__global__ void shared_table(const unsigned* table, const unsigned* in, unsigned* out) {
  __shared__ unsigned t[256];
  t[threadIdx.x] = table[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * 256 + threadIdx.x;
  unsigned v = in[i];
  out[i] = t[v & 255] ^ t[v >> 8 & 255] ^ t[v >> 16 & 255] ^ t[v >> 24];
}

__global__ void gather(const float* table, const int* index, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[index[i]] * 2.f;
}

__global__ void scatter(const float* in, const int* index, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[index[i]] = in[i] * 2.f;
}
