// Records whose members are added up in loops go round these as they lie in memory.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel in group form with calls of record_shuffles.hpp, after keep_records(). Out: where records that a loop
/// takes apart turn by turn end in values that it carries, one for each member (a product's sums of neighbouring
/// columns, whatever becomes of them behind the loop), the loop carries whole vectors of memory, and they are taken
/// apart behind it. Element by element nothing else is computed. Only where that takes fewer instructions, those in
/// loops counted more often. True when something changed.
bool carry_records(llvm::Function& kernel, const llvm::TargetTransformInfo& host);

}  // namespace lanza::compiler
