"""Elements, rays, clusters, axes."""

import numpy as np
from cases import case
from science.common import TRANSPOSE, UNROLL, doubles, floats, structs


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
