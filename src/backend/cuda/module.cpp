// Modules: loading an image, finding what is in it.
#include "backend/cuda/module.hpp"

#include <fmt/format.h>

#include <array>

#include "backend/cuda/context.hpp"
#include "backend/cuda/current.hpp"
#include "backend/cuda/kernel.hpp"

namespace lanza::cuda_backend {
namespace {

constexpr std::size_t log_bytes = 16 << 10;

[[noreturn]] void throw_unloadable(CUresult result, const char* routine, const std::string& kind,
                                   const std::string& log) {
  const ResultInfo info = describe(result);
  const std::string text = fmt::format("{}({} image) failed: {} ({}): {}{}{}", routine, kind, info.name, info.code,
                                       info.meaning, log.empty() ? "" : "\n", log);
  if (result == CUDA_ERROR_INVALID_PTX || result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
    throw CompileError(text, {.log = log});
  throw DriverError(text, routine, info.code, info.name);
}

}  // namespace

Module::Module(Context& context, const backend::Code& code)
    : context_(context), kind_(code.kind), image_(code.image), ptx_(code.data) {
  if (kind_ != "cubin" && kind_ != "ptx")
    throw InvalidArgument(fmt::format("a CUDA device cannot load code of kind '{}'; it takes cubin and ptx", kind_));
  const Current current(context_.driver(), context_.raw());
  std::string log(log_bytes, '\0');
  std::array<CUjit_option, 2> options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size())};
  const auto& routine = context_.driver().cuModuleLoadDataEx;
  const CUresult result =
      routine(&raw_, image_.c_str(), static_cast<unsigned>(options.size()), options.data(), values.data());
  if (result == CUDA_SUCCESS) return;
  if (classify(result) != Failure::Driver) context_.fail(result, routine.name, kind_ + " image");
  log.resize(log.find('\0'));
  throw_unloadable(result, routine.name, kind_, log);
}

Module::~Module() {
  const Current current(context_.driver(), context_.raw(), std::nothrow);
  if (current.ok()) cleanup(context_.driver().cuModuleUnload, raw_);
}

std::unique_ptr<backend::Kernel> Module::kernel(const backend::KernelInfo& info) {
  const Current current(context_.driver(), context_.raw());
  CUfunction function = nullptr;
  const auto& routine = context_.driver().cuModuleGetFunction;
  const CUresult result = routine(&function, raw_, info.symbol.c_str());
  if (result == CUDA_ERROR_NOT_FOUND)
    throw NotFound(fmt::format("the module holds no kernel {} (symbol {})", info.name, info.symbol));
  if (result != CUDA_SUCCESS) context_.fail(result, routine.name, info.symbol);
  return std::make_unique<Kernel>(context_, function, info);
}

backend::Memory Module::variable(const backend::VariableInfo& info) {
  const Current current(context_.driver(), context_.raw());
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  const auto& routine = context_.driver().cuModuleGetGlobal_v2;
  const CUresult result = routine(&address, &bytes, raw_, info.symbol.c_str());
  if (result == CUDA_ERROR_NOT_FOUND)
    throw NotFound(fmt::format("the module holds no variable {} (symbol {})", info.name, info.symbol));
  if (result != CUDA_SUCCESS) context_.fail(result, routine.name, info.symbol);
  return {address, bytes};
}

std::string Module::image(std::string_view kind) {
  if (kind == kind_) return image_;
  if (kind == "ptx" && !ptx_.empty()) return ptx_;
  throw NotFound(
      fmt::format("this module has no image of kind '{}'; it has: {}{}", kind, kind_, ptx_.empty() ? "" : ", ptx"));
}

}  // namespace lanza::cuda_backend
