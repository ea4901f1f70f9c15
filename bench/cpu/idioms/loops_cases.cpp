// Launches and data of the idioms of loops and conditions.
#include "case.hpp"
#include "data.hpp"

namespace bench {

static void add_tiles(Cases& cases, const char* file) {
  const int size = 512;
  const auto matrix = floats(size * size, -1, 1);
  cases.add({"sums of 4x4 across barriers", 1.2, file, "tile_matmul<4, 16>", lanza::Dim3(8, 8), lanza::Dim3(16, 16),
             "matmul", size / 16, 1e-5},
            in(matrix), in(matrix), out<float>(size * size), size);
  cases.add({"sums of 8x8 across barriers", 1.2, file, "tile_matmul<8, 8>", lanza::Dim3(4, 4), lanza::Dim3(16, 16),
             "matmul", size / 16, 1e-5},
            in(matrix), in(matrix), out<float>(size * size), size);
}

static std::vector<int> starts_of_rows(int rows, int longest) {
  std::vector<int> starts{0};
  for (int i = 0; i < rows; ++i) starts.push_back(starts.back() + i * 7919 % (longest + 1));
  return starts;
}

static std::vector<char> letters(int n) {
  std::vector<char> text(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) text[static_cast<std::size_t>(i)] = "abcd"[(i * 7919 >> 3 ^ i * 31 >> 1) & 3];
  return text;
}

static void add_rows(Cases& cases, const char* file) {
  const int n = 512, rows = 8192, points = 1 << 14, text = 1 << 18, word = 8;
  const std::vector<int> starts = starts_of_rows(rows, 60);
  const std::vector<char> letter = letters(text);
  cases.add({"rows but for the diagonal", 1.2, file, "jacobi", blocks(n, 128), 128, "jacobi", n, 1e-5},
            in(floats(n * n, 1, 2)), in(floats(n, -1, 1)), in(floats(n, -1, 1)), out<float>(n), n);
  cases.add({"ragged rows, a thread each", 2, file, "ragged", blocks(rows, 256), 256, "ragged", rows, 1e-5}, in(starts),
            in(floats(starts.back(), -1, 1)), out<float>(rows), rows);
  cases.add({"points against all: 16 of 4", 1.2, file, "nearest", blocks(points, 256), 256, "nearest", points, 1e-3},
            in(floats(4 * points, 0, 1)), in(floats(4 * 16, 0, 1)), out<int>(points), points, 16, 4);
  cases.add({"a word in a text", 2, file, "search", blocks(text, 256), 256, "search", text}, in(letter),
            in(std::vector<char>(letter.begin() + 96, letter.begin() + 96 + word)), word, out<int>(text), text);
}

void add_loops(Cases& cases) {
  const char* file = "idioms/loops.cu";
  const int n = 1 << 18, cells = 1 << 16, rows = 512, stretches = n / 256;
  cases.add({"private arrays: lattice", 1.2, file, "lattice", blocks(cells, 128), 128, "lattice", cells, 1e-5},
            in(floats(9 * cells, 0.1f, 1)), out<float>(9 * cells), cells);
  cases.add({"private arrays: median of 5", 1.2, file, "median", blocks(n, 256), 256, "median", n},
            in(floats(n + 4, -1, 1)), out<float>(n), n);
  cases.add(
      {"warp strides over a row of 256", 1.2, file, "row_norm", blocks(32 * rows, 256), 256, "row_norm", rows, 1e-5},
      in(floats(rows * 256, -1, 1)), out<float>(rows * 256), rows, 256);
  cases.add(
      {"warp strides over a row of 1000", 1.2, file, "row_norm", blocks(32 * rows, 256), 256, "row_norm", rows, 1e-5},
      in(floats(rows * 1000, -1, 1)), out<float>(rows * 1000), rows, 1000);
  cases.add({"block strides over a row of 1000", 1.2, file, "softmax", lanza::Dim3(256), 128, "softmax", 256, 1e-5},
            in(floats(256 * 1000, -4, 4)), out<float>(256 * 1000), 1000);
  cases.add({"grid strides over an array", 1.2, file, "grid_stride", lanza::Dim3(32), 256, "grid_stride", n, 1e-6},
            in(floats(n, -2, 2)), inout(floats(n, -2, 2)), 1e-3f, n);
  cases.add({"grid strides: two sums", 1.2, file, "moments", lanza::Dim3(64), 256, "moments", 64, 1e-5},
            in(floats(n, 0, 1)), out<float>(128), n);
  cases.add({"turns up to its own number", 1.2, file, "so_far", blocks(2048, 128), 128, "so_far", 2048 / 64, 1e-5},
            in(floats(2048, 0, 1)), out<float>(2048), 2048);
  cases.add({"pairs under a causal mask", 1.2, file, "causal", lanza::Dim3(32, 32), lanza::Dim3(16, 16), "causal",
             512 / 16, 1e-4},
            in(floats(512 * 64, -1, 1)), in(floats(512 * 64, -1, 1)), out<float>(512 * 512), 512, 64);
  cases.add({"the greatest of sums, in steps", 1.2, file, "likeliest", lanza::Dim3(32), 64, "likeliest", 32, 1e-5},
            in(floats(32 * 64 * 64, 0, 1)), in(floats(64 * 64, 0, 1)), out<float>(32 * 64), 64);
  add_tiles(cases, file);
  add_rows(cases, file);
  cases.add({"several barriers in a loop", 1.2, file, "sweeps", lanza::Dim3(static_cast<unsigned>(stretches)), 256,
             "sweeps", stretches, 1e-5},
            in(floats(n, -1, 1)), out<float>(n), 16);
  cases.add({"__syncthreads with early exit", 1.2, file, "early_exit", lanza::Dim3(static_cast<unsigned>(stretches)),
             256, "early_exit", stretches},
            in(floats(n, -1, 1)), out<float>(n), n - 156);
  cases.add({"divergent loop: Collatz", 1.2, file, "collatz", blocks(cells, 256), 256, "collatz", cells},
            out<int>(cells), cells);
  cases.add({"nested conditions", 1.2, file, "piecewise", blocks(n, 256), 256, "piecewise", n, 1e-5},
            in(floats(n, -2, 2)), out<float>(n), n);
}

}  // namespace bench
