// The front end: CUDA C++ text to LLVM bitcode for nvptx64, and what a caller must know of its kernels and variables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/interface.h"
#include "compiler/phases.hpp"

namespace lanza::compiler {

/// Field by field as in interface.h, with memory of its own.
struct Parameter {
  std::string name, type;
  std::uint32_t kind = LANZA_PARAMETER_RECORD, dtype = 0;
  bool read_only = false;
  std::uint32_t offset = 0, size = 0;
  std::uint64_t element_size = 0;
};

struct Kernel {
  std::string symbol, name, expression;
  std::vector<Parameter> parameters;
  std::uint32_t argument_bytes = 0, max_threads = 0, static_shared = 0, line = 0;
};

struct Variable {
  std::string symbol, name, expression;
  std::uint64_t offset = 0, size = 0;
  bool constant = false;
  bool folded = false;  // passes/fold_initialisers.hpp
};

struct Diagnostic {
  std::uint32_t severity = LANZA_ERROR, line = 0, column = 0;
  std::string file, message;
};

struct Dependency {
  std::string path;
  bool present = true;
};

struct Compiled {
  bool ok = false;
  std::string log;
  std::vector<Diagnostic> diagnostics;
  std::string bitcode;
  std::vector<Kernel> kernels;
  std::vector<Variable> variables;
  std::string data;
  std::uint64_t data_bytes = 0;
  std::vector<std::uint64_t> relocations;
  std::vector<Dependency> dependencies;
  PhaseClock clock;
};

/// To be run guarded (guard.hpp): clang may crash on what it is given. Fills `result` as it goes, so that the log of a
/// compile that was abandoned is kept. Thread-safe.
void compile(const LanzaCompileRequest& request, Compiled& result);

}  // namespace lanza::compiler
