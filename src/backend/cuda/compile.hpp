// Compiling CUDA C++ for a GPU: with NVRTC, or, where it is missing, to PTX with the compiler plug-in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/backend.hpp"

namespace lanza::cuda_backend {

struct Architecture {
  int major = 0, minor = 0;
};

/// Which compiler would be used and for what, found without loading it. Throws Unavailable when there is none, saying
/// what to install.
std::string compiler_identity(Architecture);
/// Throws CompileError.
backend::CompileResult compile(const backend::CompileRequest&, Architecture);
/// What was looked for, a line each.
std::vector<std::string> compiler_diagnosis();

}  // namespace lanza::cuda_backend
