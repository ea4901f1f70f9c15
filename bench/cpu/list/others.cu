// Whole kernels of other kinds: escape times, bodies, transposition, sorting, sparse matrices, shortest paths.
__global__ void mandel(int* out, int W, int H, int maxit) {
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

__global__ void nbody(const float4* __restrict__ p, float4* __restrict__ a, int n) {
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
  a[i] = make_float4(ax, ay, az, 0.f);
}

__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

// Each block sorts 1024 keys.
__global__ void bitonic(const unsigned* in, unsigned* out) {
  __shared__ unsigned keys[1024];
  unsigned tid = threadIdx.x, first = blockIdx.x * 1024;
  keys[tid] = in[first + tid];
  keys[tid + 512] = in[first + tid + 512];
  for (unsigned size = 2; size <= 1024; size *= 2) {
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      unsigned at = 2 * tid - (tid & (stride - 1));
      bool up = (at & size) == 0;
      unsigned a = keys[at], b = keys[at + stride];
      if ((a > b) == up) {
        keys[at] = b;
        keys[at + stride] = a;
      }
    }
  }
  __syncthreads();
  out[first + tid] = keys[tid];
  out[first + tid + 512] = keys[tid + 512];
}

__global__ void spmv_thread(const int* starts, const int* columns, const float* values, const float* x, float* y,
                            int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = starts[row]; k < starts[row + 1]; k++) sum += values[k] * x[columns[k]];
  y[row] = sum;
}

__global__ void spmv_warp(const int* starts, const int* columns, const float* values, const float* x, float* y,
                          int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int k = starts[row] + lane; k < starts[row + 1]; k += 32) sum += values[k] * x[columns[k]];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
  if (lane == 0) y[row] = sum;
}

// One step of all shortest paths: over the vertex k.
__global__ void floyd_warshall(int* distances, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  int through = distances[i * n + k] + distances[k * n + j];
  if (through < distances[i * n + j]) distances[i * n + j] = through;
}
