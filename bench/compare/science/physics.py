"""Particles, spins, waves of water."""

import numpy as np
from cases import case
from science.common import floats, ints, structs

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
