// Choosing the compiler for a GPU: NVRTC where there is one, else the plug-in.
#include "backend/cuda/compile.hpp"

#include <fmt/format.h>

#include "backend/cuda/driver.hpp"
#include "backend/cuda/nvrtc.hpp"
#include "backend/cuda/nvrtc_compile.hpp"
#include "backend/cuda/plugin_compile.hpp"
#include "compiler/loader.hpp"

namespace lanza::cuda_backend {

std::string compiler_identity(Architecture device) {
  if (auto identity = nvrtc_identity(device)) return *identity;
  return plugin_identity(device, driver_state().driver.version);
}

backend::CompileResult compile(const backend::CompileRequest& request, Architecture device) {
  if (!Nvrtc::locate().empty()) return compile_with_nvrtc(request, device);
  try {
    compiler::plugin();
  } catch (const Unavailable& error) {
    throw Unavailable(fmt::format(
        "no compiler for CUDA devices: NVRTC was not found (pip install nvidia-cuda-nvrtc, or set LANZA_NVRTC), nor "
        "Lanza's own: {}",
        error.what()));
  }
  return compile_with_plugin(request, device, driver_state().driver.version);
}

std::vector<std::string> compiler_diagnosis() { return Nvrtc::diagnosis(); }

}  // namespace lanza::cuda_backend
