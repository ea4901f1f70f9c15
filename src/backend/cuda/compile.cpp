// Choosing the compiler for a GPU.
#include "backend/cuda/compile.hpp"

namespace lanza::cuda_backend {

std::string compiler_identity(Architecture) { throw Unavailable("no CUDA compiler: install NVRTC (pip install nvidia-cuda-nvrtc)"); }

backend::CompileResult compile(const backend::CompileRequest&, Architecture) {
  throw Unavailable("no CUDA compiler: install NVRTC (pip install nvidia-cuda-nvrtc)");
}

std::vector<std::string> compiler_diagnosis() { return {}; }

}  // namespace lanza::cuda_backend
