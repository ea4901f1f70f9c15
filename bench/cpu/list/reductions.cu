// Many values become few: trees in shared memory, shuffles, scans, histograms.
__global__ void reduce(const float* in, float* out, int n) {
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

__global__ void warp_reduce(const float* in, float* out, int n) {
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

// Inclusive sums within each block (Hillis and Steele).
__global__ void block_scan(const float* in, float* out, int n) {
  __shared__ float sums[2][256];
  int tid = threadIdx.x, i = blockIdx.x * 256 + tid, from = 0;
  sums[0][tid] = i < n ? in[i] : 0.f;
  __syncthreads();
  for (int distance = 1; distance < 256; distance *= 2) {
    float v = sums[from][tid];
    if (tid >= distance) v += sums[from][tid - distance];
    sums[1 - from][tid] = v;
    from = 1 - from;
    __syncthreads();
  }
  if (i < n) out[i] = sums[from][tid];
}

__global__ void histogram(const unsigned char* data, unsigned* bins, int n) {
  __shared__ unsigned local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[data[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
