"""Science and algorithms: stencils, particles, sparse and dense linear algebra, sorts, graphs, dynamic programming."""

import numpy as np

case = globals()["case"]  # compare.py gives it


def floats(seed, *shape, low=0.0, high=1.0):
    return np.random.default_rng(seed).uniform(low, high, shape).astype(np.float32)


def doubles(seed, *shape, low=0.0, high=1.0):
    return np.random.default_rng(seed).uniform(low, high, shape)


def ints(seed, low, high, *shape, dtype=np.int32):
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


def structs(array, size):
    """As the device's vector types: float4, double2, float3."""
    return np.ascontiguousarray(array).reshape(-1).view(f"V{size}")


TRANSPOSE = r"""
static inline __attribute__((always_inline)) void transpose16(__m512 *r) {
  __m512 t[16];
  for (int i = 0; i < 8; i++) {
    t[2 * i] = _mm512_unpacklo_ps(r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm512_unpackhi_ps(r[2 * i], r[2 * i + 1]);
  }
  for (int i = 0; i < 4; i++) {
    r[4 * i] = _mm512_shuffle_ps(t[4 * i], t[4 * i + 2], 0x44);
    r[4 * i + 1] = _mm512_shuffle_ps(t[4 * i], t[4 * i + 2], 0xee);
    r[4 * i + 2] = _mm512_shuffle_ps(t[4 * i + 1], t[4 * i + 3], 0x44);
    r[4 * i + 3] = _mm512_shuffle_ps(t[4 * i + 1], t[4 * i + 3], 0xee);
  }
  for (int i = 0; i < 4; i++) {
    t[i] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0x88);
    t[i + 4] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0xdd);
    t[i + 8] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0x88);
    t[i + 12] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0xdd);
  }
  for (int i = 0; i < 4; i++) {
    r[i] = _mm512_shuffle_f32x4(t[i], t[i + 8], 0x88);
    r[i + 8] = _mm512_shuffle_f32x4(t[i], t[i + 8], 0xdd);
    r[i + 4] = _mm512_shuffle_f32x4(t[i + 4], t[i + 12], 0x88);
    r[i + 12] = _mm512_shuffle_f32x4(t[i + 4], t[i + 12], 0xdd);
  }
}
"""

UNROLL = r"""
#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif
"""

