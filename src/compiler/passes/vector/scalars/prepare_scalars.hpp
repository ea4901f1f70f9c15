// What is done to one thread's code so that groups of threads become fast vector code.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// What brings one thread's code into order between its passes.
inline constexpr char kTidyScalars[] =
    "early-cse,simplifycfg,instcombine<no-verify-fixpoint>,early-cse,simplifycfg,loop-simplify,lcssa";

/// In and out: a kernel in SPMD form, for blocks and groups of that shape. Every fast path is made here, as
/// `if (lanza.all(condition))`; each thread's results stay what they were.
void prepare_scalars(llvm::Function& kernel, const GroupShape& group, PassRunner& runner,
                     const llvm::TargetMachine& host);

}  // namespace lanza::compiler
