"""Sparse matrices and graphs."""

import numpy as np
from cases import case
from science.common import doubles, floats, ints, structs


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
