// The kernels of list/*.cu in OpenCL C, for PoCL: the same work by the same work-items.
__kernel void saxpy(int n, float a, __global const float* restrict x, __global float* restrict y) {
  int i = get_global_id(0);
  if (i < n) y[i] = a * x[i] + y[i];
}

__kernel void triad(int n, float s, __global const float* b, __global const float* c, __global float* a) {
  int i = get_global_id(0);
  if (i < n) a[i] = b[i] + s * c[i];
}

__kernel void elem(int n, __global const float* x, __global const float* y, __global float* z) {
  int i = get_global_id(0);
  if (i < n) z[i] = exp(-x[i] * x[i]) * sin(y[i]) + sqrt(x[i] * x[i] + 1.f);
}

float cumulative_normal(float d) {
  const float a1 = 0.31938153f, a2 = -0.356563782f, a3 = 1.781477937f, a4 = -1.821255978f, a5 = 1.330274429f;
  float k = 1.f / (1.f + 0.2316419f * fabs(d));
  float tail = 0.39894228f * exp(-0.5f * d * d) * (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));
  return d > 0 ? 1.f - tail : tail;
}

__kernel void black_scholes(__global const float* price, __global const float* strike, __global const float* years,
                            __global float* call, __global float* put, float rate, float volatility, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float s = price[i], x = strike[i], t = years[i];
  float root = sqrt(t);
  float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
  float d2 = d1 - volatility * root;
  float n1 = cumulative_normal(d1), n2 = cumulative_normal(d2);
  float discounted = x * exp(-rate * t);
  call[i] = s * n1 - discounted * n2;
  put[i] = discounted * (1.f - n2) - s * (1.f - n1);
}

__kernel void pi(__global uint* hits, int darts) {
  __local uint sum;
  if (get_local_id(0) == 0) sum = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint state = (uint)get_global_id(0) * 2654435761u + 1u, count = 0;
  for (int k = 0; k < darts; k++) {
    state = state * 1664525u + 1013904223u;
    float x = (state >> 8) * (1.f / 16777216.f);
    state = state * 1664525u + 1013904223u;
    float y = (state >> 8) * (1.f / 16777216.f);
    if (x * x + y * y <= 1.f) count++;
  }
  atomic_add(&sum, count);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) hits[get_group_id(0)] = sum;
}

#define MATMUL(T)                                                                                            \
  __kernel void matmul_##T(__global const float* A, __global const float* B, __global float* C, int N) {     \
    __local float As[T][T], Bs[T][T];                                                                        \
    int tx = get_local_id(0), ty = get_local_id(1);                                                          \
    int row = get_global_id(1), col = get_global_id(0);                                                      \
    float s = 0;                                                                                             \
    for (int t = 0; t < N / T; t++) {                                                                        \
      As[ty][tx] = A[row * N + t * T + tx];                                                                  \
      Bs[ty][tx] = B[(t * T + ty) * N + col];                                                                \
      barrier(CLK_LOCAL_MEM_FENCE);                                                                          \
      for (int k = 0; k < T; k++) s += As[ty][k] * Bs[k][tx];                                                \
      barrier(CLK_LOCAL_MEM_FENCE);                                                                          \
    }                                                                                                        \
    C[row * N + col] = s;                                                                                    \
  }
MATMUL(16)
MATMUL(32)

__kernel void reduce(__global const float* in, __global float* out, int n) {
  __local float sd[256];
  uint tid = get_local_id(0), size = get_local_size(0), i = get_group_id(0) * (size * 2) + tid;
  float v = i < n ? in[i] : 0;
  if (i + size < n) v += in[i + size];
  sd[tid] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = size / 2; s > 0; s >>= 1) {
    if (tid < s) sd[tid] += sd[tid + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (tid == 0) out[get_group_id(0)] = sd[0];
}

__kernel void block_scan(__global const float* in, __global float* out, int n) {
  __local float sums[2][256];
  int tid = get_local_id(0), i = get_global_id(0), from = 0;
  sums[0][tid] = i < n ? in[i] : 0.f;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int distance = 1; distance < 256; distance *= 2) {
    float v = sums[from][tid];
    if (tid >= distance) v += sums[from][tid - distance];
    sums[1 - from][tid] = v;
    from = 1 - from;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < n) out[i] = sums[from][tid];
}

__kernel void histogram(__global const uchar* data, __global uint* bins, int n) {
  __local uint own[256];
  own[get_local_id(0)] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_add(&own[data[i]], 1u);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[get_local_id(0)], own[get_local_id(0)]);
}

#define R 4
__kernel void stencil(__global const float* in, __global float* out, int n) {
  __local float t[256 + 2 * R];
  int g = get_global_id(0), l = get_local_id(0) + R;
  t[l] = g < n ? in[g] : 0.f;
  if (get_local_id(0) < R) {
    t[l - R] = g >= R ? in[g - R] : 0.f;
    t[l + 256] = g + 256 < n ? in[g + 256] : 0.f;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float r = 0;
  for (int o = -R; o <= R; o++) r += t[l + o];
  if (g < n) out[g] = r;
}

__kernel void stencil3d(__global const float* in, __global float* out, int nx, int ny, int nz, float c0, float c1) {
  __local float plane[8 + 2][32 + 2];
  int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
  int tx = lx + 1, ty = ly + 1, stride = nx * ny, at = y * nx + x;
  float below = 0.f, here = in[at], above = in[at + stride];
  for (int z = 1; z < nz - 1; z++) {
    at += stride;
    below = here;
    here = above;
    above = in[at + stride];
    barrier(CLK_LOCAL_MEM_FENCE);
    plane[ty][tx] = here;
    if (lx == 0) plane[ty][0] = x > 0 ? in[at - 1] : 0.f;
    if (lx == 31) plane[ty][33] = x < nx - 1 ? in[at + 1] : 0.f;
    if (ly == 0) plane[0][tx] = y > 0 ? in[at - nx] : 0.f;
    if (ly == 7) plane[9][tx] = y < ny - 1 ? in[at + nx] : 0.f;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = c0 * here + c1 * (plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] + plane[ty + 1][tx] + below + above);
  }
}

