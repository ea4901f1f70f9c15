// The plug-in through its C table, as tests call it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/interface.h"

namespace lanza::test {

/// The table of the plug-in that was built, loaded at the first call. Aborts the program when it cannot be loaded.
const LanzaCompiler& plugin();

struct Free {
  void operator()(LanzaCompileResult* r) const { plugin().free_compile(r); }
  void operator()(LanzaSpecialiseResult* r) const { plugin().free_specialise(r); }
  void operator()(LanzaPtxResult* r) const { plugin().free_ptx(r); }
};
using CompileResult = std::unique_ptr<LanzaCompileResult, Free>;

struct CompileRequest {
  std::string source;
  std::vector<std::string> options = {};
  std::vector<std::string> names = {};
  std::vector<std::string> include_dirs = {};
  std::vector<std::pair<std::string, std::string>> headers = {};  // name, text
  std::string filename = "kernel.cu";
};

CompileResult compile(const CompileRequest& request);

inline std::string_view view(const LanzaBytes& b) { return {b.data, b.size}; }
inline std::string text(const LanzaBytes& b) { return std::string(b.data, b.size); }

/// By name (or name expression), the only one; null when there is none.
const LanzaKernelInfo* find_kernel(const LanzaCompileResult& result, std::string_view name);
const LanzaVariableInfo* find_variable(const LanzaCompileResult& result, std::string_view name);
/// The first error; null when there is none.
const LanzaDiagnostic* first_error(const LanzaCompileResult& result);

}  // namespace lanza::test
