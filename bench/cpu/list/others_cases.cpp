// Launches and data of the whole kernels of other kinds.
#include <numeric>

#include "case.hpp"
#include "data.hpp"

namespace bench {
namespace {

struct Sparse {
  std::vector<int> starts{0}, columns;
  std::vector<float> values;
};

/// Rows with `low` to `high` values each.
Sparse sparse(int rows, int low, int high) {
  const auto lengths = integers<int>(rows, low, high);
  Sparse matrix;
  for (const int length : lengths) matrix.starts.push_back(matrix.starts.back() + length);
  const auto count = static_cast<std::size_t>(matrix.starts.back());
  matrix.columns = integers<int>(count, 0, rows - 1);
  matrix.values = floats(count, -1, 1);
  return matrix;
}

std::vector<Float4> bodies(int n) {
  const auto values = floats(4 * n, -1, 1);
  std::vector<Float4> result(static_cast<std::size_t>(n));
  std::memcpy(result.data(), values.data(), result.size() * sizeof(Float4));
  return result;
}

std::vector<int> graph(int vertices) {
  auto distances = integers<int>(vertices * vertices, 1, 10000);
  for (int i = 0; i < vertices; ++i) distances[static_cast<std::size_t>(i * (vertices + 1))] = 0;
  return distances;
}

void add_sparse(Cases& cases, const char* file) {
  const int rows = 1 << 16, long_rows = 1 << 13;
  const Sparse few = sparse(rows, 4, 20), many = sparse(long_rows, 32, 224);
  cases.add(
      {"SpMV, a thread a row, 64K x 12", 2.0, file, "spmv_thread", blocks(rows, 256), 256, "spmv_thread", rows, 1e-5},
      in(few.starts), in(few.columns), in(few.values), in(floats(rows, -1, 1)), out<float>(rows), rows);
  cases.add({"SpMV, a warp a row, 8K x 128", 2.0, file, "spmv_warp", blocks(32 * long_rows, 256), 256, "spmv_warp",
             long_rows, 1e-5},
            in(many.starts), in(many.columns), in(many.values), in(floats(long_rows, -1, 1)), out<float>(long_rows),
            long_rows);
}

}  // namespace

void add_others(Cases& cases) {
  const char* file = "list/others.cu";
  const int size = 512, count = 4096, side = 1024, keys = 1 << 18, vertices = 320;
  cases.add(
      {"mandelbrot 512x512x256", 1.0, file, "mandel", lanza::Dim3(16, 64), lanza::Dim3(32, 8), "mandel", size, 0.02},
      out<int>(size * size), size, size, 256);
  cases.add({"n-body 4096", 1.05, file, "nbody", blocks(count, 256), 256, "nbody", count, 1e-4}, in(bodies(count)),
            out<Float4>(count), count);
  cases.add(
      {"transpose 1024^2", 1.2, file, "transpose", lanza::Dim3(32, 32), lanza::Dim3(32, 8), "transpose", side / 16},
      in(floats(side * side, -1, 1)), out<float>(side * side), side);
  cases.add(
      {"bitonic sort, 256 blocks of 1024", 2.0, file, "bitonic", lanza::Dim3(keys / 1024), 512, "bitonic", keys / 1024},
      in(integers<unsigned>(keys, 0, 1 << 30)), out<unsigned>(keys));
  add_sparse(cases, file);
  cases.add({"Floyd-Warshall, 320 vertices", 2.0, file, "floyd_warshall", lanza::Dim3(10, 40), lanza::Dim3(32, 8),
             "floyd_warshall", vertices, 0, vertices},
            inout(graph(vertices)), vertices, Number{});
}

}  // namespace bench
