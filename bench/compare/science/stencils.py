"""Stencils, with tiles and without."""

import numpy as np
from cases import case
from science.common import doubles, floats

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
