// The plug-in's one exported symbol: the C table (interface.h). Every call runs guarded.
#include <utility>

#include <llvm/Config/llvm-config.h>

#include "compiler/codegen/ptx.hpp"
#include "compiler/codegen/specialise.hpp"
#include "compiler/frontend/compile.hpp"
#include "compiler/guard.hpp"
#include "compiler/results.hpp"
#include "lanza_compiler_version.h"

namespace lanza::compiler {
namespace {

LanzaCompileResult* compile_entry(const LanzaCompileRequest* request) {
  Compiled compiled;
  const std::string failure = run_guarded([&] { compile(*request, compiled); });
  if (!failure.empty()) {
    compiled.ok = false;
    compiled.diagnostics.push_back({.severity = LANZA_ERROR, .message = failure});
    compiled.log += "error: " + failure + "\n";
  }
  return make_result(std::move(compiled));
}

LanzaSpecialiseResult* specialise_entry(const LanzaSpecialiseRequest* request) {
  Specialised specialised;
  const std::string failure = run_guarded([&] { specialised = specialise(*request); });
  if (!failure.empty()) {
    specialised = {};
    specialised.log = failure;
  }
  return make_result(std::move(specialised));
}

LanzaPtxResult* ptx_entry(const LanzaPtxRequest* request) {
  Ptx ptx;
  const std::string failure = run_guarded([&] { ptx = emit_ptx(*request); });
  if (!failure.empty()) {
    ptx = {};
    ptx.log = failure;
  }
  return make_result(std::move(ptx));
}

constexpr LanzaCompiler table = {LANZA_COMPILER_INTERFACE,
                                 LANZA_COMPILER_VERSION,
                                 "clang " LLVM_VERSION_STRING,
                                 compile_entry,
                                 free_result,
                                 specialise_entry,
                                 free_result,
                                 ptx_entry,
                                 free_result};

}  // namespace
}  // namespace lanza::compiler

// The plug-in's variables are never destroyed: what compiles while the process ends still needs them, and what LLVM
// makes during a call would go first, whoever waits for that call in a handler of its own.
// NOLINTBEGIN(bugprone-reserved-identifier): the name is the linker's.
extern "C" int __wrap___cxa_atexit(void (*)(void*), void*, void*);
extern "C" int __wrap___cxa_atexit(void (*)(void*) /*destroy*/, void* /*object*/, void* /*library*/) { return 0; }
// NOLINTEND(bugprone-reserved-identifier)

extern "C" __attribute__((visibility("default"))) const LanzaCompiler* lanza_compiler(uint32_t interface) {
  return interface == LANZA_COMPILER_INTERFACE ? &lanza::compiler::table : nullptr;
}
