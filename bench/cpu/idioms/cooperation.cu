// What threads of a block do together, and the shapes of blocks.

// Shared and global atomics.
__global__ void greatest(const int* in, int* out, int n) {
  __shared__ int most;
  if (threadIdx.x == 0) most = -2147483647;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicMax(&most, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(out, most);
}

__global__ void global_bins(const int* keys, int* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[keys[i]], i & 3);
}

// A block-wide reduction by shuffles: dot product.
__device__ float block_sum(float v) {
  __shared__ float parts[32];
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0.f;
  if (threadIdx.x < 32)
    for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
  return v;
}
__global__ void dot(const float* a, const float* b, float* out, int width) {
  float sum = 0;
  for (int i = threadIdx.x; i < width; i += blockDim.x) sum += a[blockIdx.x * width + i] * b[blockIdx.x * width + i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// A block-wide scan by shuffles.
__global__ void shuffle_scan(const float* in, float* out) {
  __shared__ float sums[8];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, i = blockIdx.x * 256 + threadIdx.x;
  float v = in[i];
  for (int o = 1; o < 32; o *= 2) {
    float below = __shfl_up_sync(0xffffffffu, v, o);
    if (lane >= o) v += below;
  }
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  float before = 0;
  for (int w = 0; w < warp; w++) before += sums[w];
  out[i] = v + before;
}

// A block-wide scan in place, two barriers a step.
__global__ void scan_in_place(const int* in, int* out) {
  __shared__ int sums[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  sums[t] = in[i];
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    int before = t >= d ? sums[t - d] : 0;
    __syncthreads();
    sums[t] += before;
    __syncthreads();
  }
  out[i] = sums[t];
}

// A block-wide sort by ranks.
__global__ void rank_sort(const float* in, float* out) {
  __shared__ float keys[128];
  int t = threadIdx.x, first = blockIdx.x * 128, rank = 0;
  float key = in[first + t];
  keys[t] = key;
  __syncthreads();
  for (int k = 0; k < 128; k++) rank += keys[k] < key || (keys[k] == key && k < t);
  out[first + rank] = key;
}

__global__ void warp_sums(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i];
  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) out[i / 32] = v;
}

// One thread of eight writes what all of them have.
__global__ void sums_of_8(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i];
  for (int o = 4; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffffu, v, o, 8);
  if (i % 8 == 0) out[i / 8] = v;
}

__global__ void warp_scan(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  float v = in[i];
  for (int o = 1; o < 32; o *= 2) {
    float below = __shfl_up_sync(0xffffffffu, v, o);
    if (lane >= o) v += below;
  }
  out[i] = v;
}

// A broadcast and a ballot: values above their warp's first, counted.
__global__ void above_first(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i], first = __shfl_sync(0xffffffffu, v, 0);
  int above = __popc(__ballot_sync(0xffffffffu, v > first));
  out[i] = (v - first) * above;
}

// Blocks of two and three dimensions.
__global__ void plane(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = in[y * width + x] * 2.f + x + y;
}

__global__ void space(const float* in, float* out, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z, i = (z * ny + y) * nx + x;
  if (x < nx && y < ny && z < nz - 1) out[i] = in[i] + in[i + nx * ny];
}

// Blocks of other sizes.
__global__ void axpy(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void reverse(const float* in, float* out) {
  extern __shared__ float v[];
  int t = threadIdx.x, first = blockIdx.x * blockDim.x;
  v[t] = in[first + t];
  __syncthreads();
  out[first + t] = v[blockDim.x - 1 - t];
}

__global__ void tree(const float* in, float* out) {
  __shared__ float v[1024];
  int t = threadIdx.x;
  v[t] = in[blockIdx.x * 1024 + t];
  __syncthreads();
  for (int s = 512; s > 0; s >>= 1) {
    if (t < s) v[t] += v[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = v[0];
}

// Each thread goes around its block's ring.
__global__ void ring(const float* in, float* out) {
  __shared__ float all[256];
  int t = threadIdx.x;
  all[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 256; i++) sum += all[i] * all[(t + i) & 255];
  out[blockIdx.x * 256 + t] = sum;
}
