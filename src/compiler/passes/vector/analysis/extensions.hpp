// Which extensions keep a number's sign.
#pragma once

#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// sext, and zext of what is known not to be negative, which LLVM prefers.
inline bool extends_sign(const llvm::Instruction& i) {
  auto* zeros = llvm::dyn_cast<llvm::ZExtInst>(&i);
  return llvm::isa<llvm::SExtInst>(i) || (zeros && zeros->hasNonNeg());
}

}  // namespace lanza::compiler
