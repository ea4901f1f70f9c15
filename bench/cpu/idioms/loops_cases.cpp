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
  add_tiles(cases, file);
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
