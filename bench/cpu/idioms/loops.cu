// Loops and conditions as GPU code has them.

// Constant-trip loops over private arrays: one relaxation step of a lattice with nine directions.
__constant__ float weights[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
__global__ void lattice(const float* in, float* out, int cells) {
  const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  float f[9], density = 0, ux = 0, uy = 0;
  for (int k = 0; k < 9; k++) f[k] = in[k * cells + i];
  for (int k = 0; k < 9; k++) {
    density += f[k];
    ux += cx[k] * f[k];
    uy += cy[k] * f[k];
  }
  ux /= density;
  uy /= density;
  for (int k = 0; k < 9; k++) {
    float along = 3.f * (cx[k] * ux + cy[k] * uy);
    float rest = weights[k] * density * (1.f + along + 0.5f * along * along - 1.5f * (ux * ux + uy * uy));
    out[k * cells + i] = f[k] + 0.6f * (rest - f[k]);
  }
}

// The median of five neighbours, sorted in a private array.
__global__ void median(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v[5];
  for (int k = 0; k < 5; k++) v[k] = in[i + k];
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 4 - a; b++)
      if (v[b] > v[b + 1]) {
        float t = v[b];
        v[b] = v[b + 1];
        v[b + 1] = t;
      }
  out[i] = v[2];
}

// A warp strides over a row.
__global__ void row_norm(const float* in, float* out, int rows, int width) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int i = lane; i < width; i += 32) sum += in[row * width + i] * in[row * width + i];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  float scale = rsqrtf(sum / width + 1e-5f);
  for (int i = lane; i < width; i += 32) out[row * width + i] = in[row * width + i] * scale;
}

// A block strides over a row.
__global__ void softmax(const float* in, float* out, int width) {
  __shared__ float part[128];
  const float* from = in + blockIdx.x * width;
  float* to = out + blockIdx.x * width;
  int tid = threadIdx.x;
  float greatest = -1e30f;
  for (int i = tid; i < width; i += blockDim.x) greatest = fmaxf(greatest, from[i]);
  part[tid] = greatest;
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (tid < s) part[tid] = fmaxf(part[tid], part[tid + s]);
    __syncthreads();
  }
  greatest = part[0];
  __syncthreads();
  float sum = 0;
  for (int i = tid; i < width; i += blockDim.x) {
    float e = expf(from[i] - greatest);
    to[i] = e;
    sum += e;
  }
  part[tid] = sum;
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (tid < s) part[tid] += part[tid + s];
    __syncthreads();
  }
  float scale = 1.f / part[0];
  for (int i = tid; i < width; i += blockDim.x) to[i] *= scale;
}

// A grid of a fixed size strides over the array.
__global__ void grid_stride(const float* x, float* y, float a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + y[i];
}

