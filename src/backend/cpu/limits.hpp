// What the CPU device takes: the limits of a current GPU, so that programs written for one fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace lanza::executor::limits {

constexpr unsigned threads_per_block = 1024;
constexpr unsigned block_x = 1024, block_y = 1024, block_z = 64;
constexpr unsigned grid_x = 2147483647, grid_y = 65535, grid_z = 65535;
constexpr unsigned warp = 32;
constexpr std::size_t shared_per_block = 48 << 10;         ///< what programs ask for by default
constexpr std::size_t shared_per_block_optin = 227 << 10;  ///< what a launch may have
constexpr std::size_t constant_memory = 64 << 10;
constexpr unsigned threads_per_multiprocessor = 2048;
constexpr std::pair<int, int> compute_capability{8, 0};

}  // namespace lanza::executor::limits