#define T 16
#define KR 2
__kernel void conv2d(__global const float* restrict in, __global const float* restrict w, __global float* restrict out, int W,
                     int H) {
  __local float t[T + 2 * KR][T + 2 * KR];
  int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
  for (int dy = ly; dy < T + 2 * KR; dy += T)
    for (int dx = lx; dx < T + 2 * KR; dx += T) {
      int gx = (int)get_group_id(0) * T + dx - KR, gy = (int)get_group_id(1) * T + dy - KR;
      t[dy][dx] = (gx >= 0 && gx < W && gy >= 0 && gy < H) ? in[gy * W + gx] : 0.f;
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  float s = 0;
  for (int j = 0; j < 2 * KR + 1; j++)
    for (int i = 0; i < 2 * KR + 1; i++) s += w[j * (2 * KR + 1) + i] * t[ly + j][lx + i];
  if (x < W && y < H) out[y * W + x] = s;
}

#define S 8
__constant float taps[2 * S + 1] = {0.01f, 0.02f, 0.03f, 0.05f, 0.06f, 0.08f, 0.09f, 0.1f, 0.12f,
                                    0.1f,  0.09f, 0.08f, 0.06f, 0.05f, 0.03f, 0.02f, 0.01f};

__kernel void convolve_rows(__global const float* in, __global float* out, int width, int height) {
  __local float row[4][128 + 2 * S];
  int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0);
  __local float* r = row[get_local_id(1)];
  r[lx + S] = in[y * width + x];
  if (lx < S) {
    r[lx] = x >= S ? in[y * width + x - S] : 0.f;
    r[lx + 128 + S] = x + 128 < width ? in[y * width + x + 128] : 0.f;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (int k = -S; k <= S; k++) sum += taps[S - k] * r[lx + S + k];
  out[y * width + x] = sum;
}

__kernel void convolve_columns(__global const float* in, __global float* out, int width, int height) {
  __local float tile[16 + 2 * S][32];
  int x = get_global_id(0), first = get_group_id(1) * 16, lx = get_local_id(0), ly = get_local_id(1);
  for (int j = ly; j < 16 + 2 * S; j += 8) {
    int y = first + j - S;
    tile[j][lx] = y >= 0 && y < height ? in[y * width + x] : 0.f;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int j = ly; j < 16; j += 8) {
    float sum = 0;
    for (int k = -S; k <= S; k++) sum += taps[S - k] * tile[j + S + k][lx];
    out[(first + j) * width + x] = sum;
  }
}

__kernel void mandel(__global int* out, int W, int H, int maxit) {
  int x = get_global_id(0), y = get_global_id(1);
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

__kernel void nbody(__global const float4* restrict p, __global float4* restrict a, int n) {
  int i = get_global_id(0);
  float4 q = p[i];
  float ax = 0, ay = 0, az = 0;
  __local float4 sp[256];
  for (int t = 0; t < n; t += 256) {
    sp[get_local_id(0)] = p[t + get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 256; j++) {
      float dx = sp[j].x - q.x, dy = sp[j].y - q.y, dz = sp[j].z - q.z;
      float d = dx * dx + dy * dy + dz * dz + 1e-3f;
      float r = rsqrt(d);
      float r3 = r * r * r * sp[j].w;
      ax += dx * r3;
      ay += dy * r3;
      az += dz * r3;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  a[i] = (float4)(ax, ay, az, 0.f);
}

__kernel void transpose(__global const float* in, __global float* out, int n) {
  __local float tile[32][33];
  int lx = get_local_id(0), ly = get_local_id(1);
  int x = get_group_id(0) * 32 + lx, y = get_group_id(1) * 32 + ly;
  for (int j = 0; j < 32; j += 8) tile[ly + j][lx] = in[(y + j) * n + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * 32 + lx;
  y = get_group_id(0) * 32 + ly;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[lx][ly + j];
}

__kernel void bitonic(__global const uint* in, __global uint* out) {
  __local uint keys[1024];
  uint tid = get_local_id(0), first = get_group_id(0) * 1024;
  keys[tid] = in[first + tid];
  keys[tid + 512] = in[first + tid + 512];
  for (uint size = 2; size <= 1024; size *= 2) {
    for (uint stride = size / 2; stride > 0; stride /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      uint at = 2 * tid - (tid & (stride - 1));
      bool up = (at & size) == 0;
      uint a = keys[at], b = keys[at + stride];
      if ((a > b) == up) {
        keys[at] = b;
        keys[at + stride] = a;
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[first + tid] = keys[tid];
  out[first + tid + 512] = keys[tid + 512];
}

__kernel void spmv_thread(__global const int* starts, __global const int* columns, __global const float* values,
                          __global const float* x, __global float* y, int rows) {
  int row = get_global_id(0);
  if (row >= rows) return;
  float sum = 0;
  for (int k = starts[row]; k < starts[row + 1]; k++) sum += values[k] * x[columns[k]];
  y[row] = sum;
}

__kernel void floyd_warshall(__global int* distances, int n, int k) {
  int j = get_global_id(0), i = get_global_id(1);
  if (i >= n || j >= n) return;
  int through = distances[i * n + k] + distances[k * n + j];
  if (through < distances[i * n + j]) distances[i * n + j] = through;
}
