#include "compiler/passes/vector/lanes/compare_floats.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

using namespace llvm;

namespace lanza::compiler {

bool compare_floats(Function& run) {
  const bool compares_halves = run.getFnAttribute("target-features").getValueAsString().contains("+avx512fp16");
  SmallVector<FCmpInst*, 8> comparisons;
  for (Instruction& i : instructions(run)) {
    auto* comparison = dyn_cast<FCmpInst>(&i);
    Type* type = comparison ? comparison->getOperand(0)->getType() : nullptr;
    if (!type || !type->isVectorTy() || !type->getScalarType()->isHalfTy()) continue;
    if (!compares_halves || !comparison->isCommutative()) comparisons.push_back(comparison);
  }
  for (FCmpInst* comparison : comparisons) {
    IRBuilder<> b(comparison);
    for (Use& half : comparison->operands())
      half.set(b.CreateFPExt(half, half->getType()->getWithNewType(b.getFloatTy())));
  }
  return !comparisons.empty();
}

}  // namespace lanza::compiler
