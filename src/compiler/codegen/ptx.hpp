// From the bitcode of a module to PTX text for all of its kernels.
#pragma once

#include <string>

#include "compiler/interface.h"

namespace lanza::compiler {

struct Ptx {
  bool ok = false;
  std::string log;  ///< why not ok: a sentence
  std::string text;
  double seconds = 0;
};

/// Never throws. Thread-safe.
Ptx emit_ptx(const LanzaPtxRequest& request) noexcept;

}  // namespace lanza::compiler
