"""Scans, sorts, merges, alignments."""

import numpy as np
from cases import case
from science.common import TRANSPOSE, UNROLL, floats, ints

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
