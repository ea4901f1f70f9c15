#include "compiler/passes/vector/run/ordered_sums.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/passes/vector/cost_notes.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kMostSteps = 64;  // from a turn's end back to its beginning

// The operands by which a sum so far may go on.
static SmallVector<Value*, 2> sums_of(Instruction& i) {
  auto* call = dyn_cast<IntrinsicInst>(&i);
  switch (call ? call->getIntrinsicID() : Intrinsic::not_intrinsic) {
    case Intrinsic::fma:
    case Intrinsic::fmuladd:
      return {i.getOperand(2)};
    case Intrinsic::arithmetic_fence:
      return {i.getOperand(0)};
    default:
      break;
  }
  if (i.getOpcode() == Instruction::FAdd || i.getOpcode() == Instruction::FSub)
    return {i.getOperand(0), i.getOperand(1)};
  if (auto* choice = dyn_cast<SelectInst>(&i)) return {choice->getTrueValue(), choice->getFalseValue()};
  if (auto* phi = dyn_cast<PHINode>(&i)) return SmallVector<Value*, 2>(phi->incoming_values());
  return {};
}

static bool is_addition(const Instruction& i) {
  return !isa<SelectInst, PHINode>(i) &&
         !(isa<IntrinsicInst>(i) && cast<IntrinsicInst>(i).getIntrinsicID() == Intrinsic::arithmetic_fence);
}

/// From what a turn leaves back to what it began with.
class SumChain {
 public:
  SumChain(const Loop& loop, const PHINode& sum) : loop_(loop), sum_(sum) {}

  bool find() { return leads_back(sum_.getIncomingValueForBlock(loop_.getLoopLatch())) && !additions.empty(); }

  SmallVector<Instruction*, 4> additions;

 private:
  bool leads_back(Value* value) {
    auto* i = dyn_cast<Instruction>(value);
    if (i == &sum_) return true;
    if (!i || !loop_.contains(i) || (isa<PHINode>(i) && i->getParent() == loop_.getHeader())) return false;
    const auto [known, is_new] = leads_.try_emplace(i, false);
    if (!is_new) return known->second;
    if (++steps_ > kMostSteps) return false;
    bool leads = false;
    for (Value* part : sums_of(*i)) leads |= leads_back(part);
    if (leads && is_addition(*i)) additions.push_back(i);
    return leads_[i] = leads;
  }

  const Loop& loop_;
  const PHINode& sum_;
  DenseMap<const Instruction*, bool> leads_;
  unsigned steps_ = 0;
};

static void note_sums_of(const Loop& loop) {
  constexpr size_t kFew = 2;
  if (!loop.isInnermost() || !loop.getLoopLatch()) return;
  SmallVector<SumChain, 4> sums;
  for (PHINode& phi : loop.getHeader()->phis()) {
    if (!phi.getType()->isFPOrFPVectorTy()) continue;
    SumChain chain(loop, phi);
    if (chain.find()) sums.push_back(std::move(chain));
  }
  if (sums.size() > kFew) return;
  for (const SumChain& sum : sums)
    for (Instruction* addition : sum.additions)
      note_cost(*addition, kSumCost,
                "float additions stay in the order of the source: each waits for the one before; several sums, added "
                "up behind the loop, would not");
}

void note_ordered_sums(Function& kernel) {
  DominatorTree dominators(kernel);
  const LoopInfo loops(dominators);
  for (const Loop* loop : loops.getLoopsInPreorder()) note_sums_of(*loop);
}

}  // namespace lanza::compiler
