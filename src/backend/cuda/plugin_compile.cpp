// The plug-in's front end and its PTX writer; the driver compiles the PTX when the module is loaded.
#include "backend/cuda/plugin_compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "backend/front_end.hpp"
#include "compiler/loader.hpp"

namespace lanza::cuda_backend {
namespace {

/// Newest PTX that a driver takes, as 10 * major + minor: PTX 9.0 came with CUDA 13.0, 8.0 with 12.0, 7.0 with 11.0.
std::uint32_t ptx_version_of(int driver_version) {
  const int cuda = driver_version / 10;  // 1300 for 13.0
  const int major = cuda / 100, minor = cuda % 100;
  // The newest that LLVM 19 writes is 8.5; what it needs for the architectures it knows is older than every driver that
  // runs them.
  return static_cast<std::uint32_t>(std::min(85, (major - 4) * 10 + minor));
}

/// Newest architecture that the plug-in's LLVM 19 knows, for a device that is newer: PTX runs on later devices.
std::uint32_t architecture_of(Architecture device) {
  return static_cast<std::uint32_t>(std::min(90, device.major * 10 + device.minor));
}

std::string text(LanzaBytes b) { return b.size ? std::string(b.data, b.size) : std::string(); }

std::string ptx_of(const std::string& bitcode, Architecture device, int driver_version) {
  const LanzaCompiler& compiler = compiler::plugin();
  const LanzaPtxRequest request{
      {bitcode.data(), bitcode.size()}, architecture_of(device), ptx_version_of(driver_version)};
  const std::unique_ptr<LanzaPtxResult, void (*)(LanzaPtxResult*)> result(compiler.emit_ptx(&request),
                                                                          compiler.free_ptx);
  if (!result) throw CompileError("PTX could not be written: the compiler gave no result (no memory)", {});
  if (!result->ok)
    throw CompileError(fmt::format("PTX could not be written: {}", text(result->log)), {.log = text(result->log)});
  return text(result->ptx);
}

}  // namespace

std::string plugin_identity(Architecture device, int driver_version) {
  return fmt::format("plugin:{};ptx:{};sm_{}", compiler::expected_version(), ptx_version_of(driver_version),
                     architecture_of(device));
}

backend::CompileResult compile_with_plugin(const backend::CompileRequest& request, Architecture device,
                                           int driver_version) {
  backend::CompileResult result = backend::compile_to_bitcode(request);
  backend::Code& code = result.code;
  code.kind = "ptx";
  code.image = ptx_of(code.image, device, driver_version);
  // The segment is the CPU's: here the driver places the variables.
  code.data.clear();
  code.relocations.clear();
  for (backend::VariableInfo& variable : code.variables) variable.offset = 0;
  return result;
}

}  // namespace lanza::cuda_backend
