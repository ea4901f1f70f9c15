#include "compiler/passes/vector/scalars/known_equal.hpp"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

// What goes into addresses. Patterns of bits (`(i & k) == 0`) are asked again, and compared with the question.
static bool is_index(const Value* v) {
  auto* read = dyn_cast<CallInst>(v);
  return read ? read->doesNotAccessMemory()
              : match(v, m_Add(m_Value(), m_Value())) || match(v, m_DisjointOr(m_Value(), m_Value()));
}

// The value and what it is extended to, behind the edge.
static bool use_constant(Value* known, ConstantInt* constant, const BasicBlockEdge& edge, DominatorTree& dominators) {
  bool changed = replaceDominatedUsesWith(known, constant, dominators, edge) != 0;
  for (User* user : make_early_inc_range(known->users())) {
    if (!isa<ZExtInst, SExtInst>(user)) continue;
    const unsigned bits = user->getType()->getIntegerBitWidth();
    const APInt& number = constant->getValue();
    const APInt wide = isa<ZExtInst>(user) ? number.zext(bits) : number.sext(bits);
    changed |= use_constant(user, ConstantInt::get(user->getContext(), wide), edge, dominators);
  }
  return changed;
}

// All that holds at once where `condition` is true, or where it is false.
static bool use_equals(Value* condition, bool truth, const BasicBlockEdge& edge, DominatorTree& dominators) {
  Value *a, *b;
  const bool holds_both = truth ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
                                : match(condition, m_LogicalOr(m_Value(a), m_Value(b)));
  if (holds_both) {
    const bool first = use_equals(a, truth, edge, dominators);
    return use_equals(b, truth, edge, dominators) || first;
  }
  auto* compare = dyn_cast<ICmpInst>(condition);
  if (!compare || compare->getPredicate() != (truth ? CmpInst::ICMP_EQ : CmpInst::ICMP_NE)) return false;
  Value* known = compare->getOperand(0);
  auto* constant = dyn_cast<ConstantInt>(compare->getOperand(1));
  return constant && is_index(known) && use_constant(known, constant, edge, dominators);
}

bool use_known_equals(Function& kernel, DominatorTree& dominators) {
  bool changed = false;
  for (BasicBlock& block : kernel) {
    auto* branch = dyn_cast<BranchInst>(block.getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) continue;
    for (const unsigned way : {0U, 1U})
      changed |= use_equals(branch->getCondition(), way == 0, {&block, branch->getSuccessor(way)}, dominators);
  }
  return changed;
}

}  // namespace lanza::compiler
