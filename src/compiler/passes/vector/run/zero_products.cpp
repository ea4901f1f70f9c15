#include "compiler/passes/vector/run/zero_products.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/cost_notes.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static constexpr unsigned kShare = 16;                // one of so many operations is not worth a word
static constexpr unsigned kTurns = 32, kDeepest = 4;  // a loop is taken to make that many

static bool is_sum_of_product(const Instruction& i) {
  auto* call = dyn_cast<IntrinsicInst>(&i);
  return call && (call->getIntrinsicID() == Intrinsic::fma || call->getIntrinsicID() == Intrinsic::fmuladd);
}

static bool is_zero_product(const Instruction& i) {
  return (i.getOpcode() == Instruction::FMul || is_sum_of_product(i)) &&
         (match(i.getOperand(0), m_AnyZeroFP()) || match(i.getOperand(1), m_AnyZeroFP()));
}

void note_zero_products(Function& kernel) {
  if (none_of(instructions(kernel), is_zero_product)) return;
  const DominatorTree dominators(kernel);
  const LoopInfo loops(dominators);
  auto weight_of = [&](const Instruction& i) {
    uint64_t weight = 1;
    for (unsigned depth = std::min(loops.getLoopDepth(i.getParent()), kDeepest); depth; --depth) weight *= kTurns;
    return weight;
  };
  SmallVector<Instruction*, 16> products;
  uint64_t work = 0, wasted = 0;
  for (Instruction& i : instructions(kernel)) {
    if (!i.getType()->isFPOrFPVectorTy() || !(isa<BinaryOperator>(i) || is_sum_of_product(i))) continue;
    const uint64_t weight = weight_of(i);
    work += weight;
    if (!is_zero_product(i)) continue;
    products.push_back(&i);
    wasted += weight;
  }
  if (wasted * kShare < work) return;
  for (Instruction* product : products)
    note_cost(*product, kZeroProductCost,
              "0 * x is not 0 where x is infinite or NaN, so it is computed and added; a condition on a factor that is "
              "constant, if (factor != 0), would leave it out");
}

}  // namespace lanza::compiler
