// The twin of the products of matrices.
#include <algorithm>
#include <memory>

#include "simd.hpp"
#include "twin.hpp"

namespace {

using namespace bench;

// A tile of the result stays in registers; the panel of b that it needs lies packed in the cache, as its rows are a
// power of two apart and would share few sets.
constexpr int tile_rows = register_bytes == 64 ? 8 : 4, tile_columns = 2 * lanes;

void multiply_tile(const float* __restrict a, const float* __restrict panel, float* __restrict c, int n) {
  Floats sums[tile_rows][2] = {};
  for (int k = 0; k < n; ++k) {
    const Floats left = load<Floats>(panel + k * tile_columns), right = load<Floats>(panel + k * tile_columns + lanes);
    for (int i = 0; i < tile_rows; ++i) {
      sums[i][0] += a[i * n + k] * left;
      sums[i][1] += a[i * n + k] * right;
    }
  }
  for (int i = 0; i < tile_rows; ++i) {
    store(c + i * n, sums[i][0]);
    store(c + i * n + lanes, sums[i][1]);
  }
}

// Units: 16 rows of the result.
TWIN(matmul, const float* __restrict a, const float* __restrict b, float* __restrict c, int n) {
  const std::unique_ptr<float[]> panel(new float[static_cast<unsigned>(n * tile_columns)]);
  for (int column = 0; column < n; column += tile_columns) {
    for (int k = 0; k < n; ++k) std::copy_n(b + k * n + column, tile_columns, panel.get() + k * tile_columns);
    for (int row = begin * 16; row < end * 16; row += tile_rows)
      multiply_tile(a + row * n, panel.get(), c + row * n + column, n);
  }
}

}  // namespace
