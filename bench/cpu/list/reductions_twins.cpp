// Twins of reductions, the scan and the histogram.
#include <cstdint>
#include <cstring>

#include "simd.hpp"
#include "twin.hpp"

namespace {

using namespace bench;

// Units: sums of `width` values.
void sums(int begin, int end, const float* __restrict in, float* __restrict out, int width) {
  for (int i = begin; i < end; ++i) {
    const float* part = in + static_cast<long>(i) * width;
    float total = 0;
#pragma omp simd reduction(+ : total)
    for (int k = 0; k < width; ++k) total += part[k];
    out[i] = total;
  }
}

TWIN(reduce, const float* __restrict in, float* __restrict out, int) { sums(begin, end, in, out, 512); }

TWIN(warp_reduce, const float* __restrict in, float* __restrict out, int) { sums(begin, end, in, out, 256); }

#ifdef __AVX512F__
#define UP(v, by)                                                                                              \
  __builtin_shufflevector(Floats{}, v, 16 - by, 17 - by, 18 - by, 19 - by, 20 - by, 21 - by, 22 - by, 23 - by, \
                          24 - by, 25 - by, 26 - by, 27 - by, 28 - by, 29 - by, 30 - by, 31 - by)
#else
#define UP(v, by) \
  __builtin_shufflevector(Floats{}, v, 8 - by, 9 - by, 10 - by, 11 - by, 12 - by, 13 - by, 14 - by, 15 - by)
#endif

// Units: blocks of 256 values. Sums within a register, then what came before it.
TWIN(block_scan, const float* __restrict in, float* __restrict out, int) {
  for (int block = begin; block < end; ++block) {
    float before = 0;
    for (int i = block * 256; i < block * 256 + 256; i += lanes) {
      Floats v = load<Floats>(in + i);
      v += UP(v, 1);
      v += UP(v, 2);
      v += UP(v, 4);
#ifdef __AVX512F__
      v += UP(v, 8);
#endif
      store(out + i, v + before);
      before += v[lanes - 1];
    }
  }
}

// Units: bytes. Four tables, so that equal neighbours do not wait for each other.
TWIN(histogram, const unsigned char* __restrict data, unsigned* bins, int) {
  unsigned tables[4][256] = {};
  int i = begin;
  for (; i + 8 <= end; i += 8) {
    std::uint64_t word;
    std::memcpy(&word, data + i, 8);
    for (int k = 0; k < 8; ++k) ++tables[k % 4][word >> 8 * k & 255];
  }
  for (; i < end; ++i) ++tables[0][data[i]];
  for (int k = 0; k < 256; ++k)
    __atomic_fetch_add(&bins[k], tables[0][k] + tables[1][k] + tables[2][k] + tables[3][k], __ATOMIC_RELAXED);
}

}  // namespace
