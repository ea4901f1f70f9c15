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

// Units: blocks of 256 values.
TWIN(block_scan, const float* __restrict in, float* __restrict out, int) {
  for (int block = begin; block < end; ++block) scan(in + block * 256, out + block * 256, 256);
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
