#include "compiler/passes/vector/analysis/guarded_differences.hpp"

#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

// `b <= a`
static bool orders(const ICmpInst& guard, bool truth, const Value* a, const Value* b) {
  auto predicate = truth ? guard.getPredicate() : guard.getInversePredicate();
  const Value *left = guard.getOperand(0), *right = guard.getOperand(1);
  if (left == b && right == a) {
    std::swap(left, right);
    predicate = ICmpInst::getSwappedPredicate(predicate);
  }
  return left == a && right == b && (predicate == ICmpInst::ICMP_UGE || predicate == ICmpInst::ICMP_UGT);
}

// Of several questions that are all true, or all false, each is asked.
static bool tells(const Value& condition, bool truth, function_ref<bool(const ICmpInst&, bool)> of_one) {
  if (auto* guard = dyn_cast<ICmpInst>(&condition)) return of_one(*guard, truth);
  const Value *x, *y;
  const bool both = truth ? match(&condition, m_LogicalAnd(m_Value(x), m_Value(y)))
                          : match(&condition, m_LogicalOr(m_Value(x), m_Value(y)));
  return both && (tells(*x, truth, of_one) || tells(*y, truth, of_one));
}

// Branches whose one way is the only one to the block.
bool GuardedDifferences::any_guard(const BasicBlock* block, Tells of_one) const {
  constexpr unsigned kMostGuards = 8;
  const auto* node = dominators_.getNode(block);
  for (unsigned k = 0; node && k < kMostGuards; ++k, node = node->getIDom()) {
    const BasicBlock *to = node->getBlock(), *from = to->getSinglePredecessor();
    auto* branch = from ? dyn_cast<BranchInst>(from->getTerminator()) : nullptr;
    if (!branch || branch->isUnconditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) continue;
    if (tells(*branch->getCondition(), branch->getSuccessor(0) == to, of_one)) return true;
  }
  return false;
}

// `least <= a`, by a comparison of `a` with a constant.
bool GuardedDifferences::bounds(const ICmpInst& guard, bool truth, const Value* a, const APInt& least) {
  const APInt* limit;
  if (guard.getOperand(0) != a || !match(guard.getOperand(1), m_APInt(limit))) return false;
  const auto predicate = truth ? guard.getPredicate() : guard.getInversePredicate();
  const ConstantRange passes = ConstantRange::makeExactICmpRegion(predicate, *limit);
  const ConstantRange range = evolution_.getUnsignedRange(evolution_.getSCEV(guard.getOperand(0)));
  return passes.intersectWith(range).getUnsignedMin().uge(least);
}

bool GuardedDifferences::is_never_below(Value* difference, const BasicBlock* block) {
  Value *a, *b;
  const APInt* c;
  if (match(difference, m_Add(m_Value(a), m_APInt(c))) && c->isNegative() && !c->isMinSignedValue())
    return any_guard(block, [&](const ICmpInst& guard, bool truth) { return bounds(guard, truth, a, -*c); });
  if (!match(difference, m_Sub(m_Value(a), m_Value(b)))) return false;
  return any_guard(block, [&](const ICmpInst& guard, bool truth) { return orders(guard, truth, a, b); });
}

}  // namespace lanza::compiler