// Tiles of R x R sums a thread live across the barriers; 16 x 16 threads, K columns of a at a time.
template <int R, int K>
__global__ void tile_matmul(const float* A, const float* B, float* C, int n) {
  __shared__ float as[16 * R][K + 1], bs[K][16 * R];
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  int row = blockIdx.y * 16 * R, column = blockIdx.x * 16 * R;
  float sums[R][R] = {};
  for (int first = 0; first < n; first += K) {
    for (int i = t; i < 16 * R * K; i += 256) as[i / K][i % K] = A[(row + i / K) * n + first + i % K];
    for (int i = t; i < 16 * R * K; i += 256)
      bs[i / (16 * R)][i % (16 * R)] = B[(first + i / (16 * R)) * n + column + i % (16 * R)];
    __syncthreads();
    for (int k = 0; k < K; k++) {
      float a[R], b[R];
      for (int i = 0; i < R; i++) a[i] = as[ty * R + i][k];
      for (int j = 0; j < R; j++) b[j] = bs[k][tx * R + j];
      for (int i = 0; i < R; i++)
        for (int j = 0; j < R; j++) sums[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < R; i++)
    for (int j = 0; j < R; j++) C[(row + ty * R + i) * n + column + tx * R + j] = sums[i][j];
}

// Several barriers in a loop: sweeps of a smoother within a block's stretch.
__global__ void sweeps(const float* in, float* out, int count) {
  __shared__ float v[258];
  int t = threadIdx.x + 1, i = blockIdx.x * 256 + threadIdx.x;
  v[t] = in[i];
  if (threadIdx.x == 0) v[0] = v[257] = 0.f;
  __syncthreads();
  for (int k = 0; k < count; k++) {
    float next = 0.25f * v[t - 1] + 0.5f * v[t] + 0.25f * v[t + 1];
    __syncthreads();
    v[t] = next;
    __syncthreads();
  }
  out[i] = v[t];
}

// Threads leave before the barrier.
__global__ void early_exit(const float* in, float* out, int n) {
  __shared__ float v[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  if (i >= n) return;
  v[t] = in[i];
  __syncthreads();
  int live = min(256, n - (int)blockIdx.x * 256);
  out[i] = v[t] + v[live - 1 - t];
}

// A loop that every lane leaves at another time.
__global__ void collatz(int* steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = i + 1;
  int count = 0;
  while (v != 1) {
    v = v & 1 ? 3 * v + 1 : v / 2;
    count++;
  }
  steps[i] = count;
}

// Nested conditions.
__global__ void piecewise(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i], y;
  if (x < 0) {
    if (x < -1) {
      y = -2.f * x - 1.f;
    } else {
      y = x * x;
      if (y > 0.25f) y += 0.5f * x;
    }
  } else if (x < 1) {
    y = sqrtf(x);
  } else {
    y = x > 1.5f ? 2.f - x * 0.5f : x * x * x;
  }
  out[i] = y;
}

// A row a thread, but for its own element.
__global__ void jacobi(const float* a, const float* b, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int j = 0; j < n; j++)
    if (j != i) sum += a[i * n + j] * x[j];
  y[i] = (b[i] - sum) / a[i * n + i];
}

// Rows of other lengths each, a thread a row.
__global__ void ragged(const int* starts, const float* values, float* sums, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  float sum = 0;
  for (int j = starts[i]; j < starts[i + 1]; j++) sum += values[j];
  sums[i] = sum;
}

// Points against all others, with as many coordinates as the launch says.
__global__ void nearest(const float* points, const float* centres, int* which, int n, int count, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float least = 3e38f;
  int at = 0;
  for (int c = 0; c < count; c++) {
    float distance = 0;
    for (int j = 0; j < width; j++) {
      float d = points[i * width + j] - centres[c * width + j];
      distance += d * d;
    }
    if (distance < least) least = distance, at = c;
  }
  which[i] = at;
}

// A word at each place of a text.
__global__ void search(const char* text, const char* word, int length, int* found, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + length > n) return;
  int j = 0;
  while (j < length && text[i + j] == word[j]) j++;
  found[i] = j == length;
}

// Turns up to the thread's own number: what came before, convolved with itself.
__global__ void so_far(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int j = 0; j <= i; j++) sum += in[j] * in[i - j];
  out[i] = sum;
}

// A grid strides over an array and keeps two sums; a block adds up its threads'.
__global__ void moments(const float* in, float* out, int n) {
  __shared__ float sums[256], squares[256];
  int t = threadIdx.x;
  float sum = 0, square = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
    sum += in[i];
    square += in[i] * in[i];
  }
  sums[t] = sum;
  squares[t] = square;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (t < d) {
      sums[t] += sums[t + d];
      squares[t] += squares[t + d];
    }
    __syncthreads();
  }
  if (t == 0) {
    out[2 * blockIdx.x] = sums[0];
    out[2 * blockIdx.x + 1] = squares[0];
  }
}

// Products of all pairs of rows, but for those above the diagonal: a causal mask.
__global__ void causal(const float* q, const float* keys, float* scores, int n, int depth) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  if (j > i) {
    scores[i * n + j] = -1e9f;
    return;
  }
  float sum = 0;
  for (int d = 0; d < depth; d++) sum += q[i * depth + d] * keys[j * depth + d];
  scores[i * n + j] = sum;
}

// The likeliest way to each of 64 states, step by step: the greatest of 64 sums each.
__global__ void likeliest(const float* emitted, const float* moves, float* out, int steps) {
  __shared__ float now[64], next[64];
  int s = threadIdx.x, first = blockIdx.x * steps * 64;
  now[s] = emitted[first + s];
  __syncthreads();
  for (int t = 1; t < steps; t++) {
    float best = -1e30f;
    for (int from = 0; from < 64; from++) best = fmaxf(best, now[from] + moves[from * 64 + s]);
    next[s] = best + emitted[first + t * 64 + s];
    __syncthreads();
    now[s] = next[s];
    __syncthreads();
  }
  out[blockIdx.x * 64 + s] = now[s];
}
