// Stand-ins for the host's headers, which NVRTC has none of, so that sources written for nvcc compile.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lanza::cuda_backend {

/// Name of the header that every source includes first, and its text: the fixed-width types and constants that nvcc's
/// implicit headers bring, and the mathematical functions in namespace std.
inline constexpr const char* environment_header = "lanza/environment.h";
std::string_view environment_text();
/// The limits of numbers: included first too, unless the source uses headers of CUDA's, which define the same in
/// another way.
inline constexpr const char* limits_header = "lanza/limits.h";
std::string_view limits_text();

/// "stdio.h", "cmath", "cuda_runtime.h", ...: what they declare is in the environment or built into NVRTC, so that they
/// are empty.
std::span<const std::string_view> host_headers();
bool is_host_header(std::string_view name);

}  // namespace lanza::cuda_backend
