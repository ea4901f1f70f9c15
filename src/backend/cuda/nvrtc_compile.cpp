// From a request to NVRTC's input, and from its output to code with signatures.
#include "backend/cuda/nvrtc_compile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "backend/cuda/compile_log.hpp"
#include "backend/cuda/compile_options.hpp"
#include "backend/cuda/host_headers.hpp"
#include "backend/cuda/include_scan.hpp"
#include "backend/cuda/nvrtc.hpp"
#include "backend/cuda/ptx.hpp"
#include "backend/cuda/signature.hpp"
#include "support/hash.hpp"

namespace lanza::cuda_backend {
namespace {

/// "sm_90", or the newest virtual architecture that this NVRTC knows for a device that is newer than it: the driver
/// compiles that PTX.
std::string target_of(const Nvrtc& nvrtc, Architecture device) {
  const int wanted = device.major * 10 + device.minor;
  const std::vector<int>& known = nvrtc.architectures();
  if (std::find(known.begin(), known.end(), wanted) != known.end()) return fmt::format("sm_{}", wanted);
  int best = 0;
  for (const int a : known)
    if (a < wanted) best = std::max(best, a);
  if (best == 0)
    throw Unavailable(fmt::format(
        "{} does not compile for compute capability {}.{} (it knows {}); install the NVRTC of an older CUDA, e.g. "
        "pip install nvidia-cuda-nvrtc-cu12",
        nvrtc.name(), device.major, device.minor, fmt::join(known, ", ")));
  return fmt::format("compute_{}", best);
}

std::vector<std::string> joined(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

[[noreturn]] void throw_compile_error(const std::string& log, const std::vector<std::string>& user_options,
                                      const std::string& filename) {
  const FirstError error = first_error(log);
  CompileError::Details details{error.file, error.line, error.column, log,
                                fmt::format("{}", fmt::join(user_options, " "))};
  const std::string where = error.line == 0     ? filename
                            : error.column == 0 ? fmt::format("{}:{}", error.file, error.line)
                                                : fmt::format("{}:{}:{}", error.file, error.line, error.column);
  const std::string more = error.count > 1 ? fmt::format("\n(and {} more: the log has all)", error.count - 1) : "";
  throw CompileError(fmt::format("{}: error: {}{}{}", where, error.message, error.shown, more), std::move(details));
}

/// The name expression whose symbol this is, or nothing.
std::string expression_of(const std::string& symbol, const std::vector<std::string>& names,
                          const std::vector<std::string>& symbols) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (symbols[i] == symbol) return names[i];
  return {};
}

void describe(backend::Code& code, const std::string& ptx, const SourceSummary& source,
              const std::vector<std::string>& names, const std::vector<std::string>& symbols) {
  const PtxSummary summary = summarise_ptx(ptx);
  for (const PtxKernel& k : summary.kernels)
    code.kernels.push_back(describe_kernel(k, source, expression_of(k.symbol, names, symbols)));
  for (const PtxVariable& v : summary.variables)
    code.variables.push_back(describe_variable(v, expression_of(v.symbol, names, symbols)));
}

}  // namespace

std::optional<std::string> nvrtc_identity(Architecture device) {
  const std::filesystem::path library = Nvrtc::locate();
  if (library.empty()) return std::nullopt;
  static const std::string own_headers = hash128(std::string(environment_text()) + std::string(limits_text())).hex();
  return fmt::format("nvrtc:{};sm_{}{};headers:{};include:{}", build_id(library), device.major, device.minor,
                     own_headers, fmt::join(cuda_include_dirs(), ","));
}

backend::CompileResult compile_with_nvrtc(const backend::CompileRequest& request, Architecture device) {
  const Nvrtc& nvrtc = Nvrtc::load();
  CompileOptions options = read_options(request.options);
  const std::vector<std::string> user_dirs = joined(request.include_dirs, options.include_dirs),
                                 cuda_dirs = cuda_include_dirs();
  IncludeScan scan =
      scan_includes({request.source, request.filename, request.headers, user_dirs, cuda_dirs, options.pre_includes});

  Nvrtc::Input input{request.source, request.filename, request.headers, {}, request.names};
  input.headers.push_back({environment_header, std::string(environment_text())});
  input.options.push_back(fmt::format("--pre-include={}", environment_header));
  if (!scan.uses_cuda_headers) {
    input.headers.push_back({limits_header, std::string(limits_text())});
    input.options.push_back(fmt::format("--pre-include={}", limits_header));
  }
  for (const std::string& name : scan.host_headers) input.headers.push_back({name, ""});
  if (options.architecture.empty()) input.options.push_back("--gpu-architecture=" + target_of(nvrtc, device));
  if (!options.has_standard) input.options.push_back("--std=c++17");
  for (const std::string& dir : request.include_dirs) input.options.push_back("--include-path=" + dir);
  for (const std::string& o : options.passed) input.options.push_back(o);
  for (const std::string& dir : cuda_dirs) input.options.push_back("--include-path=" + dir);

  Nvrtc::Output output = nvrtc.compile(input);
  if (!output.ok) throw_compile_error(output.log, request.options, request.filename);
  if (output.cubin.empty() && output.ptx.empty())
    throw CompileError(fmt::format("{}: these options make neither machine code nor PTX: {}", request.filename,
                                   fmt::join(request.options, " ")),
                       {.log = output.log, .options = fmt::format("{}", fmt::join(request.options, " "))});

  SourceSummary source = scan_source(request.source);
  for (const std::string& macro : options.macros) add_macro(source, macro);

  backend::CompileResult result;
  backend::Code& code = result.code;
  describe(code, output.ptx, source, request.names, output.symbols);
  code.compiler = nvrtc.name();
  code.log = std::move(output.log);
  if (output.cubin.empty()) {
    code.kind = "ptx";
    code.image = std::move(output.ptx);
  } else {
    code.kind = "cubin";
    code.image = std::move(output.cubin);
    code.data = std::move(output.ptx);  // for Module::image("ptx")
  }
  result.dependencies = std::move(scan.dependencies);
  result.cacheable = scan.complete;
  return result;
}

}  // namespace lanza::cuda_backend
