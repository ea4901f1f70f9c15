// From how many loops on a function is too long for analyses that hold each loop against all in front of it.
#pragma once

#include <llvm/Analysis/LoopInfo.h>

namespace lanza::compiler {

/// Hundreds: what takes quadratic time in the number of loops is left out.
inline bool has_many_loops(const llvm::LoopInfo& loops) {
  constexpr size_t kMany = 200;
  return loops.getLoopsInPreorder().size() >= kMany;
}

}  // namespace lanza::compiler
