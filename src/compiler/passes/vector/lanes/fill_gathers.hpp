// Gathers of some lanes become gathers of all.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: code with vectors. Out, for gathers by a mask that the target has no instruction for:
///
///     if (any lane) a gather by all of them, those off, if any, from where the first one is on
///
/// The code generator would ask each lane on its own whether it loads. No address is touched but those asked for. True
/// when something changed.
bool fill_gathers(llvm::Function& run, const llvm::TargetTransformInfo& host);

}  // namespace lanza::compiler
