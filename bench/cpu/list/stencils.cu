// Every result from its neighbours.
#define R 4
__global__ void stencil(const float* in, float* out, int n) {
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

// Seven points of a cube; a thread goes up its column, the plane in shared memory.
__global__ void stencil3d(const float* in, float* out, int nx, int ny, int nz, float c0, float c1) {
  __shared__ float plane[8 + 2][32 + 2];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  int stride = nx * ny, at = y * nx + x;
  float below = 0.f, here = in[at], above = in[at + stride];
  for (int z = 1; z < nz - 1; z++) {
    at += stride;
    below = here;
    here = above;
    above = in[at + stride];
    __syncthreads();
    plane[ty][tx] = here;
    if (threadIdx.x == 0) plane[ty][0] = x > 0 ? in[at - 1] : 0.f;
    if (threadIdx.x == 31) plane[ty][33] = x < nx - 1 ? in[at + 1] : 0.f;
    if (threadIdx.y == 0) plane[0][tx] = y > 0 ? in[at - nx] : 0.f;
    if (threadIdx.y == 7) plane[9][tx] = y < ny - 1 ? in[at + nx] : 0.f;
    __syncthreads();
    out[at] = c0 * here +
              c1 * (plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] + plane[ty + 1][tx] + below + above);
  }
}

#define T 16
#define KR 2
__global__ void conv2d(const float* __restrict__ in, const float* __restrict__ w, float* __restrict__ out, int W,
                       int H) {
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

#define S 8
__constant__ float taps[2 * S + 1] = {0.01f, 0.02f, 0.03f, 0.05f, 0.06f, 0.08f, 0.09f, 0.1f, 0.12f,
                                      0.1f,  0.09f, 0.08f, 0.06f, 0.05f, 0.03f, 0.02f, 0.01f};

__global__ void convolve_rows(const float* in, float* out, int width, int height) {
  __shared__ float row[4][128 + 2 * S];
  int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  float* r = row[threadIdx.y];
  r[threadIdx.x + S] = in[y * width + x];
  if (threadIdx.x < S) {
    r[threadIdx.x] = x >= S ? in[y * width + x - S] : 0.f;
    r[threadIdx.x + 128 + S] = x + 128 < width ? in[y * width + x + 128] : 0.f;
  }
  __syncthreads();
  float sum = 0;
  for (int k = -S; k <= S; k++) sum += taps[S - k] * r[threadIdx.x + S + k];
  out[y * width + x] = sum;
}

__global__ void convolve_columns(const float* in, float* out, int width, int height) {
  __shared__ float tile[16 + 2 * S][32];
  int x = blockIdx.x * 32 + threadIdx.x, first = blockIdx.y * 16;
  for (int j = threadIdx.y; j < 16 + 2 * S; j += 8) {
    int y = first + j - S;
    tile[j][threadIdx.x] = y >= 0 && y < height ? in[y * width + x] : 0.f;
  }
  __syncthreads();
  for (int j = threadIdx.y; j < 16; j += 8) {
    float sum = 0;
    for (int k = -S; k <= S; k++) sum += taps[S - k] * tile[j + S + k][threadIdx.x];
    out[(first + j) * width + x] = sum;
  }
}
