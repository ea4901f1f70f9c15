// Inputs of the cases: the same every time.
#pragma once

#include <cstddef>
#include <lanza/lanza.hpp>
#include <random>
#include <vector>

namespace bench {

inline std::vector<float> floats(int n, float low, float high) {
  std::mt19937 generator(42);
  std::uniform_real_distribution<float> uniform(low, high);
  std::vector<float> values(static_cast<std::size_t>(n));
  for (float& value : values) value = uniform(generator);
  return values;
}

/// Integers in [low, high].
template <class T>
std::vector<T> integers(int n, int low, int high) {
  std::mt19937 generator(43);
  std::uniform_int_distribution<int> uniform(low, high);
  std::vector<T> values(static_cast<std::size_t>(n));
  for (T& value : values) value = static_cast<T>(uniform(generator));
  return values;
}

/// A grid of so many threads at least.
inline lanza::Dim3 blocks(int threads, int block) {
  return lanza::Dim3(static_cast<unsigned>((threads + block - 1) / block));
}

}  // namespace bench
