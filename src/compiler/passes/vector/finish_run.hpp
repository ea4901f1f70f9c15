// The order of the passes that make a kernel's `run` fast.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include "compiler/passes/vector/run/run_form.hpp"

namespace lanza::compiler {

/// In: `run`, as make_run_form() leaves it, for groups of so many lanes. Out: ready for the code generator of `host`.
/// `keeps_tiles`: what the block shares stays in memory although it would fit registers.
void finish_run(RunForm& form, unsigned lanes, bool keeps_tiles, llvm::TargetMachine& host);

}  // namespace lanza::compiler
