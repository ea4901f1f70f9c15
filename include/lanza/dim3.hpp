// Sizes of grids and blocks.
#pragma once

#include <cstdint>

namespace lanza {

/// Three extents, x innermost; what is left out is 1.
struct Dim3 {
  unsigned x, y, z;
  constexpr Dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend constexpr bool operator==(const Dim3&, const Dim3&) = default;
};

}  // namespace lanza
