#include "compiler/plugin.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace lanza::test {

const LanzaCompiler& plugin() {
  static const LanzaCompiler* table = [] {
    const char* path = std::getenv("LANZA_COMPILER");
    void* handle = ::dlopen(path ? path : LANZA_TEST_COMPILER, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      std::fprintf(stderr, "%s\n", ::dlerror());
      std::abort();
    }
    const auto entry = reinterpret_cast<LanzaCompilerEntry>(::dlsym(handle, LANZA_COMPILER_SYMBOL));
    return entry(LANZA_COMPILER_INTERFACE);
  }();
  return *table;
}

static std::vector<LanzaBytes> bytes_of(const std::vector<std::string>& strings) {
  std::vector<LanzaBytes> bytes;
  for (const std::string& s : strings) bytes.push_back({s.data(), s.size()});
  return bytes;
}

CompileResult compile(const CompileRequest& request) {
  const auto options = bytes_of(request.options), names = bytes_of(request.names),
             dirs = bytes_of(request.include_dirs);
  std::vector<LanzaHeaderText> headers;
  for (const auto& [name, text] : request.headers)
    headers.push_back({{name.data(), name.size()}, {text.data(), text.size()}});
  const LanzaCompileRequest c = {.source = {request.source.data(), request.source.size()},
                                 .filename = {request.filename.data(), request.filename.size()},
                                 .options = options.data(),
                                 .option_count = options.size(),
                                 .include_dirs = dirs.data(),
                                 .include_dir_count = dirs.size(),
                                 .headers = headers.data(),
                                 .header_count = headers.size(),
                                 .names = names.data(),
                                 .name_count = names.size()};
  return CompileResult(plugin().compile(&c));
}

const LanzaKernelInfo* find_kernel(const LanzaCompileResult& result, std::string_view name) {
  for (std::size_t i = 0; i < result.kernel_count; ++i)
    if (view(result.kernels[i].name) == name || view(result.kernels[i].expression) == name) return &result.kernels[i];
  return nullptr;
}

const LanzaVariableInfo* find_variable(const LanzaCompileResult& result, std::string_view name) {
  for (std::size_t i = 0; i < result.variable_count; ++i)
    if (view(result.variables[i].name) == name || view(result.variables[i].expression) == name)
      return &result.variables[i];
  return nullptr;
}

const LanzaDiagnostic* first_error(const LanzaCompileResult& result) {
  for (std::size_t i = 0; i < result.diagnostic_count; ++i)
    if (result.diagnostics[i].severity == LANZA_ERROR) return &result.diagnostics[i];
  return nullptr;
}

}  // namespace lanza::test
