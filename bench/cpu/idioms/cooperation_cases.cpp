// Launches and data of what threads of a block do together, and of shapes of blocks.
#include "case.hpp"
#include "data.hpp"

namespace bench {
namespace {

void add_block_wide(Cases& cases, const char* file) {
  const int n = 1 << 18;
  cases.add({"shared atomics: a maximum", 1.2, file, "greatest", 64, 256, "greatest", n},
            in(integers<int>(n, 0, 1 << 30)), out<int>(1), n);
  cases.add({"global atomics: 4096 bins", 1.2, file, "global_bins", blocks(n, 256), 256, "global_bins", n},
            in(integers<int>(n, 0, 4095)), out<int>(4096), n);
  cases.add({"block-wide reduction by shuffles", 1.2, file, "dot", 256, 256, "dot", 256, 1e-5}, in(floats(n, 0, 1)),
            in(floats(n, 0, 1)), out<float>(256), n / 256);
  cases.add(
      {"block-wide scan by shuffles", 1.2, file, "shuffle_scan", blocks(n, 256), 256, "shuffle_scan", n / 256, 1e-5},
      in(floats(n, 0, 1)), out<float>(n));
  cases.add({"block-wide scan in place", 1.2, file, "scan_in_place", blocks(n, 256), 256, "scan_in_place", n / 256},
            in(integers<int>(n, -99, 99)), out<int>(n));
  cases.add({"a ring in shared memory", 1.2, file, "ring", blocks(n / 8, 256), 256, "ring", n / 2048, 1e-5},
            in(floats(n / 8, 0, 1)), out<float>(n / 8));
  cases.add({"block-wide sort by ranks", 1.2, file, "rank_sort", blocks(n / 4, 128), 128, "rank_sort", n / 512},
            in(floats(n / 4, 0, 1)), out<float>(n / 4));
}

void add_warps(Cases& cases, const char* file) {
  const int n = 1 << 18;
  cases.add({"warp reduction", 1.2, file, "warp_sums", blocks(n, 256), 256, "warp_sums", n / 32, 1e-5},
            in(floats(n, 0, 1)), out<float>(n / 32));
  cases.add({"sums of 8, a thread of 8 writes", 1.2, file, "sums_of_8", blocks(n, 256), 256, "sums_of_8", n / 8, 1e-5},
            in(floats(n, 0, 1)), out<float>(n / 8));
  cases.add({"warp scan", 1.2, file, "warp_scan", blocks(n, 256), 256, "warp_scan", n / 32, 1e-5}, in(floats(n, 0, 1)),
            out<float>(n));
  cases.add({"warp broadcast and ballot", 1.2, file, "above_first", blocks(n, 256), 256, "above_first", n / 32, 1e-5},
            in(floats(n, 0, 1)), out<float>(n));
}

void add_shapes(Cases& cases, const char* file) {
  const int width = 512, height = 512, n = width * height;
  for (const unsigned x : {4u, 8u, 16u})
    cases.add({"blocks of " + std::to_string(x) + " x " + std::to_string(256 / x), 1.2, file, "plane",
               lanza::Dim3(512 / x, 2 * x), lanza::Dim3(x, 256 / x), "plane", height, 1e-6},
              in(floats(n, -1, 1)), out<float>(n), width, height);
  cases.add({"blocks of 8 x 8 x 4", 1.2, file, "space", lanza::Dim3(8, 8, 16), lanza::Dim3(8, 8, 4), "space", 63},
            in(floats(n, -1, 1)), out<float>(n), 64, 64, 64);
  for (const int block : {32, 100, 1024})
    cases.add({"blocks of " + std::to_string(block), 1.2, file, "axpy", blocks(n, block), static_cast<unsigned>(block),
               "axpy", n, 1e-6},
              in(floats(n, -1, 1)), inout(floats(n, -1, 1)), 1e-3f, n);
  cases.add({"blocks of 192 with a barrier", 1.2, file, "reverse", 1024, 192, "reverse", 1024, 0, 1, 192 * 4},
            in(floats(192 * 1024, -1, 1)), out<float>(192 * 1024));
  cases.add({"blocks of 1024 with barriers", 1.2, file, "tree", n / 1024, 1024, "tree", n / 1024, 1e-5},
            in(floats(n, 0, 1)), out<float>(n / 1024));
}

}  // namespace

void add_cooperation(Cases& cases) {
  const char* file = "idioms/cooperation.cu";
  add_block_wide(cases, file);
  add_warps(cases, file);
  add_shapes(cases, file);
}

}  // namespace bench
