"""Text and bytes: encodings, compression, ciphers, hashes, distances."""

import numpy as np
from cases import case
from images.common import TRANSPOSE16, WIDE, blocks, i32, rng, u32

# 20. base64

N = 3 * 200_000
case(
    "base64 encode",
    r"""
__constant__ char letters[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

__global__ void encode(const unsigned char *bytes, char *text, unsigned int groups) {
  unsigned int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= groups) return;
  unsigned int v = (bytes[3 * g] << 16) | (bytes[3 * g + 1] << 8) | bytes[3 * g + 2];
  char *out = text + 4 * g;
  out[0] = letters[(v >> 18) & 63];
  out[1] = letters[(v >> 12) & 63];
  out[2] = letters[(v >> 6) & 63];
  out[3] = letters[v & 63];
}
""",
    r"""
void twin(const uint8_t *bytes, char *text, unsigned groups) {
  static const char letters[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  alignas(64) uint8_t order[64];
  for (int g = 0; g < 16; ++g) order[4 * g] = 3 * g + 1, order[4 * g + 1] = 3 * g, order[4 * g + 2] = 3 * g + 2, order[4 * g + 3] = 3 * g + 1;
  const __m512i table = _mm512_loadu_si512(letters), shuffle = _mm512_load_si512(order);
  const __m512i shifts = _mm512_set1_epi64(0x3036242a1016040a);
  unsigned g = 0;
  for (; g + 22 <= groups; g += 16) {
    __m512i v = _mm512_permutexvar_epi8(shuffle, _mm512_loadu_si512(bytes + 3 * g));
    v = _mm512_multishift_epi64_epi8(shifts, v);
    _mm512_storeu_si512(text + 4 * g, _mm512_permutexvar_epi8(v, table));
  }
  for (; g < groups; ++g) {
    unsigned v = bytes[3 * g] << 16 | bytes[3 * g + 1] << 8 | bytes[3 * g + 2];
    for (int i = 0; i < 4; ++i) text[4 * g + i] = letters[v >> (18 - 6 * i) & 63];
  }
}
""",
    [rng.integers(0, 256, N, np.uint8), np.zeros(N // 3 * 4, np.int8), u32(N // 3)],
    blocks(N // 3, 256),
    256,
)

# 21. run lengths

ROWS, N = 256, 1024
runs = (np.cumsum(rng.random((ROWS, N)) < 0.12, axis=1) * 37 % 251).astype(np.uint8)
case(
    "run-length encode, a row per thread",
    r"""
__global__ void rle(const unsigned char *data, unsigned char *pairs, int *counts, int rows, int length) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const unsigned char *in = data + row * length;
  uchar2 *out = reinterpret_cast<uchar2 *>(pairs) + row * length;
  int count = 0;
  unsigned char value = in[0];
  int run = 1;
  for (int i = 1; i < length; i++) {
    if (in[i] == value && run < 255) {
      run++;
    } else {
      out[count++] = make_uchar2(value, run);
      value = in[i];
      run = 1;
    }
  }
  out[count++] = make_uchar2(value, run);
  counts[row] = count;
}
""",
    r"""
void twin(const uint8_t *data, uint8_t *pairs, int *counts, int rows, int length) {
  alignas(64) uint8_t numbers[64];
  for (int i = 0; i < 64; ++i) numbers[i] = uint8_t(i);
  const __m512i steps = _mm512_load_si512(numbers);
  for (int row = 0; row < rows; ++row) {
    const uint8_t *in = data + row * length;
    uint16_t *start = (uint16_t *)pairs + row * length, *out = start;
    int begin = 0;
    auto run = [&](int end) {
      int n = end - begin;
      for (; n > 255; n -= 255) *out++ = uint16_t(in[begin] | 255 << 8);
      *out++ = uint16_t(in[begin] | n << 8);
      begin = end;
    };
    // bit k: a run ends before byte i + k + 1
    int i = 0;
    for (; i + 65 <= length; i += 64) {
      const __m512i here = _mm512_loadu_si512(in + i);
      uint64_t ends = _mm512_cmpneq_epi8_mask(here, _mm512_loadu_si512(in + i + 1));
      if (!ends) continue;
      if (i + 1 + __builtin_ctzll(ends) - begin > 255) {
        run(i + 1 + __builtin_ctzll(ends));
        ends &= ends - 1;
        if (!ends) continue;
      }
      // places modulo 256, packed; their differences are the lengths
      const int count = __builtin_popcountll(ends);
      __m512i values = _mm512_maskz_compress_epi8(ends, here);
      __m512i places = _mm512_maskz_compress_epi8(ends, _mm512_add_epi8(steps, _mm512_set1_epi8(char(i + 1))));
      __m512i before = _mm512_permutexvar_epi8(_mm512_sub_epi8(steps, _mm512_set1_epi8(1)), places);
      before = _mm512_mask_mov_epi8(before, 1, _mm512_set1_epi8(char(begin)));
      __m512i lengths = _mm512_sub_epi8(places, before);
      auto pairs = [](__m256i v, __m256i n) { return _mm512_or_si512(_mm512_cvtepu8_epi16(v), _mm512_slli_epi16(_mm512_cvtepu8_epi16(n), 8)); };
      __m512i low = pairs(_mm512_castsi512_si256(values), _mm512_castsi512_si256(lengths));
      _mm512_mask_storeu_epi16(out, _bzhi_u64(~0ull, count), low);
      if (count > 32) {
        __m512i high = pairs(_mm512_extracti64x4_epi64(values, 1), _mm512_extracti64x4_epi64(lengths, 1));
        _mm512_mask_storeu_epi16(out + 32, _bzhi_u64(~0ull, count - 32), high);
      }
      out += count;
      begin = i + 64 - __builtin_clzll(ends);
    }
    for (; i + 1 < length; ++i)
      if (in[i] != in[i + 1]) run(i + 1);
    run(length);
    counts[row] = int(out - start);
  }
}
""",
    [runs, np.zeros((ROWS, N, 2), np.uint8), np.zeros(ROWS, i32), i32(ROWS), i32(N)],
    blocks(ROWS, 64),
    64,
)

# 22. LZ77

N = 16384
words = [bytes(rng.integers(97, 107, rng.integers(2, 9), np.uint8)) for _ in range(40)]
text = np.frombuffer(b" ".join(words[k] for k in rng.integers(0, 40, N)), np.uint8)[:N].copy()
case(
    "lz longest match, window 32",
    r"""
#define WINDOW 32
#define MOST 16

__global__ void find_matches(const unsigned char *text, unsigned char *matches, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int best = 0, where = 0;
  for (int d = 1; d <= WINDOW && d <= i; d++) {
    int len = 0;
    while (len < MOST && i + len < n && text[i + len] == text[i + len - d]) len++;
    if (len > best) {
      best = len;
      where = d;
    }
  }
  ((uchar2 *)matches)[i] = make_uchar2(best, where);
}
""",
    WIDE
    + r"""
void twin(const uint8_t *text, uint8_t *matches, int n) {
  // for each distance the lengths at all places of a chunk, by doubling: 1, 2, 4, 8, 16
  constexpr int CHUNK = 2048, SPACE = CHUNK + 128;
  alignas(64) static uint8_t one[SPACE], two[SPACE], four[SPACE], eight[SPACE], best[SPACE], where[SPACE];
  for (int start = 0; start < n; start += CHUNK) {
    const int size = std::min(CHUNK, n - start), known = std::min(size + 15, n - start);
    memset(best, 0, sizeof best);
    memset(where, 0, sizeof where);
    memset(one, 0, sizeof one);
    for (int d = 1; d <= 32; ++d) {
      const uint8_t *p = text + start;
      const int first = start < d ? d - start : 0;
      for (int i = 0; i < first; ++i) one[i] = 0;
#pragma omp simd
      for (int i = first; i < known; ++i) one[i] = p[i] == p[i - d] ? 1 : 0;
#pragma omp simd
      for (int i = 0; i < CHUNK + 64; ++i) two[i] = uint8_t(one[i] + (one[i] == 1 ? one[i + 1] : 0));
#pragma omp simd
      for (int i = 0; i < CHUNK + 32; ++i) four[i] = uint8_t(two[i] + (two[i] == 2 ? two[i + 2] : 0));
#pragma omp simd
      for (int i = 0; i < CHUNK + 16; ++i) eight[i] = uint8_t(four[i] + (four[i] == 4 ? four[i + 4] : 0));
#pragma omp simd
      for (int i = 0; i < CHUNK; ++i) {
        uint8_t len = uint8_t(eight[i] + (eight[i] == 8 ? eight[i + 8] : 0));
        where[i] = len > best[i] ? uint8_t(d) : where[i];
        best[i] = len > best[i] ? len : best[i];
      }
    }
    uint16_t *out = (uint16_t *)matches + start;
#pragma omp simd
    for (int i = 0; i < size; ++i) out[i] = uint16_t(best[i] | where[i] << 8);
  }
}
""",
    [text, np.zeros((N, 2), np.uint8), i32(N)],
    blocks(N, 256),
    256,
)

# 23. cipher

N = 4096
case(
    "chacha20, a block of 64 bytes per thread",
    r"""
#define ROTATE(v, n) (((v) << (n)) | ((v) >> (32 - (n))))
#define QUARTER(a, b, c, d) \
  a += b; d ^= a; d = ROTATE(d, 16); \
  c += d; b ^= c; b = ROTATE(b, 12); \
  a += b; d ^= a; d = ROTATE(d, 8);  \
  c += d; b ^= c; b = ROTATE(b, 7);

__global__ void chacha20(const unsigned int *plain, const unsigned int *key, unsigned int *cipher, unsigned int nonce, int n) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= n) return;
  unsigned int state[16], x[16];
  state[0] = 0x61707865u; state[1] = 0x3320646eu; state[2] = 0x79622d32u; state[3] = 0x6b206574u;
  for (int i = 0; i < 8; i++) state[4 + i] = key[i];
  state[12] = id;
  state[13] = nonce;
  state[14] = state[15] = 0;
  for (int i = 0; i < 16; i++) x[i] = state[i];
  for (int round = 0; round < 10; round++) {
    QUARTER(x[0], x[4], x[8], x[12])
    QUARTER(x[1], x[5], x[9], x[13])
    QUARTER(x[2], x[6], x[10], x[14])
    QUARTER(x[3], x[7], x[11], x[15])
    QUARTER(x[0], x[5], x[10], x[15])
    QUARTER(x[1], x[6], x[11], x[12])
    QUARTER(x[2], x[7], x[8], x[13])
    QUARTER(x[3], x[4], x[9], x[14])
  }
  for (int i = 0; i < 16; i++) cipher[id * 16 + i] = plain[id * 16 + i] ^ (x[i] + state[i]);
}
""",
    TRANSPOSE16
    + r"""
void twin(const uint32_t *plain, const uint32_t *key, uint32_t *cipher, uint32_t nonce, int n) {
  static const uint32_t head[4] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u};
  const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  for (int id = 0; id < n; id += 16) {
    __m512i x[16];
    auto start = [&](int i) {
      if (i == 12) return _mm512_add_epi32(lanes, _mm512_set1_epi32(id));
      return _mm512_set1_epi32(int(i < 4 ? head[i] : i < 12 ? key[i - 4] : i == 13 ? nonce : 0));
    };
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) x[i] = start(i);
#define QUARTER(a, b, c, d)                                                                        \
  a = _mm512_add_epi32(a, b); d = _mm512_rol_epi32(_mm512_xor_si512(d, a), 16);                    \
  c = _mm512_add_epi32(c, d); b = _mm512_rol_epi32(_mm512_xor_si512(b, c), 12);                    \
  a = _mm512_add_epi32(a, b); d = _mm512_rol_epi32(_mm512_xor_si512(d, a), 8);                     \
  c = _mm512_add_epi32(c, d); b = _mm512_rol_epi32(_mm512_xor_si512(b, c), 7);
    for (int round = 0; round < 10; ++round) {
      QUARTER(x[0], x[4], x[8], x[12])
      QUARTER(x[1], x[5], x[9], x[13])
      QUARTER(x[2], x[6], x[10], x[14])
      QUARTER(x[3], x[7], x[11], x[15])
      QUARTER(x[0], x[5], x[10], x[15])
      QUARTER(x[1], x[6], x[11], x[12])
      QUARTER(x[2], x[7], x[8], x[13])
      QUARTER(x[3], x[4], x[9], x[14])
    }
    __m512 r[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) r[i] = _mm512_castsi512_ps(_mm512_add_epi32(x[i], start(i)));
    transpose16(r);
    for (int i = 0; i < 16; ++i) {
      __m512i text = _mm512_loadu_si512(plain + 16 * (id + i));
      _mm512_storeu_si512(cipher + 16 * (id + i), _mm512_xor_si512(text, _mm512_castps_si512(r[i])));
    }
  }
}
""",
    [
        rng.integers(0, 2**32, (N, 16), u32),
        rng.integers(0, 2**32, 8, u32),
        np.zeros((N, 16), u32),
        u32(77),
        i32(N),
    ],
    blocks(N, 128),
    128,
    tolerance=0,
)

# 24. hash

N = 8192
case(
    "murmur3 of 64-byte keys",
    r"""
__device__ inline unsigned rotl32(unsigned x, int r) { return (x << r) | (x >> (32 - r)); }

__global__ void murmur3(const unsigned *keys, unsigned *hashes, unsigned seed, unsigned n) {
  for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) {
    unsigned h = seed;
    const unsigned *words = keys + k * 16;
    for (int i = 0; i < 16; i++) {
      unsigned w = words[i];
      w *= 0xcc9e2d51u;
      w = rotl32(w, 15);
      w *= 0x1b873593u;
      h ^= w;
      h = rotl32(h, 13);
      h = h * 5 + 0xe6546b64u;
    }
    h ^= 64;
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    hashes[k] = h;
  }
}
""",
    TRANSPOSE16
    + r"""
void twin(const uint32_t *keys, uint32_t *hashes, uint32_t seed, uint32_t n) {
  auto set = [](uint32_t v) { return _mm512_set1_epi32(int(v)); };
  auto x5 = [](__m512i v) { return _mm512_add_epi32(v, _mm512_slli_epi32(v, 2)); };
  for (uint32_t k = 0; k < n; k += 16) {
    __m512 r[16];
    for (int i = 0; i < 16; ++i) {
      // the words are mixed before they are turned: no chain there
      __m512i w = _mm512_mullo_epi32(_mm512_loadu_si512(keys + (k + i) * 16), set(0xcc9e2d51u));
      r[i] = _mm512_castsi512_ps(_mm512_mullo_epi32(_mm512_rol_epi32(w, 15), set(0x1b873593u)));
    }
    transpose16(r);
    __m512i h = set(seed);
    for (int i = 0; i < 16; ++i) {
      h = _mm512_rol_epi32(_mm512_xor_si512(h, _mm512_castps_si512(r[i])), 13);
      h = _mm512_add_epi32(x5(h), set(0xe6546b64u));
    }
    h = _mm512_xor_si512(h, set(64));
    h = _mm512_mullo_epi32(_mm512_xor_si512(h, _mm512_srli_epi32(h, 16)), set(0x85ebca6bu));
    h = _mm512_mullo_epi32(_mm512_xor_si512(h, _mm512_srli_epi32(h, 13)), set(0xc2b2ae35u));
    h = _mm512_xor_si512(h, _mm512_srli_epi32(h, 16));
    _mm512_storeu_si512(hashes + k, h);
  }
}
""",
    [rng.integers(0, 2**32, (N, 16), u32), np.zeros(N, u32), u32(42), u32(N)],
    16,
    256,
    tolerance=0,
)

# 25. edit distance

PAIRS, LENGTH = 1024, 32
left = rng.integers(65, 69, (LENGTH, PAIRS), np.uint8)
right = np.where(
    rng.random((LENGTH, PAIRS)) < 0.7, np.roll(left, 1, axis=0), rng.integers(65, 69, (LENGTH, PAIRS), np.uint8)
)
case(
    "levenshtein, private row per pair",
    r"""
#define LENGTH 32

__global__ void levenshtein(const char *a, const char *b, int *distance, int pairs) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pairs) return;
  int row[LENGTH + 1];
  for (int j = 0; j <= LENGTH; j++) row[j] = j;
  for (int i = 1; i <= LENGTH; i++) {
    char ch = a[(i - 1) * pairs + p];
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= LENGTH; j++) {
      int cost = ch == b[(j - 1) * pairs + p] ? 0 : 1;
      int best = min(min(row[j] + 1, row[j - 1] + 1), diagonal + cost);
      diagonal = row[j];
      row[j] = best;
    }
  }
  distance[p] = row[LENGTH];
}
""",
    r"""
void twin(const char *a, const char *b, int *distance, int pairs) {
  // distances up to 32 fit into bytes: 64 pairs at once, two rows at once
  const __m512i one = _mm512_set1_epi8(1);
  for (int p = 0; p < pairs; p += 64) {
    __m512i row[33], letters[32];
    for (int j = 0; j <= 32; ++j) row[j] = _mm512_set1_epi8(char(j));
    for (int j = 0; j < 32; ++j) letters[j] = _mm512_loadu_si512(b + j * pairs + p);
    for (int i = 1; i <= 32; i += 2) {
      const __m512i first = _mm512_loadu_si512(a + (i - 1) * pairs + p), second = _mm512_loadu_si512(a + i * pairs + p);
      __m512i above = row[0], left1 = _mm512_set1_epi8(char(i)), left2 = _mm512_set1_epi8(char(i + 1));
      row[0] = left2;
      for (int j = 1; j <= 32; ++j) {
        const __m512i ch = letters[j - 1], up = row[j];
        auto cell = [&](__m512i up, __m512i left, __m512i diagonal, __m512i mine) {
          __m512i through = _mm512_mask_add_epi8(diagonal, _mm512_cmpneq_epi8_mask(ch, mine), diagonal, one);
          return _mm512_min_epu8(_mm512_add_epi8(_mm512_min_epu8(up, left), one), through);
        };
        __m512i here1 = cell(up, left1, above, first);
        __m512i here2 = cell(here1, left2, left1, second);
        above = up, left1 = here1, left2 = here2;
        row[j] = here2;
      }
    }
    alignas(64) uint8_t last[64];
    _mm512_store_si512(last, row[32]);
    for (int k = 0; k < 64; ++k) distance[p + k] = last[k];
  }
}
""",
    [left.view(np.int8), right.view(np.int8), np.zeros(PAIRS, i32), i32(PAIRS)],
    blocks(PAIRS, 128),
    128,
)
