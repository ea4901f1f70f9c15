// The plug-in's front end and its PTX writer; the driver compiles the PTX when the module is loaded.
#include "backend/cuda/plugin_compile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/loader.hpp"

namespace lanza::cuda_backend {
namespace {

LanzaBytes bytes(const std::string& text) { return {text.data(), text.size()}; }
std::string text(LanzaBytes b) { return b.size ? std::string(b.data, b.size) : std::string(); }

std::vector<LanzaBytes> list(const std::vector<std::string>& texts) {
  std::vector<LanzaBytes> result;
  for (const std::string& t : texts) result.push_back(bytes(t));
  return result;
}

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

Parameter parameter_of(const LanzaParameter& p) {
  Parameter result;
  result.name = text(p.name);
  result.type = text(p.type);
  result.kind = p.kind == LANZA_PARAMETER_POINTER  ? Parameter::Kind::Pointer
                : p.kind == LANZA_PARAMETER_SCALAR ? Parameter::Kind::Scalar
                                                   : Parameter::Kind::Record;
  result.dtype = static_cast<DType>(p.dtype);
  result.read_only = p.read_only != 0;
  result.element_size = p.element_size;
  result.offset = p.offset;
  result.size = p.size;
  return result;
}

backend::KernelInfo kernel_of(const LanzaKernelInfo& k) {
  backend::KernelInfo info{text(k.symbol), text(k.name), text(k.expression), {}, k.max_threads, k.static_shared};
  info.signature.bytes = k.argument_bytes;
  for (std::size_t i = 0; i < k.parameter_count; ++i)
    info.signature.parameters.push_back(parameter_of(k.parameters[i]));
  return info;
}

[[noreturn]] void throw_compile_error(const LanzaCompileResult& result, const backend::CompileRequest& request) {
  CompileError::Details details;
  details.log = text(result.log);
  details.options = fmt::format("{}", fmt::join(request.options, " "));
  std::string message = details.log.empty() ? "the compiler gave no reason" : details.log;
  for (std::size_t i = 0; i < result.diagnostic_count; ++i) {
    const LanzaDiagnostic& d = result.diagnostics[i];
    if (d.severity != LANZA_ERROR) continue;
    details.file = text(d.file);
    details.line = d.line;
    details.column = d.column;
    message = d.line ? fmt::format("{}:{}:{}: {}", details.file, d.line, d.column, text(d.message)) : text(d.message);
    break;
  }
  throw CompileError(message, std::move(details));
}

/// The plug-in's results, freed by it.
template <class T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

std::string ptx_of(const LanzaCompiler& compiler, LanzaBytes bitcode, Architecture device, int driver_version) {
  const LanzaPtxRequest request{bitcode, architecture_of(device), ptx_version_of(driver_version)};
  const Owned<LanzaPtxResult> result(compiler.emit_ptx(&request), compiler.free_ptx);
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
  const LanzaCompiler& compiler = compiler::plugin();
  const auto options = list(request.options), include_dirs = list(request.include_dirs), names = list(request.names);
  std::vector<LanzaHeaderText> headers;
  for (const backend::Header& h : request.headers) headers.push_back({bytes(h.name), bytes(h.text)});
  LanzaCompileRequest input{};
  input.source = bytes(request.source);
  input.filename = bytes(request.filename);
  input.options = options.data();
  input.option_count = options.size();
  input.include_dirs = include_dirs.data();
  input.include_dir_count = include_dirs.size();
  input.headers = headers.data();
  input.header_count = headers.size();
  input.names = names.data();
  input.name_count = names.size();

  const Owned<LanzaCompileResult> output(compiler.compile(&input), compiler.free_compile);
  if (!output->ok) throw_compile_error(*output, request);
  backend::CompileResult result;
  backend::Code& code = result.code;
  code.kind = "ptx";
  code.image = ptx_of(compiler, output->bitcode, device, driver_version);
  code.log = text(output->log);
  code.compiler = compiler.about;
  for (std::size_t i = 0; i < output->kernel_count; ++i) code.kernels.push_back(kernel_of(output->kernels[i]));
  for (std::size_t i = 0; i < output->variable_count; ++i) {
    const LanzaVariableInfo& v = output->variables[i];
    code.variables.push_back({text(v.symbol), text(v.name), text(v.expression), 0, v.size, v.constant != 0});
  }
  for (std::size_t i = 0; i < output->dependency_count; ++i)
    result.dependencies.push_back({text(output->dependencies[i].path), output->dependencies[i].present != 0});
  return result;
}

}  // namespace lanza::cuda_backend
