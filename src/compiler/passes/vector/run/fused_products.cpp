#include "compiler/passes/vector/run/fused_products.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/passes/vector/cost_notes.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr size_t kShare = 4;  // of fewer products the units for sums have other work

static bool is_common(const Value& factor) {
  auto* shuffle = dyn_cast<ShuffleVectorInst>(&factor);
  return isa<Constant>(factor) || (shuffle && shuffle->isZeroEltSplat());
}

static bool is_fused(const Instruction& i) {
  auto* call = dyn_cast<IntrinsicInst>(&i);
  return call && (call->getIntrinsicID() == Intrinsic::fma || call->getIntrinsicID() == Intrinsic::fmuladd);
}

void note_fused_products(Function& kernel) {
  SmallVector<Instruction*, 16> products;
  size_t operations = 0;
  for (Instruction& i : instructions(kernel)) {
    if (!i.getType()->isFPOrFPVectorTy() || !i.getType()->isVectorTy() || !(isa<BinaryOperator>(i) || is_fused(i)))
      continue;
    ++operations;
    if (is_fused(i) && is_common(*i.getOperand(0)) && is_common(*i.getOperand(1))) products.push_back(&i);
  }
  if (products.size() * kShare < operations) return;
  for (Instruction* product : products)
    note_cost(
        *product, kFusedCost,
        "a product that all threads have is fused with each sum, as -fmad=true says: __fmul_rn(a, b) in its stead "
        "is made once, and leaves an addition, for which this processor has units of its own");
}

}  // namespace lanza::compiler
