// CUDA C++ to a cubin with NVRTC.
#pragma once

#include <string>

#include "backend/cuda/compile.hpp"

namespace lanza::cuda_backend {

/// Part of compiler_identity(): NVRTC's build, the target, the headers that are added. Nothing when there is no NVRTC.
std::optional<std::string> nvrtc_identity(Architecture);
backend::CompileResult compile_with_nvrtc(const backend::CompileRequest&, Architecture);

}  // namespace lanza::cuda_backend