# 1. the fourth-order Laplacian: 20 x 20 threads load, the inner 16 x 16 write
W, H = 512, 384
case(
    "heat 4th order, 20x20 tile, inner write",
    r"""
#define TILE 16
#define R 2
__global__ void heat_step(const float *u, float *out, int width, int height, float k) {
  __shared__ float tile[TILE + 2 * R][TILE + 2 * R];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * TILE + tx - R;
  int y = blockIdx.y * TILE + ty - R;
  int cx = min(max(x, 0), width - 1);
  int cy = min(max(y, 0), height - 1);
  tile[ty][tx] = u[cy * width + cx];
  __syncthreads();

  if (tx >= R && tx < TILE + R && ty >= R && ty < TILE + R && x < width && y < height) {
    float c = tile[ty][tx];
    float near = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx];
    float far = tile[ty][tx - 2] + tile[ty][tx + 2] + tile[ty - 2][tx] + tile[ty + 2][tx];
    float lap = (16.0f * near - far - 60.0f * c) * (1.0f / 12.0f);
    out[y * width + x] = c + k * lap;
  }
}
""",
    r"""
void twin(const float *__restrict u, float *__restrict out, int width, int height, float k) {
  const __m512 a = _mm512_set1_ps(k * 16.0f / 12.0f), b = _mm512_set1_ps(-k / 12.0f), d = _mm512_set1_ps(1.0f - k * 5.0f);
  for (int y = 0; y < height; y += 4) {  // four rows at a time, sixteen columns
    const float *row[8];
    for (int i = 0; i < 8; i++) row[i] = u + std::min(std::max(y + i - 2, 0), height - 1) * width;
    __m512i before[4];
    __m512 now[4];
    for (int i = 0; i < 4; i++) before[i] = _mm512_castps_si512(_mm512_set1_ps(row[i + 2][0])), now[i] = _mm512_loadu_ps(row[i + 2]);
    for (int x = 0; x < width; x += 16) {
      const bool end = x + 16 == width;
      const __m512 v[8] = {_mm512_loadu_ps(row[0] + x), _mm512_loadu_ps(row[1] + x), now[0], now[1], now[2], now[3],
                           _mm512_loadu_ps(row[6] + x), _mm512_loadu_ps(row[7] + x)};
      for (int i = 0; i < 4; i++) {
        const float *c = row[i + 2];
        const __m512 next = end ? _mm512_set1_ps(c[width - 1]) : _mm512_loadu_ps(c + x + 16);
        const __m512i n = _mm512_castps_si512(next), m = _mm512_castps_si512(v[i + 2]);
        const __m512 l1 = _mm512_castsi512_ps(_mm512_alignr_epi32(m, before[i], 15)), r1 = _mm512_castsi512_ps(_mm512_alignr_epi32(n, m, 1));
        const __m512 l2 = _mm512_castsi512_ps(_mm512_alignr_epi32(m, before[i], 14)), r2 = _mm512_castsi512_ps(_mm512_alignr_epi32(n, m, 2));
        const __m512 near = (l1 + r1) + (v[i + 1] + v[i + 3]), far = (l2 + r2) + (v[i] + v[i + 4]);
        _mm512_storeu_ps(out + (y + i) * width + x, _mm512_fmadd_ps(a, near, _mm512_fmadd_ps(b, far, d * v[i + 2])));
        before[i] = m, now[i] = next;
      }
    }
  }
}
""",
    [floats(1, H, W), np.zeros((H, W), np.float32), np.int32(W), np.int32(H), np.float32(0.1)],
    (W // 16, H // 16),
    (20, 20),
)

# 2. the wave equation in doubles, a periodic domain, 18 x 18 threads
W, H = 256, 192
case(
    "wave equation, 18x18 tile, double",
    r"""
__global__ void wave(double *__restrict__ next, const double *__restrict__ now, const double *__restrict__ before,
                     const double *__restrict__ speed, const int nx, const int ny, const double r2) {
  __shared__ double s[18][18];
  const int i = ((int)(blockIdx.x * 16 + threadIdx.x) - 1 + nx) % nx;
  const int j = ((int)(blockIdx.y * 16 + threadIdx.y) - 1 + ny) % ny;
  const int id = j * nx + i;
  const double centre = now[id];
  s[threadIdx.y][threadIdx.x] = centre;
  __syncthreads();
  if (threadIdx.x == 0 || threadIdx.x == 17) return;
  if (threadIdx.y == 0 || threadIdx.y == 17) return;
  const double lap = s[threadIdx.y - 1][threadIdx.x] + s[threadIdx.y + 1][threadIdx.x] + s[threadIdx.y][threadIdx.x - 1] +
                     s[threadIdx.y][threadIdx.x + 1] - 4.0 * centre;
  const double c = speed[id];
  next[id] = 2.0 * centre - before[id] + r2 * c * c * lap;
}
""",
    r"""
void twin(double *__restrict next, const double *__restrict now, const double *__restrict before, const double *__restrict speed,
          int nx, int ny, double r2) {
  for (int j = 0; j < ny; j++) {
    const double *c = now + j * nx, *n = now + (j + ny - 1) % ny * nx, *s = now + (j + 1) % ny * nx;
    __m512d left = _mm512_loadu_pd(c + nx - 8), here = _mm512_loadu_pd(c);
    for (int i = 0; i < nx; i += 8) {
      const int at = j * nx + i;
      const __m512d right = _mm512_loadu_pd(c + (i + 8 == nx ? 0 : i + 8));
      const __m512i m = _mm512_castpd_si512(here);
      const __m512d l = _mm512_castsi512_pd(_mm512_alignr_epi64(m, _mm512_castpd_si512(left), 7));
      const __m512d r = _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(right), m, 1));
      const __m512d v = _mm512_loadu_pd(speed + at), lap = (_mm512_loadu_pd(n + i) + _mm512_loadu_pd(s + i)) + (l + r) - 4.0 * here;
      _mm512_storeu_pd(next + at, 2.0 * here - _mm512_loadu_pd(before + at) + r2 * v * v * lap);
      left = here, here = right;
    }
  }
}
""",
    [
        np.zeros((H, W)),
        doubles(2, H, W),
        doubles(3, H, W),
        doubles(4, H, W, low=0.5),
        np.int32(W),
        np.int32(H),
        np.float64(0.25),
    ],
    (W // 16, H // 16),
    (18, 18),
)

# 3. diffusion in 3-D: a block marches along z, the tile of 34 x 10 is loaded in steps of a flat index
NX, NY, NZ = 96, 64, 28
case(
    "diffusion 3-D, 34x10 tile in steps",
    r"""
#define BX 32
#define BY 8
__global__ void diffuse3d(const float *in, float *out, int nx, int ny, int nz, float alpha) {
  __shared__ float tile[BY + 2][BX + 2];
  int x0 = blockIdx.x * BX, y0 = blockIdx.y * BY;
  int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  int flat = threadIdx.y * BX + threadIdx.x;
  int plane = nx * ny;
  bool inside = x < nx && y < ny;
  float below = inside ? in[y * nx + x] : 0.f;
  float here = below;
  for (int z = 0; z < nz; z++) {
    for (int t = flat; t < (BX + 2) * (BY + 2); t += BX * BY) {
      int ly = t / (BX + 2), lx = t % (BX + 2);
      int gx = min(max(x0 + lx - 1, 0), nx - 1);
      int gy = min(max(y0 + ly - 1, 0), ny - 1);
      tile[ly][lx] = in[z * plane + gy * nx + gx];
    }
    __syncthreads();
    if (inside) {
      float above = z + 1 < nz ? in[(z + 1) * plane + y * nx + x] : here;
      int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
      float sum = tile[ly][lx - 1] + tile[ly][lx + 1] + tile[ly - 1][lx] + tile[ly + 1][lx] + above + below;
      out[z * plane + y * nx + x] = here + alpha * (sum - 6.f * here);
      below = here;
      here = above;
    }
    __syncthreads();
  }
}
""",
    r"""
void twin(const float *__restrict in, float *__restrict out, int nx, int ny, int nz, float alpha) {
  const int plane = nx * ny;
  const __m512 a = _mm512_set1_ps(alpha), keep = _mm512_set1_ps(1.f - 6.f * alpha);
  for (int z = 0; z < nz; z++) {
    const int down = z ? -plane : 0, up = z + 1 < nz ? plane : 0;
    for (int y = 0; y < ny; y += 4) {  // four rows at a time, sixteen columns
      const float *first = in + z * plane + y * nx, *north = y ? first - nx : first, *south = y + 4 < ny ? first + 4 * nx : first + 3 * nx;
      __m512i before[4];
      __m512 now[4];
      for (int i = 0; i < 4; i++) before[i] = _mm512_castps_si512(_mm512_set1_ps(first[i * nx])), now[i] = _mm512_loadu_ps(first + i * nx);
      for (int x = 0; x < nx; x += 16) {
        const bool end = x + 16 == nx;
        const __m512 v[6] = {_mm512_loadu_ps(north + x), now[0], now[1], now[2], now[3], _mm512_loadu_ps(south + x)};
        for (int i = 0; i < 4; i++) {
          const float *c = first + i * nx;
          const __m512 next = end ? _mm512_set1_ps(c[nx - 1]) : _mm512_loadu_ps(c + x + 16);
          const __m512i n = _mm512_castps_si512(next), m = _mm512_castps_si512(v[i + 1]);
          const __m512 l = _mm512_castsi512_ps(_mm512_alignr_epi32(m, before[i], 15)), r = _mm512_castsi512_ps(_mm512_alignr_epi32(n, m, 1));
          const __m512 sum = (l + r) + (v[i] + v[i + 2]) + (_mm512_loadu_ps(c + x + down) + _mm512_loadu_ps(c + x + up));
          _mm512_storeu_ps(out + z * plane + (y + i) * nx + x, _mm512_fmadd_ps(a, sum, keep * v[i + 1]));
          before[i] = m, now[i] = next;
        }
      }
    }
  }
}
""",
    [
        floats(5, NZ, NY, NX),
        np.zeros((NZ, NY, NX), np.float32),
        np.int32(NX),
        np.int32(NY),
        np.int32(NZ),
        np.float32(0.12),
    ],
    (NX // 32, NY // 8),
    (32, 8),
)

# 4. Lattice Boltzmann, D2Q9, pull, bounce-back by a mask of bytes
W, H = 192, 128
WEIGHTS = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4, np.float32)
case(
    "lattice Boltzmann D2Q9, pull, uchar mask",
    r"""
__constant__ int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ int opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
__constant__ float w[9] = {4.f / 9,  1.f / 9,  1.f / 9,  1.f / 9, 1.f / 9,
                           1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};

__global__ void lbm(const float *f, float *g, const unsigned char *solid, int nx, int ny, float omega) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  int n = nx * ny, id = y * nx + x;

  float p[9];
  float rho = 0, ux = 0, uy = 0;
  for (int k = 0; k < 9; k++) {
    int sx = (x - ex[k] + nx) % nx;
    int sy = (y - ey[k] + ny) % ny;
    p[k] = f[k * n + sy * nx + sx];
    rho += p[k];
    ux += ex[k] * p[k];
    uy += ey[k] * p[k];
  }
  if (solid[id]) {
    for (int k = 0; k < 9; k++) g[k * n + id] = p[opposite[k]];
    return;
  }
  ux /= rho;
  uy /= rho;
  float usq = 1.5f * (ux * ux + uy * uy);
  for (int k = 0; k < 9; k++) {
    float eu = 3.f * (ex[k] * ux + ey[k] * uy);
    float feq = w[k] * rho * (1.f + eu + 0.5f * eu * eu - usq);
    g[k * n + id] = p[k] + omega * (feq - p[k]);
  }
}
""",
    r"""
void twin(const float *__restrict f, float *__restrict g, const unsigned char *__restrict solid, int nx, int ny, float omega) {
  typedef __m512 V;
  const int n = nx * ny;
  const float keep = 1.f - omega, w0 = omega * 4 / 9, w1 = omega / 9, w2 = omega / 36;
  auto shift = [](V low, V high, auto by) __attribute__((always_inline)) {
    return _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(high), _mm512_castps_si512(low), decltype(by)::value));
  };
  const std::integral_constant<int, 15> right;
  const std::integral_constant<int, 1> left;
  for (int y = 0; y < ny; y++) {
    const int here = y * nx, up = (y + ny - 1) % ny * nx, down = (y + 1) % ny * nx;
    const float *f0 = f + here, *f1 = f + n + here, *f2 = f + 2 * n + up, *f3 = f + 3 * n + here, *f4 = f + 4 * n + down;
    const float *f5 = f + 5 * n + up, *f6 = f + 6 * n + up, *f7 = f + 7 * n + down, *f8 = f + 8 * n + down;
    auto at = [](const float *p, int x) __attribute__((always_inline)) { return _mm512_loadu_ps(p + x); };
    V last1 = at(f1, nx - 16), last5 = at(f5, nx - 16), last8 = at(f8, nx - 16), now3 = at(f3, 0), now6 = at(f6, 0), now7 = at(f7, 0);
    for (int x = 0; x < nx; x += 16) {
      const int e = x + 16 == nx ? 0 : x + 16;
      const V now1 = at(f1, x), now5 = at(f5, x), now8 = at(f8, x), next3 = at(f3, e), next6 = at(f6, e), next7 = at(f7, e);
      const V p0 = at(f0, x), p2 = at(f2, x), p4 = at(f4, x), p1 = shift(last1, now1, right), p5 = shift(last5, now5, right);
      const V p8 = shift(last8, now8, right), p3 = shift(now3, next3, left), p6 = shift(now6, next6, left), p7 = shift(now7, next7, left);
      last1 = now1, last5 = now5, last8 = now8, now3 = next3, now6 = next6, now7 = next7;
      const V rho = ((p0 + p1) + (p2 + p3)) + ((p4 + p5) + (p6 + p7)) + p8, inv = _mm512_div_ps(_mm512_set1_ps(1.f), rho);
      const V ux = ((p1 - p3) + (p5 - p6) + (p8 - p7)) * inv, uy = ((p2 - p4) + (p5 - p7) + (p6 - p8)) * inv;
      const V base = 1.f - 1.5f * (ux * ux + uy * uy), a = ux + uy, b = ux - uy;
      const V ex = base + 4.5f * ux * ux, ey = base + 4.5f * uy * uy, ea = base + 4.5f * a * a, eb = base + 4.5f * b * b;
      const V r1 = w1 * rho, r2 = w2 * rho;
      const __m128i wall = _mm_loadu_si128((const __m128i *)(solid + here + x));
      const __mmask16 s = _mm_test_epi8_mask(wall, wall);
      float *o = g + here + x;
      auto put = [&](int q, V moving, V back) __attribute__((always_inline)) { _mm512_storeu_ps(o + q * n, _mm512_mask_mov_ps(moving, s, back)); };
      put(0, keep * p0 + w0 * rho * base, p0);
      put(1, keep * p1 + r1 * (ex + 3.f * ux), p3);
      put(2, keep * p2 + r1 * (ey + 3.f * uy), p4);
      put(3, keep * p3 + r1 * (ex - 3.f * ux), p1);
      put(4, keep * p4 + r1 * (ey - 3.f * uy), p2);
      put(5, keep * p5 + r2 * (ea + 3.f * a), p7);
      put(6, keep * p6 + r2 * (eb - 3.f * b), p8);
      put(7, keep * p7 + r2 * (ea - 3.f * a), p5);
      put(8, keep * p8 + r2 * (eb + 3.f * b), p6);
    }
  }
}
""",
    [
        WEIGHTS[:, None, None] * floats(6, 9, H, W, low=0.8, high=1.2),
        np.zeros((9, H, W), np.float32),
        (floats(7, H, W) < 0.06).astype(np.uint8),
        np.int32(W),
        np.int32(H),
        np.float32(1.2),
    ],
    (W // 32, H // 4),
    (32, 4),
)

# 5. all-pairs gravity, tiles of float4 in shared memory
N = 768
case(
    "n-body all pairs, float4 tiles",
    r"""
__device__ float3 interaction(float4 bi, float4 bj, float3 ai) {
  float3 r;
  r.x = bj.x - bi.x;
  r.y = bj.y - bi.y;
  r.z = bj.z - bi.z;
  float dist2 = r.x * r.x + r.y * r.y + r.z * r.z + 0.01f;
  float inv = rsqrtf(dist2);
  float s = bj.w * inv * inv * inv;
  ai.x += r.x * s;
  ai.y += r.y * s;
  ai.z += r.z * s;
  return ai;
}

__global__ void forces(const float4 *bodies, float *accel, int n) {
  extern __shared__ float4 sh[];
  int gid = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = bodies[gid];
  float3 acc = make_float3(0.0f, 0.0f, 0.0f);
  for (int tile = 0; tile < gridDim.x; tile++) {
    sh[threadIdx.x] = bodies[tile * blockDim.x + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < blockDim.x; j++) acc = interaction(me, sh[j], acc);
    __syncthreads();
  }
  reinterpret_cast<float4 *>(accel)[gid] = make_float4(acc.x, acc.y, acc.z, 0.0f);
}
""",
    r"""
void twin(const float *__restrict b, float *__restrict accel, int n) {
  static float xs[4096], ys[4096], zs[4096];
  for (int i = 0; i < n; i++) xs[i] = b[4 * i], ys[i] = b[4 * i + 1], zs[i] = b[4 * i + 2];
  const __m512 eps = _mm512_set1_ps(0.01f), one = _mm512_set1_ps(1.f), more = _mm512_set1_ps(1.5f);
  for (int i = 0; i < n; i += 32) {
    __m512 x[2], y[2], z[2], ax[2], ay[2], az[2];
    for (int v = 0; v < 2; v++) {
      x[v] = _mm512_loadu_ps(xs + i + 16 * v), y[v] = _mm512_loadu_ps(ys + i + 16 * v), z[v] = _mm512_loadu_ps(zs + i + 16 * v);
      ax[v] = ay[v] = az[v] = _mm512_setzero_ps();
    }
    for (int j = 0; j < n; j++) {
      const __m512 bx = _mm512_set1_ps(b[4 * j]), by = _mm512_set1_ps(b[4 * j + 1]), bz = _mm512_set1_ps(b[4 * j + 2]);
      const __m512 m = _mm512_set1_ps(b[4 * j + 3]);
      for (int v = 0; v < 2; v++) {
        const __m512 dx = _mm512_sub_ps(bx, x[v]), dy = _mm512_sub_ps(by, y[v]), dz = _mm512_sub_ps(bz, z[v]);
        const __m512 d2 = _mm512_fmadd_ps(dx, dx, _mm512_fmadd_ps(dy, dy, _mm512_fmadd_ps(dz, dz, eps)));
        const __m512 r = _mm512_rsqrt14_ps(d2), r2 = _mm512_mul_ps(r, r);
        const __m512 off = _mm512_fnmadd_ps(d2, r2, one);  // the cube of the root gets a term of its series
        const __m512 s = _mm512_mul_ps(_mm512_mul_ps(_mm512_mul_ps(m, r), r2), _mm512_fmadd_ps(off, more, one));
        ax[v] = _mm512_fmadd_ps(dx, s, ax[v]), ay[v] = _mm512_fmadd_ps(dy, s, ay[v]), az[v] = _mm512_fmadd_ps(dz, s, az[v]);
      }
    }
    float o[3][32];
    for (int v = 0; v < 2; v++) {
      _mm512_storeu_ps(o[0] + 16 * v, ax[v]), _mm512_storeu_ps(o[1] + 16 * v, ay[v]), _mm512_storeu_ps(o[2] + 16 * v, az[v]);
    }
    for (int l = 0; l < 32; l++) {
      float *a = accel + 4 * (i + l);
      a[0] = o[0][l], a[1] = o[1][l], a[2] = o[2][l], a[3] = 0;
    }
  }
}
""",
    [structs(floats(8, N, 4), 16), np.zeros((N, 4), np.float32), np.int32(N)],
    N // 128,
    128,
    results=[1],
    shared=128 * 16,
)


# 6. Lennard-Jones with cell lists, a periodic box
def particles(side, cells, seed):
    rng = np.random.default_rng(seed)
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)
    at = ((grid + 0.5) / side * cells + rng.uniform(-0.1, 0.1, grid.shape)).astype(np.float32) % np.float32(cells)
    cell = np.minimum(at.astype(np.int32), cells - 1)
    key = (cell[:, 2] * cells + cell[:, 1]) * cells + cell[:, 0]
    order = np.argsort(key, kind="stable")
    start = np.searchsorted(key[order], np.arange(cells**3 + 1)).astype(np.int32)
    return np.concatenate([at[order], np.ones((len(at), 1), np.float32)], 1), start


PARTICLES, CELL_START = particles(10, 6, 9)
case(
    "Lennard-Jones with cell lists, periodic",
    r"""
struct Box {
  int cells;
  float length;
};

__device__ inline int wrap(int c, const Box &box, float &shift) {
  shift = 0.0f;
  if (c < 0) { shift = -box.length; return c + box.cells; }
  if (c >= box.cells) { shift = box.length; return c - box.cells; }
  return c;
}

__global__ void lennard_jones(const float4 *pos, const int *cell_start, float *force, int n, int cells, float sigma2, float cut2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Box box;
  box.cells = cells;
  box.length = (float)cells;
  float4 p = pos[i];
  int cx = min((int)p.x, cells - 1), cy = min((int)p.y, cells - 1), cz = min((int)p.z, cells - 1);
  float4 f = {0.f, 0.f, 0.f, 0.f};
  for (int dz = -1; dz <= 1; dz++)
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        float sx, sy, sz;
        int nx = wrap(cx + dx, box, sx), ny = wrap(cy + dy, box, sy), nz = wrap(cz + dz, box, sz);
        int c = (nz * cells + ny) * cells + nx;
        for (int j = cell_start[c]; j < cell_start[c + 1]; j++) {
          if (j == i) continue;
          float4 q = pos[j];
          float rx = p.x - (q.x + sx), ry = p.y - (q.y + sy), rz = p.z - (q.z + sz);
          float r2 = rx * rx + ry * ry + rz * rz;
          if (r2 < cut2) {
            float s2 = sigma2 / r2;
            float s6 = s2 * s2 * s2;
            float k = 24.f * s6 * (2.f * s6 - 1.f) / r2;
            f.x += k * rx;
            f.y += k * ry;
            f.z += k * rz;
            f.w += 4.f * s6 * (s6 - 1.f);
          }
        }
      }
  ((float4 *)force)[i] = f;
}
""",
    r"""
void twin(const float *__restrict pos, const int *__restrict start, float *__restrict force, int n, int cells, float sigma2, float cut2) {
  float bx[1024], by[1024], bz[1024];
  const float length = cells;
  for (int cz = 0; cz < cells; cz++)
    for (int cy = 0; cy < cells; cy++)
      for (int cx = 0; cx < cells; cx++) {
        const int c = (cz * cells + cy) * cells + cx;
        if (start[c] == start[c + 1]) continue;
        int m = 0;  // the neighbourhood, gathered once for all particles of the cell
        for (int dz = -1; dz <= 1; dz++)
          for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
              int x = cx + dx, y = cy + dy, z = cz + dz;
              float sx = 0, sy = 0, sz = 0;
              if (x < 0) x += cells, sx = -length; else if (x >= cells) x -= cells, sx = length;
              if (y < 0) y += cells, sy = -length; else if (y >= cells) y -= cells, sy = length;
              if (z < 0) z += cells, sz = -length; else if (z >= cells) z -= cells, sz = length;
              const int d = (z * cells + y) * cells + x;
              for (int j = start[d]; j < start[d + 1]; j++, m++) bx[m] = pos[4 * j] + sx, by[m] = pos[4 * j + 1] + sy, bz[m] = pos[4 * j + 2] + sz;
            }
        for (int k = 0; k < 16; k++) bx[m + k] = by[m + k] = bz[m + k] = 1e6f;
        const __m512 cut = _mm512_set1_ps(cut2), sig = _mm512_set1_ps(sigma2), one = _mm512_set1_ps(1), zero = _mm512_setzero_ps();
        for (int i = start[c]; i < start[c + 1]; i++) {
          const __m512 px = _mm512_set1_ps(pos[4 * i]), py = _mm512_set1_ps(pos[4 * i + 1]), pz = _mm512_set1_ps(pos[4 * i + 2]);
          __m512 fx = zero, fy = zero, fz = zero, fe = zero;
          for (int k = 0; k < m; k += 16) {
            const __m512 rx = _mm512_sub_ps(px, _mm512_loadu_ps(bx + k)), ry = _mm512_sub_ps(py, _mm512_loadu_ps(by + k));
            const __m512 rz = _mm512_sub_ps(pz, _mm512_loadu_ps(bz + k));
            const __m512 r2 = _mm512_fmadd_ps(rx, rx, _mm512_fmadd_ps(ry, ry, _mm512_mul_ps(rz, rz)));
            const __mmask16 near = _mm512_cmp_ps_mask(r2, cut, _CMP_LT_OQ) & _mm512_cmp_ps_mask(r2, zero, _CMP_GT_OQ);
            if (!near) continue;
            __m512 inv = _mm512_maskz_rcp14_ps(near, r2);
            inv = _mm512_mul_ps(inv, _mm512_fnmadd_ps(r2, inv, _mm512_set1_ps(2)));
            const __m512 s2 = _mm512_mul_ps(sig, inv), s6 = _mm512_mul_ps(s2, _mm512_mul_ps(s2, s2));
            const __m512 f = _mm512_mul_ps(_mm512_mul_ps(s6, inv), _mm512_fmsub_ps(_mm512_set1_ps(2), s6, one));
            fx = _mm512_fmadd_ps(f, rx, fx), fy = _mm512_fmadd_ps(f, ry, fy), fz = _mm512_fmadd_ps(f, rz, fz);
            fe = _mm512_fmadd_ps(s6, _mm512_sub_ps(s6, one), fe);
          }
          force[4 * i] = 24 * _mm512_reduce_add_ps(fx), force[4 * i + 1] = 24 * _mm512_reduce_add_ps(fy);
          force[4 * i + 2] = 24 * _mm512_reduce_add_ps(fz), force[4 * i + 3] = 4 * _mm512_reduce_add_ps(fe);
        }
      }
}
""",
    [
        structs(PARTICLES, 16),
        CELL_START,
        np.zeros_like(PARTICLES),
        np.int32(len(PARTICLES)),
        np.int32(6),
        np.float32(0.25),
        np.float32(1.0),
    ],
    (len(PARTICLES) + 63) // 64,
    64,
    results=[2],
)

# 7. Ising, one colour of the checkerboard, spins of one byte, a hash as random numbers
N = 512
case(
    "Ising checkerboard, signed char, hash RNG",
    r"""
__constant__ float accept[5] = {1.0f, 1.0f, 0.5f, 0.1717f, 0.0295f};

__device__ unsigned int hash32(unsigned int x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  x ^= x >> 16;
  return x;
}

__global__ void ising(const signed char *spin, signed char *out, int n, int colour, unsigned int step) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  int y = k / (n / 2);
  if (y >= n) return;
  int active = (y + colour) & 1;
  int x = 2 * (k % (n / 2)) + active;
  int up = y == 0 ? n - 1 : y - 1, down = y == n - 1 ? 0 : y + 1;
  int left = x == 0 ? n - 1 : x - 1, right = x == n - 1 ? 0 : x + 1;

  int s = spin[y * n + x];
  int sum = spin[up * n + x] + spin[down * n + x] + spin[y * n + left] + spin[y * n + right];
  float r = (hash32(k ^ step) >> 8) * (1.0f / 16777216.0f);
  out[y * n + x] = r < accept[(s * sum + 4) / 2] ? -s : s;
  int other = x ^ 1;
  out[y * n + other] = spin[y * n + other];
}
""",
    r"""
void twin(const signed char *__restrict spin, signed char *__restrict out, int n, int colour, unsigned step) {
  alignas(64) signed char row[4096 + 128];
  const float accept[5] = {1.0f, 1.0f, 0.5f, 0.1717f, 0.0295f};
  int limits[16] = {};
  for (int i = 0; i < 5; i++) limits[i] = (int)std::ceil((double)accept[i] * 16777216.0);
  const __m512i table = _mm512_loadu_si512(limits);
  const __m512i m1 = _mm512_set1_epi32(0x7feb352d), m2 = _mm512_set1_epi32((int)0x846ca68bU);
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i steps = _mm512_set1_epi32((int)step);
  for (int y = 0; y < n; y++) {
    const int active = (y + colour) & 1;
    signed char *c = row + 64;
    memcpy(c, spin + y * n, n);
    c[-1] = c[n - 1], c[n] = c[0];
    const signed char *u = spin + (y ? y - 1 : n - 1) * n, *d = spin + (y == n - 1 ? 0 : y + 1) * n;
    const __m128i up = _mm_cvtsi32_si128(active ? 0 : 8);
    for (int x = 0; x < n; x += 32) {
      auto load = [](const signed char *p) { return _mm256_loadu_si256((const __m256i *)p); };
      const __m256i own = load(c + x);
      const __m256i four = _mm256_add_epi8(_mm256_add_epi8(load(u + x), load(d + x)), _mm256_add_epi8(load(c + x - 1), load(c + x + 1)));
      const __m256i s = _mm256_srai_epi16(_mm256_sll_epi16(own, up), 8), sum = _mm256_srai_epi16(_mm256_sll_epi16(four, up), 8);
      const __m256i index = _mm256_srli_epi16(_mm256_add_epi16(_mm256_mullo_epi16(s, sum), _mm256_set1_epi16(4)), 1);
      const __m512i limit = _mm512_permutexvar_epi32(_mm512_cvtepu16_epi32(index), table);
      __m512i h = _mm512_xor_si512(_mm512_add_epi32(lanes, _mm512_set1_epi32((y * n + x) / 2)), steps);
      h = _mm512_mullo_epi32(_mm512_xor_si512(h, _mm512_srli_epi32(h, 16)), m1);
      h = _mm512_mullo_epi32(_mm512_xor_si512(h, _mm512_srli_epi32(h, 15)), m2);
      h = _mm512_srli_epi32(_mm512_xor_si512(h, _mm512_srli_epi32(h, 16)), 8);
      const __mmask16 flip = _mm512_cmplt_epi32_mask(h, limit);
      const __mmask32 which = active ? 0xaaaaaaaau : 0x55555555u;
      const __m256i turn = _mm256_movm_epi16(flip);
      _mm256_storeu_si256((__m256i *)(out + y * n + x), _mm256_mask_sub_epi8(own, which & _mm256_movepi8_mask(turn), _mm256_setzero_si256(), own));
    }
  }
}
""",
    [
        (2 * ints(10, 0, 2, N, N) - 1).astype(np.int8),
        np.zeros((N, N), np.int8),
        np.int32(N),
        np.int32(1),
        np.uint32(0x9E3779B9),
    ],
    N * N // 2 // 256,
    256,
)

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


# 10. finite elements: the stiffness of linear triangles, coordinates gathered
def mesh(nx, ny, seed):
    rng = np.random.default_rng(seed)
    x, y = np.meshgrid(np.arange(nx + 1), np.arange(ny + 1))
    nodes = np.stack([x, y], -1).reshape(-1, 2) + rng.uniform(-0.2, 0.2, ((nx + 1) * (ny + 1), 2))
    a = (np.arange(ny)[:, None] * (nx + 1) + np.arange(nx)).reshape(-1)
    elements = np.concatenate([np.stack([a, a + 1, a + nx + 2], -1), np.stack([a, a + nx + 2, a + nx + 1], -1)])
    return nodes, elements.astype(np.int32)


NODES, ELEMENTS = mesh(128, 64, 13)
NE = len(ELEMENTS)
case(
    "finite elements, P1 stiffness, double2",
    r"""
struct Edge { double b, c; };

__device__ __forceinline__ Edge edge(double2 p, double2 q) {
  Edge e;
  e.b = p.y - q.y;
  e.c = q.x - p.x;
  return e;
}

__global__ void stiffness(const double2 *nodes, const int *elements, const double *kappa, double *ke, int ne) {
  int e = blockDim.x * blockIdx.x + threadIdx.x;
  if (e < ne) {
    const int *v = elements + 3 * e;
    double2 p0 = nodes[v[0]], p1 = nodes[v[1]], p2 = nodes[v[2]];
    Edge g[3] = {edge(p1, p2), edge(p2, p0), edge(p0, p1)};
    double area2 = g[0].b * g[1].c - g[1].b * g[0].c;
    double f = kappa[e] / (2.0 * area2);
    int k = 0;
    for (int i = 0; i < 3; i++)
      for (int j = i; j < 3; j++, k++) ke[k * ne + e] = f * (g[i].b * g[j].b + g[i].c * g[j].c);
  }
}
""",
    r"""
void twin(const double *__restrict nodes, const int *__restrict el, const double *__restrict kappa, double *__restrict ke, int ne) {
  for (int e = 0; e < ne; e += 8) {
    __m512d x[3], y[3];
    for (int i = 0; i < 3; i++) {  // eight points by loads of pairs, which a gather would split
      const int *v = el + 3 * e + i;
      __m512d q[2];
      for (int h = 0; h < 2; h++) {
        auto pair = [&](int k) __attribute__((always_inline)) { return _mm_loadu_pd(nodes + 2 * v[3 * (2 * k + h)]); };
        q[h] = _mm512_castpd128_pd512(pair(0));
        q[h] = _mm512_mask_broadcast_f64x2(q[h], 0x0c, pair(1));
        q[h] = _mm512_mask_broadcast_f64x2(q[h], 0x30, pair(2));
        q[h] = _mm512_mask_broadcast_f64x2(q[h], 0xc0, pair(3));
      }
      x[i] = _mm512_unpacklo_pd(q[0], q[1]), y[i] = _mm512_unpackhi_pd(q[0], q[1]);
    }
    __m512d b[3], c[3];
    for (int i = 0; i < 3; i++) b[i] = y[(i + 1) % 3] - y[(i + 2) % 3], c[i] = x[(i + 2) % 3] - x[(i + 1) % 3];
    const __m512d f = _mm512_loadu_pd(kappa + e) / (2.0 * (b[0] * c[1] - b[1] * c[0]));
    int k = 0;
    for (int i = 0; i < 3; i++) {
      const __m512d fb = f * b[i], fc = f * c[i];
      for (int j = i; j < 3; j++, k++) _mm512_storeu_pd(ke + k * ne + e, fb * b[j] + fc * c[j]);
    }
  }
}
""",
    [structs(NODES, 16), ELEMENTS, doubles(14, NE, low=0.5), np.zeros((6, NE)), np.int32(NE)],
    NE // 256,
    256,
    results=[3],
)

# 11. advection with a flux limiter, a functor as template argument
NX, ROWS = 512, 160
case(
    "advection, superbee limiter, template",
    r"""
struct Minmod {
  __device__ static float limit(float a, float b) { return a * b <= 0.0f ? 0.0f : (fabsf(a) < fabsf(b) ? a : b); }
};
struct Superbee {
  __device__ static float limit(float a, float b) {
    if (a * b <= 0.0f) return 0.0f;
    float aa = fabsf(a), bb = fabsf(b);
    float m = fmaxf(fminf(2.0f * aa, bb), fminf(aa, 2.0f * bb));
    return a > 0.0f ? m : -m;
  }
};

template <class Limiter, int BLOCK>
__device__ void advect_row(const float *q, float *out, int nx, float cfl) {
  __shared__ float s[BLOCK + 4];
  const int t = threadIdx.x;
  const int x = blockIdx.x * BLOCK + t;
  s[t + 2] = q[x];
  if (t < 2) s[t] = q[(x - 2 + nx) % nx];
  if (t >= BLOCK - 2) s[t + 4] = q[(x + 2) % nx];
  __syncthreads();
  const float here = s[t + 2], left = s[t + 1];
  const float slope0 = Limiter::limit(left - s[t], here - left);
  const float slope1 = Limiter::limit(here - left, s[t + 3] - here);
  const float in = cfl * (left + 0.5f * (1.0f - cfl) * slope0);
  const float away = cfl * (here + 0.5f * (1.0f - cfl) * slope1);
  out[x] = here + in - away;
}

__global__ void advect(const float *q, float *out, int nx, float cfl) {
  advect_row<Superbee, 256>(q + blockIdx.y * nx, out + blockIdx.y * nx, nx, cfl);
}
""",
    r"""
void twin(const float *__restrict q, float *__restrict out, int nx, float cfl) {
  typedef __m512 V;
  const float k = 0.5f * cfl * (1.0f - cfl);
  auto flux = [&](V l, V c, V r) __attribute__((always_inline)) {  // what leaves the cells c to the right
    const V a = c - l, b = r - c, aa = _mm512_abs_ps(a), bb = _mm512_abs_ps(b);
    const V m = _mm512_max_ps(_mm512_min_ps(aa + aa, bb), _mm512_min_ps(aa, bb + bb));
    const __mmask16 same = _mm512_cmp_ps_mask(a * b, _mm512_setzero_ps(), _CMP_GT_OQ);
    const __m512i sign = _mm512_set1_epi32(0x80000000), am = _mm512_castps_si512(a), mm = _mm512_castps_si512(m);
    const V slope = _mm512_castsi512_ps(_mm512_maskz_ternarylogic_epi32(same, sign, am, mm, 0xca));  // the sign of a, else of m
    return cfl * c + k * slope;
  };
  auto alignr = [](V high, V low, auto by) __attribute__((always_inline)) {
    return _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(high), _mm512_castps_si512(low), decltype(by)::value));
  };
  const std::integral_constant<int, 15> fifteen;
  const std::integral_constant<int, 1> one;
  for (int y = 0; y < 160; y++) {
    const float *p = q + y * nx;
    float *o = out + y * nx;
    V last = _mm512_loadu_ps(p + nx - 16), here = _mm512_loadu_ps(p);
    V before = flux(alignr(last, last, fifteen), last, alignr(here, last, one));  // of which the last lane is needed
    for (int x = 0; x < nx; x += 16) {
      const V next = _mm512_loadu_ps(p + (x + 16 == nx ? 0 : x + 16));
      const V away = flux(alignr(here, last, fifteen), here, alignr(next, here, one));
      _mm512_storeu_ps(o + x, here + (alignr(away, before, fifteen) - away));
      last = here, here = next, before = away;
    }
  }
}
""",
    [floats(15, ROWS, NX), np.zeros((ROWS, NX), np.float32), np.int32(NX), np.float32(0.4)],
    (NX // 256, ROWS),
    256,
)

# 12. shallow water, finite volumes, Rusanov's flux, float4 cells, walls that reflect
W, H = 192, 128
WATER = np.stack([floats(16, H, W, low=1, high=1.5), *floats(17, 2, H, W, low=-0.3, high=0.3), floats(18, H, W)], -1)
case(
    "shallow water, Rusanov flux, float4",
    r"""
#define G 9.81f
struct Flux { float h, n, t; };

__device__ Flux rusanov(float hl, float nl, float tl, float hr, float nr, float tr) {
  float ul = nl / hl, ur = nr / hr;
  float sl = fabsf(ul) + sqrtf(G * hl), sr = fabsf(ur) + sqrtf(G * hr);
  float s = fmaxf(sl, sr);
  Flux f;
  f.h = 0.5f * (nl + nr - s * (hr - hl));
  f.n = 0.5f * (nl * ul + nr * ur + 0.5f * G * (hl * hl + hr * hr) - s * (nr - nl));
  f.t = 0.5f * (tl * ul + tr * ur - s * (tr - tl));
  return f;
}

__global__ void shallow_water(const float4 *cells, float *out, int nx, int ny, float dt_dx) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  float4 c = cells[y * nx + x];
  float4 w = c, e = c, s = c, n = c;
  if (x > 0) w = cells[y * nx + x - 1]; else w.y = -c.y;
  if (x < nx - 1) e = cells[y * nx + x + 1]; else e.y = -c.y;
  if (y > 0) s = cells[(y - 1) * nx + x]; else s.z = -c.z;
  if (y < ny - 1) n = cells[(y + 1) * nx + x]; else n.z = -c.z;
  Flux fw = rusanov(w.x, w.y, w.z, c.x, c.y, c.z);
  Flux fe = rusanov(c.x, c.y, c.z, e.x, e.y, e.z);
  Flux fs = rusanov(s.x, s.z, s.y, c.x, c.z, c.y);
  Flux fn = rusanov(c.x, c.z, c.y, n.x, n.z, n.y);
  float4 r;
  r.x = c.x - dt_dx * (fe.h - fw.h + fn.h - fs.h);
  r.y = c.y - dt_dx * (fe.n - fw.n + fn.t - fs.t);
  r.z = c.z - dt_dx * (fe.t - fw.t + fn.n - fs.n);
  r.w = c.w;
  reinterpret_cast<float4 *>(out)[y * nx + x] = r;
}
""",
    r"""
struct Row { float h[1060], m[1060], n[1060], b[1060], u[1060], v[1060], c[1060]; };
struct Faces { float h[1060], n[1060], t[1060]; };
static inline void lanes4(__m512 *r) {  // four by four quarters of a register
  const __m512 a = _mm512_shuffle_f32x4(r[0], r[1], 0x44), b = _mm512_shuffle_f32x4(r[0], r[1], 0xee);
  const __m512 c = _mm512_shuffle_f32x4(r[2], r[3], 0x44), d = _mm512_shuffle_f32x4(r[2], r[3], 0xee);
  r[0] = _mm512_shuffle_f32x4(a, c, 0x88), r[1] = _mm512_shuffle_f32x4(a, c, 0xdd);
  r[2] = _mm512_shuffle_f32x4(b, d, 0x88), r[3] = _mm512_shuffle_f32x4(b, d, 0xdd);
}
static inline void words4(__m512 *r) {  // four by four words within each quarter
  const __m512 a = _mm512_unpacklo_ps(r[0], r[1]), b = _mm512_unpackhi_ps(r[0], r[1]);
  const __m512 c = _mm512_unpacklo_ps(r[2], r[3]), d = _mm512_unpackhi_ps(r[2], r[3]);
  r[0] = _mm512_shuffle_ps(a, c, 0x44), r[1] = _mm512_shuffle_ps(a, c, 0xee);
  r[2] = _mm512_shuffle_ps(b, d, 0x44), r[3] = _mm512_shuffle_ps(b, d, 0xee);
}
void twin(const float *__restrict cells, float *__restrict out, int nx, int ny, float k) {
  static Row rows[2];
  static Faces columns, across[2];
  auto read = [&](int y, Row &r) {
    for (int x = 0; x < nx; x += 16) {
      __m512 q[4];
      for (int i = 0; i < 4; i++) q[i] = _mm512_loadu_ps(cells + 4 * (y * nx + x) + 16 * i);
      lanes4(q), words4(q);
      _mm512_storeu_ps(r.h + x + 1, q[0]), _mm512_storeu_ps(r.m + x + 1, q[1]);
      _mm512_storeu_ps(r.n + x + 1, q[2]), _mm512_storeu_ps(r.b + x + 1, q[3]);
      const __m512 inv = _mm512_div_ps(_mm512_set1_ps(1.f), q[0]);
      _mm512_storeu_ps(r.u + x + 1, _mm512_mul_ps(q[1], inv)), _mm512_storeu_ps(r.v + x + 1, _mm512_mul_ps(q[2], inv));
      _mm512_storeu_ps(r.c + x + 1, _mm512_sqrt_ps(_mm512_mul_ps(q[0], _mm512_set1_ps(9.81f))));
    }
    for (int side = 0; side < 2; side++) {
      const int to = side ? nx + 1 : 0, from = side ? nx : 1;
      r.h[to] = r.h[from], r.m[to] = -r.m[from], r.n[to] = r.n[from], r.u[to] = -r.u[from], r.v[to] = r.v[from], r.c[to] = r.c[from];
    }
  };
  typedef __m512 V;
  auto at = [](const float *p, int x) __attribute__((always_inline)) { return _mm512_loadu_ps(p + x); };
  auto flux = [](Faces &f, int i, V hl, V nl, V tl, V ul, V cl, V hr, V nr, V tr, V ur, V cr) __attribute__((always_inline)) {
    const V s = _mm512_max_ps(_mm512_abs_ps(ul) + cl, _mm512_abs_ps(ur) + cr);
    _mm512_storeu_ps(f.h + i, nl + nr - s * (hr - hl));
    _mm512_storeu_ps(f.n + i, nl * ul + nr * ur + 4.905f * (hl * hl + hr * hr) - s * (nr - nl));
    _mm512_storeu_ps(f.t + i, tl * ul + tr * ur - s * (tr - tl));
  };
  auto upward = [&](Faces &f, const Row &l, float ls, const Row &r, float rs) __attribute__((always_inline)) {  // ls, rs: -1 for a mirror image
    for (int x = 1; x <= nx; x += 16)
      flux(f, x, at(l.h, x), ls * at(l.n, x), at(l.m, x), ls * at(l.v, x), at(l.c, x),
           at(r.h, x), rs * at(r.n, x), at(r.m, x), rs * at(r.v, x), at(r.c, x));
  };
  read(0, rows[0]);
  upward(across[0], rows[0], -1.f, rows[0], 1.f);
  const float half = 0.5f * k;
  for (int y = 0; y < ny; y++) {
    const Row &r = rows[y & 1], &q = rows[~y & 1];
    const Faces &low = across[y & 1];
    Faces &high = across[~y & 1];
    if (y + 1 < ny) {
      read(y + 1, rows[~y & 1]);
      upward(high, r, 1.f, q, 1.f);
    } else {
      upward(high, r, 1.f, r, -1.f);
    }
    for (int x = 0; x <= nx; x += 16) {
      const int e = x + 1;
      flux(columns, x, at(r.h, x), at(r.m, x), at(r.n, x), at(r.u, x), at(r.c, x), at(r.h, e), at(r.m, e), at(r.n, e), at(r.u, e), at(r.c, e));
    }
    const __m512 by = _mm512_set1_ps(half);
    for (int x = 0; x < nx; x += 16) {
      auto update = [&](const float *c, const float *f, const float *h, const float *l) {
        const __m512 d = (at(f, x + 1) - at(f, x)) + (at(h, x + 1) - at(l, x + 1));
        return _mm512_fnmadd_ps(by, d, at(c, x + 1));
      };
      __m512 o[4] = {update(r.h, columns.h, high.h, low.h), update(r.m, columns.n, high.t, low.t),
                     update(r.n, columns.t, high.n, low.n), at(r.b, x + 1)};
      words4(o), lanes4(o);
      for (int i = 0; i < 4; i++) _mm512_storeu_ps(out + 4 * (y * nx + x) + 16 * i, o[i]);
    }
  }
}
""",
    [
        structs(WATER, 16),
        np.zeros((H, W, 4), np.float32),
        np.int32(W),
        np.int32(H),
        np.float32(0.05),
    ],
    (W // 16, H // 16),
    (16, 16),
    results=[1],
)


# 13. a sparse matrix by rows, a warp a row
def csr(rows, cols, low, high, seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(low, high, rows)
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    return start, rng.integers(0, cols, start[-1]).astype(np.int32)


ROWS = 3072
START, COLUMNS = csr(ROWS, ROWS, 0, 50, 20)
case(
    "sparse CSR product, warp a row, shuffles",
    r"""
__global__ void spmv_csr_warp(const int *row_ptr, const int *col, const float *val, const float *x, float *y, int rows) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int row = thread / 32;
  int lane = thread & 31;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int k = row_ptr[row] + lane; k < row_ptr[row + 1]; k += 32) sum += val[k] * x[col[k]];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (lane == 0) y[row] = sum;
}
""",
    r"""
void twin(const int *__restrict row_ptr, const int *__restrict col, const float *__restrict val, const float *__restrict x,
          float *__restrict y, int rows) {
  for (int r = 0; r < rows; r++) {
    int k = row_ptr[r];
    const int end = row_ptr[r + 1];
    __m512 sum = _mm512_setzero_ps();
    for (; k + 16 <= end; k += 16)
      sum = _mm512_fmadd_ps(_mm512_loadu_ps(val + k), _mm512_i32gather_ps(_mm512_loadu_si512(col + k), x, 4), sum);
    int rest = end - k;
    if (rest > 8) {
      const __mmask16 m = (1u << rest) - 1;
      const __m512 g = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), m, _mm512_maskz_loadu_epi32(m, col + k), x, 4);
      sum = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(m, val + k), g, sum);
    } else if (rest > 0) {
      const __mmask8 m = (1u << rest) - 1;
      const __m256 g = _mm256_mmask_i32gather_ps(_mm256_setzero_ps(), m, _mm256_maskz_loadu_epi32(m, col + k), x, 4);
      sum = _mm512_add_ps(sum, _mm512_zextps256_ps512(_mm256_mul_ps(_mm256_maskz_loadu_ps(m, val + k), g)));
    }
    y[r] = _mm512_reduce_add_ps(sum);
  }
}
""",
    [START, COLUMNS, floats(21, len(COLUMNS)), floats(22, ROWS), np.zeros(ROWS, np.float32), np.int32(ROWS)],
    ROWS // 4,
    128,
)

# 14. ELLPACK, column by column, a thread a row
ROWS, WIDTH = 4000, 16
case(
    "sparse ELL product, padded by -1, double",
    r"""
__global__ void spmv_ell(int rows, int width, const int *indices, const double *data, const double *x, double *y) {
  int row = blockDim.x * blockIdx.x + threadIdx.x;
  if (row < rows) {
    double dot = 0;
    for (int n = 0; n < width; n++) {
      int col = indices[rows * n + row];
      if (col >= 0) dot += data[rows * n + row] * x[col];
    }
    y[row] = dot;
  }
}
""",
    r"""
void twin(int rows, int width, const int *__restrict indices, const double *__restrict data, const double *__restrict x, double *__restrict y) {
  for (int row = 0; row < rows; row += 32) {
    __m512d dot[4] = {};
    for (int n = 0; n < width; n++)
      for (int v = 0; v < 4; v++) {
        const int at = rows * n + row + 8 * v;
        const __m256i col = _mm256_loadu_si256((const __m256i *)(indices + at));
        const __mmask8 m = _mm256_cmp_epi32_mask(col, _mm256_setzero_si256(), _MM_CMPINT_NLT);
        const __m512d g = _mm512_mask_i32gather_pd(_mm512_setzero_pd(), m, col, x, 8);
        dot[v] = _mm512_fmadd_pd(_mm512_loadu_pd(data + at), g, dot[v]);
      }
    for (int v = 0; v < 4; v++) _mm512_storeu_pd(y + row + 8 * v, dot[v]);
  }
}
""",
    [
        np.int32(ROWS),
        np.int32(WIDTH),
        np.where(doubles(23, WIDTH, ROWS) < 0.8, ints(24, 0, ROWS, WIDTH, ROWS), -1).astype(np.int32),
        doubles(25, WIDTH, ROWS),
        doubles(26, ROWS),
        np.zeros(ROWS),
    ],
    (ROWS + 255) // 256,
    256,
)

# 15. blocks of 4 x 4, a thread a row of the blocks
ROWS = 1024
START, COLUMNS = csr(ROWS, ROWS, 10, 26, 27)
case(
    "sparse BSR 4x4 product, float4",
    r"""
__global__ void bsrmv4(const int *__restrict__ ptr, const int *__restrict__ col, const float4 *__restrict__ blocks,
                       const float4 *__restrict__ x, float *__restrict__ y, int block_rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int br = row >> 2, r = row & 3;
  if (br >= block_rows) return;
  float acc = 0.f;
  const int end = ptr[br + 1];
  for (int b = ptr[br]; b < end; ++b) {
    const float4 a = blocks[4 * b + r];
    const float4 v = x[col[b]];
    acc = fmaf(a.x, v.x, acc);
    acc = fmaf(a.y, v.y, acc);
    acc = fmaf(a.z, v.z, acc);
    acc = fmaf(a.w, v.w, acc);
  }
  y[row] = acc;
}
""",
    r"""
void twin(const int *__restrict ptr, const int *__restrict col, const float *__restrict blocks, const float *__restrict x,
          float *__restrict y, int block_rows) {
  const __m512i firsts = _mm512_setr_epi32(0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12);
  for (int br = 0; br < block_rows; br++) {
    __m512 a = _mm512_setzero_ps(), c = a;
    int b = ptr[br];
    const int end = ptr[br + 1];
    auto x4 = [&](int i) { return _mm512_broadcast_f32x4(_mm_loadu_ps(x + 4 * col[i])); };
    for (; b + 2 <= end; b += 2) {
      a = _mm512_fmadd_ps(_mm512_loadu_ps(blocks + 16 * b), x4(b), a);
      c = _mm512_fmadd_ps(_mm512_loadu_ps(blocks + 16 * b + 16), x4(b + 1), c);
    }
    if (b < end) a = _mm512_fmadd_ps(_mm512_loadu_ps(blocks + 16 * b), x4(b), a);
    a = _mm512_add_ps(a, c);
    a = _mm512_add_ps(a, _mm512_permute_ps(a, 0xb1));
    a = _mm512_add_ps(a, _mm512_permute_ps(a, 0x4e));
    _mm_storeu_ps(y + 4 * br, _mm512_castps512_ps128(_mm512_permutexvar_ps(firsts, a)));
  }
}
""",
    [
        START,
        COLUMNS,
        structs(floats(28, len(COLUMNS), 4, 4), 16),
        structs(floats(29, ROWS, 4), 16),
        np.zeros(4 * ROWS, np.float32),
        np.int32(ROWS),
    ],
    4 * ROWS // 128,
    128,
    results=[4],
)

# 16. coordinates, sums by integer atomics (only the first launch is compared)
N, ROWS = 49152, 4096
case(
    "sparse COO product, short, atomicAdd",
    r"""
__global__ void spmv_coo(const int *row, const int *col, const short *val, const int *x, int *y, int nnz) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nnz; i += gridDim.x * blockDim.x) {
    int product = val[i] * x[col[i]];
    if (product != 0) atomicAdd(&y[row[i]], product);
  }
}
""",
    r"""
void twin(const int *__restrict row, const int *__restrict col, const short *__restrict val, const int *__restrict x, int *__restrict y, int nnz) {
  for (int i = 0; i < nnz; i++) y[row[i]] += val[i] * x[col[i]];
}
""",
    [
        ints(30, 0, ROWS, N),
        ints(31, 0, ROWS, N),
        ints(32, -20, 20, N, dtype=np.int16),
        ints(33, -9, 9, ROWS),
        np.zeros(ROWS, np.int32),
        np.int32(N),
    ],
    32,
    256,
)

GEMM = r"""
template <int rows>
static inline __attribute__((always_inline)) void micro(const float *a, int lda, const float *b, int ldb, int depth,
          __m512 (*acc)[2], __mmask16 m0, __mmask16 m1) {
  for (int i = 0; i < rows; i++) acc[i][0] = acc[i][1] = _mm512_setzero_ps();
  for (int k = 0; k < depth; k++) {
    const __m512 b0 = _mm512_maskz_loadu_ps(m0, b + k * ldb), b1 = _mm512_maskz_loadu_ps(m1, b + k * ldb + 16);
    for (int i = 0; i < rows; i++) {
      const __m512 x = _mm512_set1_ps(a[i * lda + k]);
      acc[i][0] = _mm512_fmadd_ps(x, b0, acc[i][0]), acc[i][1] = _mm512_fmadd_ps(x, b1, acc[i][1]);
    }
  }
}
"""
GEMM = 'extern "C++" {' + GEMM + "}\n"

# 17. the textbook's tiled product, with 8 x 8 threads
N = 160
case(
    "matrix product, 8x8 threads, tiles",
    r"""
#define TILE_WIDTH 8
__global__ void MatrixMulKernel(float *M, float *N, float *P, int Width) {
  __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
  __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];
  int bx = blockIdx.x, by = blockIdx.y;
  int tx = threadIdx.x, ty = threadIdx.y;
  int Row = by * TILE_WIDTH + ty;
  int Col = bx * TILE_WIDTH + tx;
  float Pvalue = 0;
  for (int ph = 0; ph < Width / TILE_WIDTH; ++ph) {
    Mds[ty][tx] = M[Row * Width + ph * TILE_WIDTH + tx];
    Nds[ty][tx] = N[(ph * TILE_WIDTH + ty) * Width + Col];
    __syncthreads();
    for (int k = 0; k < TILE_WIDTH; ++k) Pvalue += Mds[ty][k] * Nds[k][tx];
    __syncthreads();
  }
  P[Row * Width + Col] = Pvalue;
}
""",
    GEMM
    + r"""
void twin(const float *__restrict a, const float *__restrict b, float *__restrict c, int n) {
  for (int j = 0; j < n; j += 32)
    for (int i = 0; i < n; i += 10) {
      __m512 acc[10][2];
      micro<10>(a + i * n, n, b + j, n, n, acc, 0xffff, 0xffff);
      for (int r = 0; r < 10; r++) _mm512_storeu_ps(c + (i + r) * n + j, acc[r][0]), _mm512_storeu_ps(c + (i + r) * n + j + 16, acc[r][1]);
    }
}
""",
    [floats(34, N, N), floats(35, N, N), np.zeros((N, N), np.float32), np.int32(N)],
    (N // 8, N // 8),
    (8, 8),
)

# 18. 64 x 64 tiles, 4 x 4 results a thread, sizes that fit nothing
M, N, K = 200, 184, 118
case(
    "matrix product, 4x4 a thread, odd sizes",
    r"""
#define BM 64
#define BN 64
#define BK 8
#define TM 4
#define TN 4
__global__ void sgemm(int m, int n, int k, float alpha, const float *A, const float *B, float beta, const float *D, float *C) {
  __shared__ float As[BK][BM];
  __shared__ float Bs[BK][BN];
  const int tid = threadIdx.x;
  const int tr = tid / (BN / TN), tc = tid % (BN / TN);
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  float acc[TM][TN] = {};
  float ra[TM], rb[TN];
  for (int k0 = 0; k0 < k; k0 += BK) {
    for (int i = tid; i < BM * BK; i += blockDim.x) {
      int r = i / BK, c = i % BK;
      As[c][r] = row0 + r < m && k0 + c < k ? A[(row0 + r) * k + k0 + c] : 0.0f;
    }
    for (int i = tid; i < BK * BN; i += blockDim.x) {
      int r = i / BN, c = i % BN;
      Bs[r][c] = k0 + r < k && col0 + c < n ? B[(k0 + r) * n + col0 + c] : 0.0f;
    }
    __syncthreads();
    for (int p = 0; p < BK; p++) {
      for (int i = 0; i < TM; i++) ra[i] = As[p][tr * TM + i];
      for (int j = 0; j < TN; j++) rb[j] = Bs[p][tc * TN + j];
      for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; i++)
    for (int j = 0; j < TN; j++) {
      int r = row0 + tr * TM + i, c = col0 + tc * TN + j;
      if (r < m && c < n) C[r * n + c] = alpha * acc[i][j] + beta * D[r * n + c];
    }
}
""",
    GEMM
    + r"""
void twin(int m, int n, int k, float alpha, const float *__restrict a, const float *__restrict b, float beta,
          const float *__restrict d, float *__restrict c) {
  const __m512 va = _mm512_set1_ps(alpha), vb = _mm512_set1_ps(beta);
  for (int j = 0; j < n; j += 32) {
    const int left = std::min(32, n - j);
    const __mmask16 m0 = left >= 16 ? 0xffff : (1 << left) - 1, m1 = left >= 32 ? 0xffff : left > 16 ? (1 << (left - 16)) - 1 : 0;
    for (int i = 0; i < m; i += 10) {  // m is a multiple of ten
      __m512 acc[10][2];
      micro<10>(a + i * k, k, b + j, n, k, acc, m0, m1);
      for (int r = 0; r < 10; r++)
        for (int v = 0; v < 2; v++) {
          const int at = (i + r) * n + j + 16 * v;
          const __mmask16 mask = v ? m1 : m0;
          const __m512 old = _mm512_mul_ps(vb, _mm512_maskz_loadu_ps(mask, d + at));
          _mm512_mask_storeu_ps(c + at, mask, _mm512_fmadd_ps(va, acc[r][v], old));
        }
    }
  }
}
""",
    [
        np.int32(M),
        np.int32(N),
        np.int32(K),
        np.float32(1.5),
        floats(36, M, K),
        floats(37, K, N),
        np.float32(0.5),
        floats(38, M, N),
        np.zeros((M, N), np.float32),
    ],
    ((N + 63) // 64, (M + 63) // 64),
    256,
)

# 19. LU decomposition of many 16 x 16 matrices, a block each
N = 256
DOMINANT = floats(39, N, 16, 16) + 8 * np.eye(16, dtype=np.float32)
case(
    "batched LU 16x16, shared, no pivots",
    r"""
#define BS 16
__global__ void lu_batched(const float *in, float *out) {
  __shared__ float a[BS][BS + 1];
  const int col = threadIdx.x, row = threadIdx.y;
  const int base = blockIdx.x * BS * BS;
  a[row][col] = in[base + row * BS + col];
  __syncthreads();
  for (int k = 0; k < BS - 1; k++) {
    if (col == k && row > k) a[row][k] /= a[k][k];
    __syncthreads();
    if (row > k && col > k) a[row][col] -= a[row][k] * a[k][col];
    __syncthreads();
  }
  out[base + row * BS + col] = a[row][col];
}
""",
    UNROLL
    + r"""
void twin(const float *__restrict in, float *__restrict out) {
  for (int m = 0; m < 256; m++) {
    __m512 r[16];
    UNROLL for (int i = 0; i < 16; i++) r[i] = _mm512_loadu_ps(in + 256 * m + 16 * i);
    UNROLL for (int k = 0; k < 15; k++) {
      const __m512i lane = _mm512_set1_epi32(k);
      const __m512 inv = _mm512_div_ps(_mm512_set1_ps(1), _mm512_permutexvar_ps(lane, r[k]));
      UNROLL for (int i = k + 1; i < 16; i++) {
        const __m512 l = _mm512_mul_ps(_mm512_permutexvar_ps(lane, r[i]), inv);
        r[i] = _mm512_mask_blend_ps(1 << k, _mm512_mask3_fnmadd_ps(l, r[k], r[i], 0xffff & ~((2 << k) - 1)), l);
      }
    }
    UNROLL for (int i = 0; i < 16; i++) _mm512_storeu_ps(out + 256 * m + 16 * i, r[i]);
  }
}
""",
    [DOMINANT, np.zeros_like(DOMINANT)],
    N,
    (16, 16),
)


# 20. Cholesky of 6 x 6 and a solution, a thread a matrix
def definite(count, seed):
    a = doubles(seed, count, 6, 6)
    return a @ a.transpose(0, 2, 1) + np.eye(6)


N = 1024
case(
    "batched Cholesky 6x6 and solve, double",
    r"""
__global__ void cholesky_solve(const double *a, const double *b, double *x, int count) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= count) return;
  double l[6][6];
  double y[6];
  a += id * 36;
  for (int j = 0; j < 6; j++) {
    double d = a[j * 6 + j];
    for (int k = 0; k < j; k++) d -= l[j][k] * l[j][k];
    d = sqrt(d);
    l[j][j] = d;
    for (int i = j + 1; i < 6; i++) {
      double s = a[i * 6 + j];
      for (int k = 0; k < j; k++) s -= l[i][k] * l[j][k];
      l[i][j] = s / d;
    }
  }
  for (int i = 0; i < 6; i++) {
    double s = b[id * 6 + i];
    for (int k = 0; k < i; k++) s -= l[i][k] * y[k];
    y[i] = s / l[i][i];
  }
  for (int i = 5; i >= 0; i--) {
    double s = y[i];
    for (int k = i + 1; k < 6; k++) s -= l[k][i] * y[k];
    y[i] = s / l[i][i];
    x[id * 6 + i] = y[i];
  }
}
""",
    UNROLL
    + r"""
void twin(const double *__restrict a, const double *__restrict b, double *__restrict x, int count) {
  const __m256i by36 = _mm256_setr_epi32(0, 36, 72, 108, 144, 180, 216, 252), by6 = _mm256_setr_epi32(0, 6, 12, 18, 24, 30, 36, 42);
  for (int id = 0; id < count; id += 8) {  // eight matrices side by side
    const double *p = a + 36 * id;
    __m512d l[6][6], y[6], inv[6];
    UNROLL for (int j = 0; j < 6; j++) {
      __m512d d = _mm512_i32gather_pd(by36, p + 7 * j, 8);
      UNROLL for (int k = 0; k < j; k++) d = _mm512_fnmadd_pd(l[j][k], l[j][k], d);
      inv[j] = _mm512_div_pd(_mm512_set1_pd(1), _mm512_sqrt_pd(d));
      UNROLL for (int i = j + 1; i < 6; i++) {
        __m512d s = _mm512_i32gather_pd(by36, p + 6 * i + j, 8);
        UNROLL for (int k = 0; k < j; k++) s = _mm512_fnmadd_pd(l[i][k], l[j][k], s);
        l[i][j] = _mm512_mul_pd(s, inv[j]);
      }
    }
    UNROLL for (int i = 0; i < 6; i++) {
      __m512d s = _mm512_i32gather_pd(by6, b + 6 * id + i, 8);
      UNROLL for (int k = 0; k < i; k++) s = _mm512_fnmadd_pd(l[i][k], y[k], s);
      y[i] = _mm512_mul_pd(s, inv[i]);
    }
    UNROLL for (int i = 5; i >= 0; i--) {
      __m512d s = y[i];
      UNROLL for (int k = i + 1; k < 6; k++) s = _mm512_fnmadd_pd(l[k][i], y[k], s);
      y[i] = _mm512_mul_pd(s, inv[i]);
      _mm512_i32scatter_pd(x + 6 * id + i, by6, y[i], 8);
    }
  }
}
""",
    [definite(N, 40), doubles(41, N, 6), np.zeros((N, 6)), np.int32(N)],
    N // 64,
    64,
)

# 21. a lower triangle against many right-hand sides, a thread a column
N, RHS = 32, 4000
LOWER = np.tril(floats(42, N, N, low=-0.5, high=0.5), -1) + np.diag(floats(43, N, low=1, high=2))
case(
    "triangular solve 32, thread a column",
    r"""
#define N 32
__global__ void trsm_lower(const float *L, const float *B, float *X, int nrhs) {
  __shared__ float s[N * N];
  for (int i = threadIdx.x; i < N * N; i += blockDim.x) s[i] = L[i];
  __syncthreads();
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= nrhs) return;
  float x[N];
#pragma unroll
  for (int i = 0; i < N; i++) {
    float sum = B[i * nrhs + j];
#pragma unroll
    for (int k = 0; k < i; k++) sum -= s[i * N + k] * x[k];
    x[i] = sum / s[i * N + i];
    X[i * nrhs + j] = x[i];
  }
}
""",
    UNROLL
    + r"""
void twin(const float *__restrict L, const float *__restrict B, float *__restrict X, int nrhs) {
  float inverse[32];
  for (int i = 0; i < 32; i++) inverse[i] = 1 / L[33 * i];
  int j = 0;
  for (; j + 64 <= nrhs; j += 64) {  // four registers of columns, four rows at a time
    __m512 x[32][4];
    for (int i = 0; i < 32; i += 4) {
      __m512 s[4][4];
      UNROLL for (int r = 0; r < 4; r++) UNROLL for (int v = 0; v < 4; v++) s[r][v] = _mm512_loadu_ps(B + (i + r) * nrhs + j + 16 * v);
      for (int k = 0; k < i; k++)
        UNROLL for (int r = 0; r < 4; r++) {
          const __m512 l = _mm512_set1_ps(L[(i + r) * 32 + k]);
          UNROLL for (int v = 0; v < 4; v++) s[r][v] = _mm512_fnmadd_ps(l, x[k][v], s[r][v]);
        }
      UNROLL for (int r = 0; r < 4; r++) {
        UNROLL for (int q = 0; q < r; q++) {
          const __m512 l = _mm512_set1_ps(L[(i + r) * 32 + i + q]);
          UNROLL for (int v = 0; v < 4; v++) s[r][v] = _mm512_fnmadd_ps(l, s[q][v], s[r][v]);
        }
        UNROLL for (int v = 0; v < 4; v++) {
          x[i + r][v] = s[r][v] = _mm512_mul_ps(s[r][v], _mm512_set1_ps(inverse[i + r]));
          _mm512_storeu_ps(X + (i + r) * nrhs + j + 16 * v, s[r][v]);
        }
      }
    }
  }
  for (; j < nrhs; j += 16) {  // a multiple of sixteen
    __m512 x[32];
    for (int i = 0; i < 32; i++) {
      __m512 s = _mm512_loadu_ps(B + i * nrhs + j);
      for (int k = 0; k < i; k++) s = _mm512_fnmadd_ps(_mm512_set1_ps(L[i * 32 + k]), x[k], s);
      x[i] = _mm512_mul_ps(s, _mm512_set1_ps(inverse[i]));
      _mm512_storeu_ps(X + i * nrhs + j, x[i]);
    }
  }
}
""",
    [LOWER.astype(np.float32), floats(44, N, RHS), np.zeros((N, RHS), np.float32), np.int32(RHS)],
    (RHS + 127) // 128,
    128,
)

# 22. tridiagonal systems by parallel cyclic reduction, a block a system; the twin runs Thomas's algorithm
SYSTEMS, N = 96, 256
case(
    "tridiagonal systems, cyclic reduction",
    r"""
__global__ void pcr(const float *lower, const float *diag, const float *upper, const float *rhs, float *x) {
  __shared__ float a[256], b[256], c[256], d[256];
  const int n = blockDim.x, i = threadIdx.x, g = blockIdx.x * n + i;
  a[i] = i == 0 ? 0.0f : lower[g];
  b[i] = diag[g];
  c[i] = i == n - 1 ? 0.0f : upper[g];
  d[i] = rhs[g];
  __syncthreads();
  for (int stride = 1; stride < n; stride *= 2) {
    int l = i - stride, r = i + stride;
    float na = 0.0f, nb = b[i], nc = 0.0f, nd = d[i];
    if (l >= 0) {
      float k = a[i] / b[l];
      na = -a[l] * k;
      nb -= c[l] * k;
      nd -= d[l] * k;
    }
    if (r < n) {
      float k = c[i] / b[r];
      nc = -c[r] * k;
      nb -= a[r] * k;
      nd -= d[r] * k;
    }
    __syncthreads();
    a[i] = na;
    b[i] = nb;
    c[i] = nc;
    d[i] = nd;
    __syncthreads();
  }
  x[g] = d[i] / b[i];
}
""",
    TRANSPOSE
    + r"""
void twin(const float *__restrict lower, const float *__restrict diag, const float *__restrict upper,
          const float *__restrict rhs, float *__restrict x) {
  constexpr int n = 256, systems = 96;
  __m512 cp[2][n], dp[2][n];
  for (int s = 0; s < systems; s += 32) {  // two times sixteen systems side by side
    __m512 pc[2] = {}, pd[2] = {};
    for (int i = 0; i < n; i += 16) {
      __m512 a[2][16], b[2][16], c[2][16], d[2][16];
      for (int v = 0; v < 2; v++) {
        for (int l = 0; l < 16; l++) {
          const int at = (s + 16 * v + l) * n + i;
          a[v][l] = _mm512_loadu_ps(lower + at), b[v][l] = _mm512_loadu_ps(diag + at);
          c[v][l] = _mm512_loadu_ps(upper + at), d[v][l] = _mm512_loadu_ps(rhs + at);
        }
        transpose16(a[v]), transpose16(b[v]), transpose16(c[v]), transpose16(d[v]);
      }
      for (int r = 0; r < 16; r++)
        for (int v = 0; v < 2; v++) {  // pc and pd are zero before the first row
          const __m512 m = _mm512_div_ps(_mm512_set1_ps(1), _mm512_fnmadd_ps(a[v][r], pc[v], b[v][r]));
          cp[v][i + r] = pc[v] = _mm512_mul_ps(c[v][r], m);
          dp[v][i + r] = pd[v] = _mm512_mul_ps(_mm512_fnmadd_ps(a[v][r], pd[v], d[v][r]), m);
        }
    }
    __m512 last[2];
    for (int i = n - 16; i >= 0; i -= 16) {
      __m512 o[2][16];
      for (int r = 15; r >= 0; r--)
        for (int v = 0; v < 2; v++) last[v] = o[v][r] = i + r == n - 1 ? dp[v][i + r] : _mm512_fnmadd_ps(cp[v][i + r], last[v], dp[v][i + r]);
      for (int v = 0; v < 2; v++) {
        transpose16(o[v]);
        for (int l = 0; l < 16; l++) _mm512_storeu_ps(x + (s + 16 * v + l) * n + i, o[v][l]);
      }
    }
  }
}
""",
    [
        floats(45, SYSTEMS, N, low=-1, high=-0.98),
        floats(46, SYSTEMS, N, low=2.02, high=2.06),
        floats(47, SYSTEMS, N, low=-1, high=-0.98),
        floats(48, SYSTEMS, N),
        np.zeros((SYSTEMS, N), np.float32),
    ],
    SYSTEMS,
    N,
)

# 23. an exclusive scan of rows of 1001, Blelloch's, with padding against bank conflicts
ROWS, N = 96, 1001
case(
    "exclusive scan of rows of 1001, Blelloch",
    r"""
#define LOG_BANKS 5
#define PAD(i) ((i) + ((i) >> LOG_BANKS))
#define SIZE 1024
__global__ void prescan(const int *in, int *out, int *totals, int n) {
  __shared__ int temp[SIZE + SIZE / 32];
  int tid = threadIdx.x;
  const int *row = in + blockIdx.x * n;
  int ai = tid, bi = tid + SIZE / 2;
  temp[PAD(ai)] = ai < n ? row[ai] : 0;
  temp[PAD(bi)] = bi < n ? row[bi] : 0;

  int offset = 1;
  for (int d = SIZE >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (tid < d) {
      int a = offset * (2 * tid + 1) - 1;
      int b = offset * (2 * tid + 2) - 1;
      temp[PAD(b)] += temp[PAD(a)];
    }
    offset *= 2;
  }
  if (tid == 0) {
    totals[blockIdx.x] = temp[PAD(SIZE - 1)];
    temp[PAD(SIZE - 1)] = 0;
  }
  for (int d = 1; d < SIZE; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (tid < d) {
      int a = offset * (2 * tid + 1) - 1;
      int b = offset * (2 * tid + 2) - 1;
      int t = temp[PAD(a)];
      temp[PAD(a)] = temp[PAD(b)];
      temp[PAD(b)] += t;
    }
  }
  __syncthreads();
  if (ai < n) out[blockIdx.x * n + ai] = temp[PAD(ai)];
  if (bi < n) out[blockIdx.x * n + bi] = temp[PAD(bi)];
}
""",
    r"""
void twin(const int *__restrict in, int *__restrict out, int *__restrict totals, int n) {
  const __m512i zero = _mm512_setzero_si512(), last = _mm512_set1_epi32(15);
  for (int row = 0; row < 96; row++) {
    const int *p = in + row * n;
    int *o = out + row * n;
    __m512i carry = zero;
    for (int i = 0; i < n; i += 16) {
      const __mmask16 m = n - i >= 16 ? 0xffff : (1 << (n - i)) - 1;
      const __m512i v = _mm512_maskz_loadu_epi32(m, p + i);
      __m512i s = _mm512_add_epi32(v, _mm512_alignr_epi32(v, zero, 15));
      s = _mm512_add_epi32(s, _mm512_alignr_epi32(s, zero, 14));
      s = _mm512_add_epi32(s, _mm512_alignr_epi32(s, zero, 12));
      s = _mm512_add_epi32(s, _mm512_alignr_epi32(s, zero, 8));
      _mm512_mask_storeu_epi32(o + i, m, _mm512_add_epi32(carry, _mm512_sub_epi32(s, v)));
      carry = _mm512_add_epi32(carry, _mm512_permutexvar_epi32(last, s));
    }
    totals[row] = _mm512_cvtsi512_si32(carry);
  }
}
""",
    [ints(49, -100, 100, ROWS, N), np.zeros((ROWS, N), np.int32), np.zeros(ROWS, np.int32), np.int32(N)],
    ROWS,
    512,
)

# 24. bitonic sort of segments of 1024
SEGMENTS = 24
case(
    "bitonic sort of segments of 1024, shared",
    r"""
__global__ void bitonic_segments(const unsigned int *in, unsigned int *out) {
  __shared__ unsigned int key[1024];
  const unsigned int tid = threadIdx.x, base = blockIdx.x * 1024;
  key[tid] = in[base + tid];
  key[tid + 512] = in[base + tid + 512];
  for (unsigned int size = 2; size <= 1024; size <<= 1) {
    for (unsigned int stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      unsigned int pos = 2 * tid - (tid & (stride - 1));
      bool descending = (pos & size) != 0;
      unsigned int a = key[pos], b = key[pos + stride];
      if ((a > b) != descending) {
        key[pos] = b;
        key[pos + stride] = a;
      }
    }
  }
  __syncthreads();
  out[base + tid] = key[tid];
  out[base + tid + 512] = key[tid + 512];
}
""",
    UNROLL
    + r"""
// One step within registers: lanes of `high` keep the greater of themselves and of the lane across.
#define WITHIN(v, across, high)                                  \
  {                                                              \
    const __m512i w = across;                                    \
    v = _mm512_mask_max_epu32(_mm512_min_epu32(v, w), high, v, w); \
  }
#define BY8(v) _mm512_shuffle_i64x2(v, v, 0x4e)
#define BY4(v) _mm512_shuffle_i64x2(v, v, 0xb1)
#define BY2(v) _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)0x4e)
#define BY1(v) _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)0xb1)
static inline __attribute__((always_inline)) void columns16(__m512i *r) {  // Green's network: sixty exchanges
#define EXCHANGE(a, b) { const __m512i lo = _mm512_min_epu32(r[a], r[b]); r[b] = _mm512_max_epu32(r[a], r[b]); r[a] = lo; }
  EXCHANGE(0, 1) EXCHANGE(2, 3) EXCHANGE(4, 5) EXCHANGE(6, 7) EXCHANGE(8, 9) EXCHANGE(10, 11) EXCHANGE(12, 13) EXCHANGE(14, 15)
  EXCHANGE(0, 2) EXCHANGE(4, 6) EXCHANGE(8, 10) EXCHANGE(12, 14) EXCHANGE(1, 3) EXCHANGE(5, 7) EXCHANGE(9, 11) EXCHANGE(13, 15)
  EXCHANGE(0, 4) EXCHANGE(8, 12) EXCHANGE(1, 5) EXCHANGE(9, 13) EXCHANGE(2, 6) EXCHANGE(10, 14) EXCHANGE(3, 7) EXCHANGE(11, 15)
  EXCHANGE(0, 8) EXCHANGE(1, 9) EXCHANGE(2, 10) EXCHANGE(3, 11) EXCHANGE(4, 12) EXCHANGE(5, 13) EXCHANGE(6, 14) EXCHANGE(7, 15)
  EXCHANGE(5, 10) EXCHANGE(6, 9) EXCHANGE(3, 12) EXCHANGE(13, 14) EXCHANGE(7, 11) EXCHANGE(1, 2) EXCHANGE(4, 8)
  EXCHANGE(1, 4) EXCHANGE(7, 13) EXCHANGE(2, 8) EXCHANGE(11, 14) EXCHANGE(2, 4) EXCHANGE(5, 6) EXCHANGE(9, 10) EXCHANGE(11, 13)
  EXCHANGE(3, 8) EXCHANGE(7, 12) EXCHANGE(6, 8) EXCHANGE(10, 12) EXCHANGE(3, 5) EXCHANGE(7, 9)
  EXCHANGE(3, 4) EXCHANGE(5, 6) EXCHANGE(7, 8) EXCHANGE(9, 10) EXCHANGE(11, 12) EXCHANGE(6, 7) EXCHANGE(8, 9)
}
"""
    + TRANSPOSE
    + r"""
void twin(const unsigned *__restrict in, unsigned *__restrict out) {
  const __m512i flip = _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  for (int s = 0; s < 24; s++) {
    __m512i key[64];
    for (int g = 0; g < 64; g += 16) {  // runs of sixteen: columns sorted, then turned into rows
      for (int i = 0; i < 16; i++) key[g + i] = _mm512_loadu_si512(in + 1024 * s + 16 * (g + i));
      columns16(key + g);
      transpose16((__m512 *)(key + g));
    }
    for (int half = 1; half < 64; half *= 2) {  // runs of `half` registers merged, the second one read backwards
      for (int g = 0; g < 64; g += 2 * half)
        for (int i = 0; i < half; i++) {
          const __m512i a = key[g + i], b = _mm512_permutexvar_epi32(flip, key[g + 2 * half - 1 - i]);
          key[g + i] = _mm512_min_epu32(a, b);
          key[g + 2 * half - 1 - i] = _mm512_permutexvar_epi32(flip, _mm512_max_epu32(a, b));
        }
      int step = half / 2;
      for (; step >= 2; step /= 4)  // two steps a pass
        for (int g = 0; g < 64; g += 2 * step)
          for (int i = g; i < g + step / 2; i++) {
            const int h = step / 2;
            const __m512i a = key[i], b = key[i + h], c = key[i + 2 * h], d = key[i + 3 * h];
            const __m512i e = _mm512_min_epu32(a, c), f = _mm512_min_epu32(b, d), x = _mm512_max_epu32(a, c), y = _mm512_max_epu32(b, d);
            key[i] = _mm512_min_epu32(e, f), key[i + h] = _mm512_max_epu32(e, f);
            key[i + 2 * h] = _mm512_min_epu32(x, y), key[i + 3 * h] = _mm512_max_epu32(x, y);
          }
      const bool pair = step == 1;
      for (int g = 0; g < 64; g += 4) {
        __m512i v[4];
        for (int i = 0; i < 4; i++) v[i] = key[g + i];
        if (pair)
          for (int i = 0; i < 4; i += 2) {
            const __m512i lo = _mm512_min_epu32(v[i], v[i + 1]);
            v[i + 1] = _mm512_max_epu32(v[i], v[i + 1]), v[i] = lo;
          }
        for (int i = 0; i < 4; i++) {
          WITHIN(v[i], BY8(v[i]), 0xff00)
          WITHIN(v[i], BY4(v[i]), 0xf0f0)
          WITHIN(v[i], BY2(v[i]), 0xcccc)
          WITHIN(v[i], BY1(v[i]), 0xaaaa)
          key[g + i] = v[i];
        }
      }
    }
    for (int i = 0; i < 64; i++) _mm512_storeu_si512(out + 1024 * s + 16 * i, key[i]);
  }
}
""",
    [
        np.random.default_rng(50).integers(0, 2**32, (SEGMENTS, 1024), dtype=np.uint32),
        np.zeros((SEGMENTS, 1024), np.uint32),
    ],
    SEGMENTS,
    512,
)

# 25. merge path: a binary search on the diagonal, then seven results a thread
NA, NB = 21000, 19001
case(
    "merge path, seven results a thread",
    r"""
#define VT 7
__device__ int merge_path(const float *a, int na, const float *b, int nb, int diag) {
  int lo = max(0, diag - nb), hi = min(diag, na);
  while (lo < hi) {
    int mid = (lo + hi) >> 1;
    if (a[mid] <= b[diag - 1 - mid]) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

__global__ void merge(const float *a, int na, const float *b, int nb, float *out) {
  int diag = (blockIdx.x * blockDim.x + threadIdx.x) * VT;
  if (diag >= na + nb) return;
  int i = merge_path(a, na, b, nb, diag);
  int j = diag - i;
  for (int k = 0; k < VT && diag + k < na + nb; k++) {
    bool from_a = j >= nb || (i < na && a[i] <= b[j]);
    out[diag + k] = from_a ? a[i++] : b[j++];
  }
}
""",
    r"""
static int split(const float *a, int na, const float *b, int nb, int diag) {
  int lo = std::max(0, diag - nb), hi = std::min(diag, na);
  while (lo < hi) {
    const int mid = (lo + hi) / 2;
    if (a[mid] <= b[diag - 1 - mid]) lo = mid + 1; else hi = mid;
  }
  return lo;
}
struct Stream { const float *a, *ae, *b, *be; float *o; __m512 rest; };
// sixteen results: a bitonic merge of the rest and of the next sixteen
static inline __attribute__((always_inline)) void turn(Stream &s, __m512i flip) {
  const bool first = *s.a <= *s.b;
  const float *p = first ? s.a : s.b;
  s.a += first ? 16 : 0, s.b += first ? 0 : 16;
  const __m512 next = _mm512_permutexvar_ps(flip, _mm512_loadu_ps(p));
  __m512 lo = _mm512_min_ps(s.rest, next), hi = _mm512_max_ps(s.rest, next);
#define STEP(v, across, high) { const __m512 w = across; v = _mm512_mask_max_ps(_mm512_min_ps(v, w), high, v, w); }
  STEP(lo, _mm512_shuffle_f32x4(lo, lo, 0x4e), 0xff00) STEP(hi, _mm512_shuffle_f32x4(hi, hi, 0x4e), 0xff00)
  STEP(lo, _mm512_shuffle_f32x4(lo, lo, 0xb1), 0xf0f0) STEP(hi, _mm512_shuffle_f32x4(hi, hi, 0xb1), 0xf0f0)
  STEP(lo, _mm512_permute_ps(lo, 0x4e), 0xcccc) STEP(hi, _mm512_permute_ps(hi, 0x4e), 0xcccc)
  STEP(lo, _mm512_permute_ps(lo, 0xb1), 0xaaaa) STEP(hi, _mm512_permute_ps(hi, 0xb1), 0xaaaa)
  _mm512_storeu_ps(s.o, lo);
  s.o += 16, s.rest = hi;
}
void twin(const float *__restrict a, int na, const float *__restrict b, int nb, float *__restrict out) {
  constexpr int streams = 4;
  const __m512i flip = _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  Stream s[streams];
  int at[streams + 1] = {};
  const int total = na + nb, each = total / streams;
  for (int i = 1; i <= streams; i++) at[i] = i == streams ? na : split(a, na, b, nb, i * each);
  int turns = 1 << 30;
  for (int i = 0; i < streams; i++) {
    const int d0 = i * each, d1 = i == streams - 1 ? total : d0 + each;
    s[i] = Stream{a + at[i], a + at[i + 1], b + d0 - at[i], b + d1 - at[i + 1], out + d0, _mm512_setzero_ps()};
    const bool first = *s[i].a <= *s[i].b;  // the sequences are long
    s[i].rest = _mm512_loadu_ps(first ? s[i].a : s[i].b);
    (first ? s[i].a : s[i].b) += 16;
  }
  for (;;) {  // all four while each has sixteen and one more on either side
    bool go = true;
    for (int i = 0; i < streams; i++) go &= s[i].ae - s[i].a >= 17 && s[i].be - s[i].b >= 17;
    if (!go) break;
    for (int i = 0; i < streams; i++) turn(s[i], flip);
  }
  for (int i = 0; i < streams; i++) {
    Stream q = s[i];
    while (q.ae - q.a >= 17 && q.be - q.b >= 17) turn(q, flip);
    float rest[16];
    _mm512_storeu_ps(rest, q.rest);
    const float *r = rest, *re = rest + 16;
    while (r < re || q.a < q.ae || q.b < q.be) {  // three sequences to the end
      const float x = q.a < q.ae ? *q.a : INFINITY, y = q.b < q.be ? *q.b : INFINITY;
      const bool fromr = r < re && (q.a >= q.ae || *r <= x) && (q.b >= q.be || *r <= y);
      if (fromr) *q.o++ = *r++;
      else if (q.b >= q.be || (q.a < q.ae && x <= y)) *q.o++ = *q.a++;
      else *q.o++ = *q.b++;
    }
  }
}
""",
    [np.sort(floats(51, NA)), np.int32(NA), np.sort(floats(52, NB)), np.int32(NB), np.zeros(NA + NB, np.float32)],
    ((NA + NB + 6) // 7 + 127) // 128,
    128,
)

# 26. a step of a breadth-first search, bottom up, with a bitmap of the new frontier
V = 16384
START, COLUMNS = csr(V, V, 2, 14, 53)
LEVELS = np.where(floats(54, V) < 0.3, ints(55, 0, 4, V), -1).astype(np.int32)
case(
    "breadth-first step, bottom up, ballots",
    r"""
__global__ void bfs_bottom_up(const int *offsets, const int *edges, const int *level, int *new_level, unsigned int *frontier, int nv, int depth) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  bool found = false;
  int mine = 0;
  if (v < nv) {
    mine = level[v];
    if (mine < 0) {
      for (int e = offsets[v]; e < offsets[v + 1]; e++) {
        if (level[edges[e]] == depth) {
          found = true;
          break;
        }
      }
    }
    new_level[v] = found ? depth + 1 : mine;
  }
  unsigned int bits = __ballot_sync(0xffffffffu, found);
  if ((threadIdx.x & 31) == 0 && v < nv) frontier[v >> 5] = bits;
}
""",
    r"""
void twin(const int *__restrict offsets, const int *__restrict edges, const int *__restrict level,
          int *__restrict new_level, unsigned *__restrict frontier,
          int nv, int depth) {
  static unsigned char near[65536 + 64];  // one byte a vertex stays in the first-level cache
  static unsigned short hits[16384 + 64];  // one bit an edge
  const __m512i want = _mm512_set1_epi32(depth), zero = _mm512_setzero_si512(), one = _mm512_set1_epi32(1);
  for (int v = 0; v < nv; v += 16)
    _mm_storeu_si128((__m128i *)(near + v), _mm_maskz_set1_epi8(_mm512_cmpeq_epi32_mask(_mm512_loadu_si512(level + v), want), 1));
  const int ne = offsets[nv];
  for (int e = 0; e < ne; e += 16) {
    const __mmask16 m = ne - e >= 16 ? 0xffff : (1 << (ne - e)) - 1;
    const __m512i to = _mm512_maskz_loadu_epi32(m, edges + e);
    hits[e / 16] = _mm512_mask_test_epi32_mask(m, _mm512_i32gather_epi32(to, near, 1), one);
  }
  for (int v = 0; v < nv; v += 32) {
    unsigned bits = 0;
    for (int h = 0; h < 32; h += 16) {
      const __m512i own = _mm512_loadu_si512(level + v + h), at = _mm512_loadu_si512(offsets + v + h);
      const __m512i degree = _mm512_sub_epi32(_mm512_loadu_si512(offsets + v + h + 1), at);
      __m512i word = _mm512_i32gather_epi32(_mm512_srli_epi32(at, 3), hits, 1);
      word = _mm512_srlv_epi32(word, _mm512_and_si512(at, _mm512_set1_epi32(7)));
      const __mmask16 unseen = _mm512_cmplt_epi32_mask(own, zero);
      __mmask16 found = _mm512_mask_test_epi32_mask(unseen, word, _mm512_sub_epi32(_mm512_sllv_epi32(one, degree), one));
      __mmask16 many = _mm512_mask_cmpgt_epi32_mask(unseen, degree, _mm512_set1_epi32(25));
      for (; many; many &= many - 1) {  // more edges than a word has left
        const int l = __builtin_ctz(many), u = v + h + l;
        bool any = false;
        for (int e = offsets[u]; e < offsets[u + 1]; e++) any |= near[edges[e]];
        found = (found & ~(1 << l)) | any << l;
      }
      _mm512_storeu_si512(new_level + v + h, _mm512_mask_mov_epi32(own, found, _mm512_set1_epi32(depth + 1)));
      bits |= (unsigned)found << h;
    }
    frontier[v / 32] = bits;
  }
}
""",
    [START, COLUMNS, LEVELS, np.zeros(V, np.int32), np.zeros(V // 32, np.uint32), np.int32(V), np.int32(3)],
    V // 256,
    256,
)

# 27. Needleman-Wunsch by anti-diagonals, a block a pair of sequences
PAIRS, LENGTH = 64, 96
case(
    "Needleman-Wunsch, anti-diagonals, DNA",
    r"""
#define LEN 96
#define GAP 2
__constant__ int substitution[4][4] = {{3, -2, -1, -2}, {-2, 3, -2, -1}, {-1, -2, 3, -2}, {-2, -1, -2, 3}};

__global__ void needleman_wunsch(const unsigned char *first, const unsigned char *second, int *score) {
  __shared__ int diag[3][LEN + 1];
  __shared__ unsigned char b[LEN];
  const int t = threadIdx.x;
  const unsigned char mine = first[blockIdx.x * LEN + t];
  b[t] = second[blockIdx.x * LEN + t];
  if (t == 0) {
    diag[0][0] = 0;
    diag[1][0] = -GAP;
  }
  __syncthreads();
  if (t == 0) diag[1][1] = -GAP;
  __syncthreads();

  // diagonal d holds the cells (i, d - i); the thread t has row i = t + 1
  for (int d = 2; d <= 2 * LEN; d++) {
    int *now = diag[d % 3], *last = diag[(d + 2) % 3], *before = diag[(d + 1) % 3];
    int i = t + 1, j = d - i;
    if (j >= 1 && j <= LEN) {
      int match = before[i - 1] + substitution[mine][b[j - 1]];
      int gap = max(last[i - 1], last[i]) - GAP;
      now[i] = max(match, gap);
    } else if (j == 0) {
      now[i] = -GAP * i;
    }
    if (t == 0 && d <= LEN) now[0] = -GAP * d;
    __syncthreads();
  }
  if (t == 0) score[blockIdx.x] = diag[(2 * LEN) % 3][LEN];
}
""",
    r"""
void twin(const unsigned char *__restrict first, const unsigned char *__restrict second, int *__restrict score) {
  constexpr int L = 96, pairs = 64;
  const int table[16] = {3, -2, -1, -2, -2, 3, -2, -1, -1, -2, 3, -2, -2, -1, -2, 3};
  short words[32];
  for (int i = 0; i < 32; i++) words[i] = table[i & 15];
  const __m512i costs = _mm512_loadu_si512(words), gap = _mm512_set1_epi16(2);
  for (int p = 0; p < pairs; p += 32) {  // thirty-two pairs side by side
    short a[L][32], b[L][32];
    for (int l = 0; l < 32; l++)
      for (int i = 0; i < L; i++) a[i][l] = 4 * first[(p + l) * L + i], b[i][l] = second[(p + l) * L + i];
    __m512i h[L + 1];
    for (int j = 0; j <= L; j++) h[j] = _mm512_set1_epi16(-2 * j);
    for (int i = 0; i < L; i += 2) {  // two rows at a time
      const __m512i a0 = _mm512_loadu_si512(a[i]), a1 = _mm512_loadu_si512(a[i + 1]);
      __m512i corner0 = h[0], left0 = _mm512_set1_epi16(-2 * (i + 1)), corner1 = left0, left1 = _mm512_set1_epi16(-2 * (i + 2));
      h[0] = left1;
      for (int j = 1; j <= L; j++) {
        const __m512i c = _mm512_loadu_si512(b[j - 1]), up = h[j];
        const __m512i m0 = _mm512_add_epi16(corner0, _mm512_permutexvar_epi16(_mm512_or_si512(a0, c), costs));
        left0 = _mm512_max_epi16(m0, _mm512_sub_epi16(_mm512_max_epi16(up, left0), gap));
        corner0 = up;
        const __m512i m1 = _mm512_add_epi16(corner1, _mm512_permutexvar_epi16(_mm512_or_si512(a1, c), costs));
        left1 = _mm512_max_epi16(m1, _mm512_sub_epi16(_mm512_max_epi16(left0, left1), gap));
        corner1 = left0;
        h[j] = left1;
      }
    }
    short end[32];
    _mm512_storeu_si512(end, h[L]);
    for (int l = 0; l < 32; l++) score[p + l] = end[l];
  }
}
""",
    [
        ints(56, 0, 4, PAIRS, LENGTH, dtype=np.uint8),
        ints(57, 0, 4, PAIRS, LENGTH, dtype=np.uint8),
        np.zeros(PAIRS, np.int32),
    ],
    PAIRS,
    LENGTH,
)

# 28. rays against triangles, the nearest hit
RAYS, TRIANGLES = 3072, 48
AIM = floats(58, RAYS, 3, low=-0.4, high=0.4) * np.float32([1, 1, 0]) + np.float32([0, 0, 1])
case(
    "ray-triangle, nearest hit, float3",
    r"""
struct Hit { float t; int id; };

__device__ float3 sub(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__device__ float3 cross(float3 a, float3 b) { return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
__device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__device__ bool intersect(float3 o, float3 d, const float3 *v, float &t) {
  float3 e1 = sub(v[1], v[0]), e2 = sub(v[2], v[0]);
  float3 p = cross(d, e2);
  float det = dot(e1, p);
  if (fabsf(det) < 1e-6f) return false;
  float inv = 1.0f / det;
  float3 s = sub(o, v[0]);
  float u = dot(s, p) * inv;
  if (u < 0.0f || u > 1.0f) return false;
  float3 q = cross(s, e1);
  float w = dot(d, q) * inv;
  if (w < 0.0f || u + w > 1.0f) return false;
  t = dot(e2, q) * inv;
  return t > 1e-4f;
}

__global__ void trace(const float3 *origins, const float3 *directions, const float3 *triangles, float *distance, int *which, int rays, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rays) return;
  float3 o = origins[r], d = directions[r];
  Hit best;
  best.t = 1e20f;
  best.id = -1;
  for (int k = 0; k < n; k++) {
    float t;
    if (!intersect(o, d, triangles + 3 * k, t)) continue;
    if (t < best.t) {
      best.t = t;
      best.id = k;
    }
  }
  distance[r] = best.id < 0 ? -1.0f : best.t;
  which[r] = best.id;
}
""",
    r"""
void twin(const float *__restrict origins, const float *__restrict directions, const float *__restrict triangles, float *__restrict distance,
          int *__restrict which, int rays, int n) {
  typedef __m512 V;
  const __m512i three = _mm512_mullo_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), _mm512_set1_epi32(3));
  const V zero = _mm512_setzero_ps(), one = _mm512_set1_ps(1);
  auto difference = [](V a, V b, V c, V d) __attribute__((always_inline)) { return _mm512_fmsub_ps(a, b, _mm512_mul_ps(c, d)); };
  auto dot = [](V a, V b, V c, V x, V y, V z) __attribute__((always_inline)) {
    return _mm512_fmadd_ps(a, x, _mm512_fmadd_ps(b, y, _mm512_mul_ps(c, z)));
  };
  for (int r = 0; r < rays; r += 16) {
    V o[3], d[3], best = _mm512_set1_ps(1e20f);
    __m512i id = _mm512_set1_epi32(-1);
    for (int i = 0; i < 3; i++) {
      o[i] = _mm512_i32gather_ps(three, origins + 3 * r + i, 4);
      d[i] = _mm512_i32gather_ps(three, directions + 3 * r + i, 4);
    }
    for (int k = 0; k < n; k++) {
      const float *v = triangles + 9 * k;
      V e1[3], e2[3], s[3];
      for (int i = 0; i < 3; i++) {
        e1[i] = _mm512_set1_ps(v[3 + i] - v[i]), e2[i] = _mm512_set1_ps(v[6 + i] - v[i]);
        s[i] = _mm512_sub_ps(o[i], _mm512_set1_ps(v[i]));
      }
      const V px = difference(d[1], e2[2], d[2], e2[1]), py = difference(d[2], e2[0], d[0], e2[2]), pz = difference(d[0], e2[1], d[1], e2[0]);
      const V det = dot(e1[0], e1[1], e1[2], px, py, pz);
      const V inv = _mm512_div_ps(one, det);
      const V u = _mm512_mul_ps(dot(s[0], s[1], s[2], px, py, pz), inv);
      __mmask16 m = _mm512_cmp_ps_mask(_mm512_abs_ps(det), _mm512_set1_ps(1e-6f), _CMP_GE_OQ);
      m = _mm512_mask_cmp_ps_mask(_mm512_mask_cmp_ps_mask(m, u, zero, _CMP_GE_OQ), u, one, _CMP_LE_OQ);
      if (!m) continue;
      const V qx = difference(s[1], e1[2], s[2], e1[1]), qy = difference(s[2], e1[0], s[0], e1[2]), qz = difference(s[0], e1[1], s[1], e1[0]);
      const V w = _mm512_mul_ps(dot(d[0], d[1], d[2], qx, qy, qz), inv), t = _mm512_mul_ps(dot(e2[0], e2[1], e2[2], qx, qy, qz), inv);
      m = _mm512_mask_cmp_ps_mask(_mm512_mask_cmp_ps_mask(m, w, zero, _CMP_GE_OQ), _mm512_add_ps(u, w), one, _CMP_LE_OQ);
      m = _mm512_mask_cmp_ps_mask(_mm512_mask_cmp_ps_mask(m, t, _mm512_set1_ps(1e-4f), _CMP_GT_OQ), t, best, _CMP_LT_OQ);
      best = _mm512_mask_mov_ps(best, m, t), id = _mm512_mask_mov_epi32(id, m, _mm512_set1_epi32(k));
    }
    _mm512_storeu_ps(distance + r, _mm512_mask_mov_ps(best, _mm512_movepi32_mask(id), _mm512_set1_ps(-1)));
    _mm512_storeu_si512(which + r, id);
  }
}
""",
    [
        structs(floats(60, RAYS, 3, low=-1, high=1) - np.float32([0, 0, 3]), 12),
        structs(AIM, 12),
        structs(floats(61, TRIANGLES, 1, 3, low=-1, high=1) + floats(62, TRIANGLES, 3, 3, low=-0.7, high=0.7), 12),
        np.zeros(RAYS, np.float32),
        np.zeros(RAYS, np.int32),
        np.int32(RAYS),
        np.int32(TRIANGLES),
    ],
    RAYS // 128,
    128,
    results=[3, 4],
)

# 29. the assignment step of k-means, points in half precision
N = 12288
case(
    "k-means assignment, half2 points, 16 x 8",
    r"""
#include <cuda_fp16.h>
#define K 16
#define DIM 8
__global__ void assign(const __half *points, const float *centroids, unsigned char *label, float *distance, int n) {
  __shared__ float c[K][DIM];
  if (threadIdx.x < K * DIM) c[threadIdx.x / DIM][threadIdx.x % DIM] = centroids[threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __half2 *p = reinterpret_cast<const __half2 *>(points) + i * (DIM / 2);
  float x[DIM];
#pragma unroll
  for (int d = 0; d < DIM / 2; d++) {
    float2 f = __half22float2(p[d]);
    x[2 * d] = f.x;
    x[2 * d + 1] = f.y;
  }
  float best = 3.4e38f;
  int which = 0;
  for (int k = 0; k < K; k++) {
    float sum = 0.0f;
#pragma unroll
    for (int d = 0; d < DIM; d++) {
      float diff = x[d] - c[k][d];
      sum += diff * diff;
    }
    if (sum < best) {
      best = sum;
      which = k;
    }
  }
  label[i] = (unsigned char)which;
  distance[i] = best;
}
""",
    UNROLL
    + r"""
void twin(const unsigned short *__restrict points, const float *__restrict c, unsigned char *__restrict label, float *__restrict distance, int n) {
  const __m512i even = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
  const __m512i odd = _mm512_setr_epi32(2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
  for (int i = 0; i < n; i += 16) {  // sixteen points of eight halves turned into eight registers
    __m512i z[4], pair[4];
    for (int q = 0; q < 4; q++) z[q] = _mm512_loadu_si512(points + 8 * i + 32 * q);
    const __m512i e0 = _mm512_permutex2var_epi32(z[0], even, z[1]), e1 = _mm512_permutex2var_epi32(z[2], even, z[3]);
    const __m512i o0 = _mm512_permutex2var_epi32(z[0], odd, z[1]), o1 = _mm512_permutex2var_epi32(z[2], odd, z[3]);
    pair[0] = _mm512_shuffle_i64x2(e0, e1, 0x44), pair[1] = _mm512_shuffle_i64x2(e0, e1, 0xee);
    pair[2] = _mm512_shuffle_i64x2(o0, o1, 0x44), pair[3] = _mm512_shuffle_i64x2(o0, o1, 0xee);
    __m512 x[8];
    for (int q = 0; q < 4; q++) {
      x[2 * q] = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(pair[q]));
      x[2 * q + 1] = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_srli_epi32(pair[q], 16)));
    }
    __m512 best = _mm512_set1_ps(3.4e38f);
    __m512i which = _mm512_setzero_si512();
    for (int k = 0; k < 16; k++) {
      __m512 s[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()};
      UNROLL for (int d = 0; d < 8; d++) {
        const __m512 diff = _mm512_sub_ps(x[d], _mm512_set1_ps(c[8 * k + d]));
        s[d & 1] = _mm512_fmadd_ps(diff, diff, s[d & 1]);
      }
      const __m512 sum = _mm512_add_ps(s[0], s[1]);
      const __mmask16 less = _mm512_cmp_ps_mask(sum, best, _CMP_LT_OQ);
      best = _mm512_min_ps(sum, best), which = _mm512_mask_mov_epi32(which, less, _mm512_set1_epi32(k));
    }
    _mm_storeu_si128((__m128i *)(label + i), _mm512_cvtepi32_epi8(which));
    _mm512_storeu_ps(distance + i, best);
  }
}
""",
    [
        floats(63, N, 8, low=-2, high=2).astype(np.float16),
        floats(64, 16, 8, low=-2, high=2),
        np.zeros(N, np.uint8),
        np.zeros(N, np.float32),
        np.int32(N),
    ],
    N // 128,
    128,
)

# 30. a permutation of four dimensions by divisions
DI, DJ, DK, DL = 18, 21, 16, 32
case(
    "permute 4-D (3, 1, 0, 2), div and mod",
    r"""
__global__ void permute_3102(const float *in, float *out, int ni, int nj, int nk, int nl) {
  int total = ni * nj * nk * nl;
  for (int o = blockIdx.x * blockDim.x + threadIdx.x; o < total; o += gridDim.x * blockDim.x) {
    int k = o % nk;
    int i = o / nk % ni;
    int j = o / (nk * ni) % nj;
    int l = o / (nk * ni * nj);
    out[o] = in[((i * nj + j) * nk + k) * nl + l];
  }
}
""",
    TRANSPOSE
    + r"""
void twin(const float *__restrict in, float *__restrict out, int ni, int nj, int nk, int nl) {
  for (int j = 0; j < nj; j++)
    for (int l = 0; l < nl; l += 16)
      for (int i = 0; i < ni; i++)
        for (int k = 0; k < nk; k += 16) {
          __m512 r[16];
          for (int q = 0; q < 16; q++) r[q] = _mm512_loadu_ps(in + ((i * nj + j) * nk + k + q) * nl + l);
          transpose16(r);
          for (int q = 0; q < 16; q++) _mm512_storeu_ps(out + (((l + q) * nj + j) * ni + i) * nk + k, r[q]);
        }
}
""",
    [
        floats(65, DI, DJ, DK, DL),
        np.zeros((DL, DJ, DI, DK), np.float32),
        np.int32(DI),
        np.int32(DJ),
        np.int32(DK),
        np.int32(DL),
    ],
    96,
    256,
)
