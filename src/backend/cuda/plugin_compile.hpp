// CUDA C++ to PTX with the compiler plug-in, for machines with a driver and no NVRTC.
#pragma once

#include "backend/cuda/compile.hpp"

namespace lanza::cuda_backend {

/// Throws Unavailable when there is no plug-in.
std::string plugin_identity(Architecture, int driver_version);
backend::CompileResult compile_with_plugin(const backend::CompileRequest&, Architecture, int driver_version);

}  // namespace lanza::cuda_backend
