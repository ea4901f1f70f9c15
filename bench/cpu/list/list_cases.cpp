// Launches and data of products, reductions and stencils.
#include "case.hpp"
#include "data.hpp"

namespace bench {

void add_list(Cases& cases) {
  const int n = 1 << 20, many = 1 << 22;
  {
    const char* file = "list/matmul.cu";
    const int size = 512;
    const auto matrix = floats(size * size, -1, 1);
    cases.add({"matmul 512, tiles of 16", 1.3, file, "matmul<16>", lanza::Dim3(32, 32), lanza::Dim3(16, 16), "matmul",
               size / 16, 1e-5},
              in(matrix), in(matrix), out<float>(size * size), size);
    cases.add({"matmul 512, tiles of 32", 1.3, file, "matmul<32>", lanza::Dim3(16, 16), lanza::Dim3(32, 32), "matmul",
               size / 16, 1e-5},
              in(matrix), in(matrix), out<float>(size * size), size);
  }
  {
    const char* file = "list/reductions.cu";
    const auto values = floats(many, 0, 1);
    cases.add({"tree reduction 4M", 1.5, file, "reduce", blocks(many, 512), 256, "reduce", many / 512, 1e-5, 1, 1024},
              in(values), out<float>(many / 512), many);
    cases.add({"warp-shuffle reduction 4M", 2.0, file, "warp_reduce", blocks(many, 256), 256, "warp_reduce", many / 256,
               1e-5},
              in(values), out<float>(many / 256), many);
    cases.add({"block scan 1M", 2.0, file, "block_scan", blocks(n, 256), 256, "block_scan", n / 256, 1e-5},
              in(floats(n, 0, 1)), out<float>(n), n);
    cases.add({"histogram of 4M bytes", 1.2, file, "histogram", 64, 256, "histogram", many},
              in(integers<std::uint8_t>(many, 0, 255)), out<unsigned>(256), many);
  }
  {
    const char* file = "list/stencils.cu";
    int cube = 128, image = 1024;
    const auto volume = floats(cube * cube * cube, -1, 1);
    const auto picture = floats(image * image, -1, 1);
    cases.add({"1-D stencil of radius 4, 1M", 1.2, file, "stencil", blocks(n, 256), 256, "stencil", n, 1e-5},
              in(floats(n, -1, 1)), out<float>(n), n);
    cases.add({"3-D stencil, 7 points, 128^3", 1.2, file, "stencil3d", lanza::Dim3(4, 16), lanza::Dim3(32, 8),
               "stencil3d", cube - 2, 1e-5},
              in(volume), out<float>(cube * cube * cube), cube, cube, cube, 0.4f, 0.1f);
    cases.add({"5x5 convolution 1024^2", 1.2, file, "conv2d", lanza::Dim3(64, 64), lanza::Dim3(16, 16), "conv2d", image,
               1e-5},
              in(picture), in(floats(25, 0, 1)), out<float>(image * image), image, image);
    cases.add({"convolution of rows, radius 8", 1.2, file, "convolve_rows", lanza::Dim3(8, 256), lanza::Dim3(128, 4),
               "convolve_rows", image, 1e-5},
              in(picture), out<float>(image * image), image, image);
    cases.add({"convolution of columns, radius 8", 1.2, file, "convolve_columns", lanza::Dim3(32, 64),
               lanza::Dim3(32, 8), "convolve_columns", image, 1e-5},
              in(picture), out<float>(image * image), image, image);
  }
}

}  // namespace bench
