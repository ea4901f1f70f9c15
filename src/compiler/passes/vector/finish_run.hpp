// The order of the passes that make a kernel's `run` fast.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include "compiler/passes/vector/run/run_form.hpp"

namespace lanza::compiler {

struct FinishOptions {
  unsigned lanes;
  bool keeps_tiles = false;  ///< what the block shares stays in memory although it would fit registers
  bool is_seldom = false;    ///< code of few blocks, which is to be short
};

/// In: `run`, as make_run_form() leaves it. Out: ready for the code generator of `host`.
void finish_run(RunForm& form, const FinishOptions& options, llvm::TargetMachine& host);

}  // namespace lanza::compiler
