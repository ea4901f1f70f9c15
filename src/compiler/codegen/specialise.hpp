// From the bitcode of a module to a linked shared object for one of its kernels.
#pragma once

#include <string>

#include "compiler/codegen/report.hpp"
#include "compiler/interface.h"
#include "compiler/phases.hpp"

namespace lanza::compiler {

struct Specialised {
  bool ok = false;
  bool generic = false;  ///< serves any blockDim
  std::string log;       ///< why not ok: a sentence
  std::string object;    ///< the linked shared object; the same request gives the same bytes
  double seconds = 0;
  Phases phases;  ///< where the time went
};

/// Never throws. Thread-safe: each call has an LLVMContext of its own; the link is behind a lock.
/// A fatal error inside LLVM is not caught here: the plug-in's entry runs this under its crash recovery.
Specialised specialise(const LanzaSpecialiseRequest& request) noexcept;

}  // namespace lanza::compiler
