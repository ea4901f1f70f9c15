// Launches and data of the idioms of indices, types and places of memory.
#include <algorithm>
#include <numeric>

#include "case.hpp"
#include "data.hpp"

namespace bench {
namespace {

struct Particle {
  using Element = float;
  float values[8];
};

template <class T, class E>
std::vector<T> packed(const std::vector<E>& values) {
  std::vector<T> result(values.size() * sizeof(E) / sizeof(T));
  std::memcpy(result.data(), values.data(), result.size() * sizeof(T));
  return result;
}

std::vector<int> permutation(int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::shuffle(order, std::mt19937(44));
  return order;
}

/// Positive numbers of 16 bits, 0.25 to 1.
std::vector<Half> halves(int n) { return packed<Half>(integers<std::uint16_t>(n, 0x3400, 0x3c00)); }

const lanza::Dim3 square(16, 16);
lanza::Dim3 tiles(int side) { return lanza::Dim3(static_cast<unsigned>(side) / 16, static_cast<unsigned>(side) / 16); }

void add_edges(Cases& cases, const char* file) {
  const int n = 1 << 18, side = 512;
  cases.add({"clamped indices: mean of 3x3", 1.2, file, "clamped", tiles(side), square, "clamped", side, 1e-5},
            in(floats(side * side, -1, 1)), out<float>(side * side), side, side);
  cases.add({"a window of run time: mean of a row", 1.2, file, "blurred", tiles(side), square, "blurred", side, 1e-5},
            in(floats(side * side, -1, 1)), out<float>(side * side), side, side, 5);
  cases.add(
      {"coordinates: an image twice as large", 1.2, file, "enlarged", tiles(side), square, "enlarged", side, 1e-5},
      in(floats(side * side / 4, -1, 1)), out<float>(side * side), side / 2, side / 2, side, side);
  cases.add({"wrapped indices: a ring", 1.2, file, "wrapped", blocks(n, 256), 256, "wrapped", n, 1e-6},
            in(floats(n, -1, 1)), out<float>(n), n);
  cases.add({"guards at the edges of a plane", 1.2, file, "guarded", tiles(side), square, "guarded", side, 1e-5},
            in(floats(side * side, -1, 1)), out<float>(side * side), side, side);
  cases.add({"bytes: erosion 3x3, clamped", 1.2, file, "erode", tiles(side), square, "erode", side},
            in(integers<std::uint8_t>(side * side, 0, 255)), out<std::uint8_t>(side * side), side, side);
}

void add_types(Cases& cases, const char* file) {
  const int n = 1 << 17;
  cases.add({"structures of 8 floats", 1.2, file, "particles", blocks(n, 256), 256, "particles", n, 1e-6},
            inout(packed<Particle>(floats(8 * n, -1, 1))), 1e-6f, n);
  cases.add({"float2: complex product", 1.2, file, "complex_product", blocks(n, 256), 256, "complex_product", n, 1e-6},
            in(packed<Float2>(floats(2 * n, -1, 1))), in(packed<Float2>(floats(2 * n, -1, 1))), out<Float2>(n), n);
  cases.add({"float4: blend", 1.2, file, "blend", blocks(n, 256), 256, "blend", n, 1e-6},
            in(packed<Float4>(floats(4 * n, 0, 1))), in(packed<Float4>(floats(4 * n, 0, 1))), out<Float4>(n), n);
  cases.add({"uchar4: grey", 1.2, file, "grey", blocks(4 * n, 256), 256, "grey", 4 * n},
            in(packed<Uchar4>(integers<std::uint8_t>(16 * n, 0, 255))), out<std::uint8_t>(4 * n), 4 * n);
  cases.add({"uchar3: channels swapped", 1.2, file, "swapped", blocks(2 * n, 256), 256, "swapped", 2 * n},
            in(packed<Uchar3>(integers<std::uint8_t>(6 * n, 0, 255))), out<Uchar3>(2 * n), 2 * n);
  cases.add({"bytes of words: products of rows", 1.2, file, "byte_dots", 64, 256, "byte_dots", 512},
            in(integers<int>(512 * 512, -2000000000, 2000000000)), in(integers<int>(512, -2000000000, 2000000000)),
            out<int>(512), 512);
  cases.add({"int3: differences", 1.2, file, "differences", blocks(n, 256), 256, "differences", n},
            in(packed<Int3>(integers<int>(3 * n, -1000, 1000))), out<Int3>(n), n);
  cases.add(
      {"bytes: difference", 1.2, file, "difference_of_bytes", blocks(4 * n, 256), 256, "difference_of_bytes", 4 * n},
      in(integers<std::uint8_t>(4 * n, 0, 255)), in(integers<std::uint8_t>(4 * n, 5, 250)), out<std::uint8_t>(4 * n),
      4 * n);
  cases.add({"shorts: a mix that saturates", 1.2, file, "mix", blocks(2 * n, 256), 256, "mix", 2 * n},
            in(integers<std::int16_t>(2 * n, -32768, 32767)), in(integers<std::int16_t>(2 * n, -32768, 32767)),
            out<std::int16_t>(2 * n), 24000, 2 * n);
  cases.add({"half: axpy", 1.2, file, "half_axpy", blocks(2 * n, 256), 256, "half_axpy", 2 * n, 2e-3},
            in(halves(2 * n)), inout(halves(2 * n)), 0.01f, 2 * n);
  const auto values = floats(n, -2, 2);
  cases.add({"double: polynomial, root, quotient", 1.2, file, "doubles", blocks(n, 256), 256, "doubles", n, 1e-12},
            in(std::vector<double>(values.begin(), values.end())), out<double>(n), n);
  const auto evenly = floats(n, 1e-6f, 1);
  cases.add({"double: log, sine and cosine", 1.2, file, "normal_doubles", blocks(n / 2, 256), 256, "normal_doubles",
             n / 2, 1e-9},
            in(std::vector<double>(evenly.begin(), evenly.end())), out<double>(n), n);
  const auto words = integers<unsigned long long>(n, 0, 1 << 30);
  cases.add({"64-bit integers: mixed bits", 1.2, file, "mixed_bits", blocks(n, 256), 256, "mixed_bits", n}, in(words),
            out<unsigned long long>(n), static_cast<unsigned long long>(n));
  cases.add({"64-bit indices", 1.2, file, "long_index", blocks(n, 256), 256, "long_index", n, 1e-6}, in(values),
            inout(values), 1e-3f, static_cast<long long>(n));
}

void add_tables(Cases& cases, const char* file) {
  const int n = 1 << 18, table = 1 << 15;
  cases.add({"table in constant memory", 1.2, file, "constant_table", blocks(n, 256), 256, "constant_table", n},
            in(integers<std::uint8_t>(n, 0, 255)), out<float>(n), n);
  cases.add({"table in shared memory", 1.2, file, "shared_table", blocks(n, 256), 256, "shared_table", n / 256},
            in(integers<unsigned>(256, 0, 1 << 30)), in(integers<unsigned>(n, 0, 1 << 30)), out<unsigned>(n));
  cases.add({"gather", 1.2, file, "gather", blocks(n, 256), 256, "gather", n}, in(floats(table, -1, 1)),
            in(integers<int>(n, 0, table - 1)), out<float>(n), n);
  cases.add({"scatter", 1.2, file, "scatter", blocks(n, 256), 256, "scatter", n}, in(floats(n, -1, 1)),
            in(permutation(n)), out<float>(n), n);
}

}  // namespace

void add_memory(Cases& cases) {
  const char* file = "idioms/memory.cu";
  add_edges(cases, file);
  add_types(cases, file);
  add_tables(cases, file);
}

}  // namespace bench
