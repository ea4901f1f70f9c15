// Questions about NVIDIA devices that never fail: without a driver the answers are false and 0.
#pragma once

#include <string>

#include <lanza/export.hpp>

namespace lanza::cuda {

LANZA_API bool is_available() noexcept;
LANZA_API int device_count() noexcept;
/// Why there is no CUDA device, as a sentence; empty when there is one.
LANZA_API std::string why_unavailable();

}  // namespace lanza::cuda
