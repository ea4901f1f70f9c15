#include "compiler/passes/vector/scalars/uniform_places.hpp"

#include <optional>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/retarget.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

/// Behind the edge `own`, which varies, is `common`, which does not.
struct Equal {
  BasicBlockEdge edge;
  Value *own, *common;
};

constexpr unsigned kMostSteps = 8;  // from an address to the index

bool is_arithmetic(const Instruction& i) {
  return isa<GetElementPtrInst, CastInst, ICmpInst, SelectInst>(i) || (isa<BinaryOperator>(i) && !i.isIntDivRem());
}

// `(threadIdx.x | threadIdx.y) == 0`: as LLVM asks for two zeros.
void find_zeros(Value* v, Value* zero, const BasicBlockEdge& edge, SmallVectorImpl<Equal>& equals) {
  equals.push_back({edge, v, zero});
  Value *a, *b;
  if (!match(zero, m_Zero()) || !match(v, m_Or(m_Value(a), m_Value(b)))) return;
  find_zeros(a, zero, edge, equals);
  find_zeros(b, zero, edge, equals);
}

// All that holds at once where `condition` is true, or where it is false.
void find_equals(Value* condition, bool truth, const BasicBlockEdge& edge, SmallVectorImpl<Equal>& equals) {
  Value *a, *b;
  if (truth ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
            : match(condition, m_LogicalOr(m_Value(a), m_Value(b)))) {
    find_equals(a, truth, edge, equals);
    find_equals(b, truth, edge, equals);
    return;
  }
  auto* compare = dyn_cast<ICmpInst>(condition);
  if (!compare || compare->getPredicate() != (truth ? CmpInst::ICMP_EQ : CmpInst::ICMP_NE)) return;
  find_zeros(compare->getOperand(0), compare->getOperand(1), edge, equals);
}

// The cases that have a way of their own.
void find_cases(SwitchInst& choice, SmallVectorImpl<Equal>& equals) {
  for (const auto& one : choice.cases()) {
    const BasicBlockEdge edge(choice.getParent(), one.getCaseSuccessor());
    if (edge.isSingleEdge()) equals.push_back({edge, choice.getCondition(), one.getCaseValue()});
  }
}

SmallVector<Equal, 8> find_equals(Function& kernel) {
  SmallVector<Equal, 8> equals;
  for (BasicBlock& block : kernel) {
    if (auto* choice = dyn_cast<SwitchInst>(block.getTerminator())) find_cases(*choice, equals);
    auto* branch = dyn_cast<BranchInst>(block.getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) continue;
    for (const unsigned way : {0U, 1U})
      find_equals(branch->getCondition(), way == 0, {&block, branch->getSuccessor(way)}, equals);
  }
  return equals;
}

/// Addresses and questions behind one edge.
class Places {
 public:
  Places(const Equal& equal, const Shapes& shapes, const DominatorTree& dominators)
      : equal_(equal), shapes_(shapes), dominators_(dominators) {}

  /// Of an access, or a branch.
  bool settle(Instruction& i) const {
    Use& use = isa<BranchInst>(i) ? cast<BranchInst>(i).getOperandUse(0) : i.getOperandUse(address_of(i));
    if (shapes_.is_uniform(use) || !becomes_uniform(use, kMostSteps)) return false;
    use.set(common(use, i));
    return true;
  }

 private:
  static unsigned address_of(const Instruction& access) {
    return isa<LoadInst>(access) ? LoadInst::getPointerOperandIndex() : StoreInst::getPointerOperandIndex();
  }

  // As far from lane to lane as the other: `z * plane + y * width + threadIdx.x`, counters too.
  bool goes_along(const Value& v) const {
    const Shape shape = shapes_[&v], own = shapes_[equal_.own];
    return v.getType() == equal_.own->getType() && shape.is_strided() && own.is_strided() && shape.stride == own.stride;
  }

  bool becomes_uniform(Value* v, unsigned steps) const {
    if (v == equal_.own || isa<Constant>(v) || shapes_.is_uniform(v) || goes_along(*v)) return true;
    auto* i = dyn_cast<Instruction>(v);
    return i && steps > 0 && is_arithmetic(*i) &&
           all_of(i->operands(), [&](Value* operand) { return becomes_uniform(operand, steps - 1); });
  }

  // Equal numbers: what the flags of the arithmetic say holds as before.
  Value* common(Value* v, Instruction& before) const {
    if (v == equal_.own) return equal_.common;
    if (isa<Constant>(v) || shapes_.is_uniform(v)) return v;
    IRBuilder<> b(&before);
    stand_behind(*cast<Instruction>(v), b);
    if (goes_along(*v)) return b.CreateAdd(b.CreateSub(v, equal_.own), equal_.common);
    Instruction* copy = cast<Instruction>(v)->clone();
    for (Use& operand : copy->operands()) operand.set(common(operand, *b.GetInsertPoint()));
    return b.Insert(copy);
  }

  // What a loop does not change stays in front of it.
  void stand_behind(Instruction& i, IRBuilder<>& b) const {
    for (Value* v : {equal_.own, equal_.common})
      if (auto* known = dyn_cast<Instruction>(v); known && !dominators_.dominates(known, &i)) return;
    b.SetInsertPoint(*i.getInsertionPointAfterDef());
  }

  const Equal& equal_;
  const Shapes& shapes_;
  const DominatorTree& dominators_;
};

bool settle_all(Function& kernel, const GroupShape& group, const DominatorTree& dominators,
                function_ref<bool(const Instruction&, const Equal&)> is_due) {
  SmallVector<Equal, 8> equals = find_equals(kernel);
  if (equals.empty()) return false;
  const Shapes shapes(kernel, group);
  SmallVector<std::pair<Instruction*, const Equal*>, 16> found;
  for (Equal& equal : equals) {
    if (shapes.is_uniform(equal.own)) std::swap(equal.own, equal.common);
    if (shapes.is_uniform(equal.own) || !shapes.is_uniform(equal.common)) continue;
    for (BasicBlock& block : kernel) {
      if (!dominators.dominates(equal.edge, &block)) continue;
      for (Instruction& i : block)
        if (is_due(i, equal)) found.emplace_back(&i, &equal);
    }
  }
  bool changed = false;
  for (auto& [i, equal] : found) changed |= Places(*equal, shapes, dominators).settle(*i);
  return changed;
}

}  // namespace

bool use_uniform_places(Function& kernel, const GroupShape& group, const DominatorTree& dominators) {
  return settle_all(kernel, group, dominators, [](const Instruction& i, const Equal& equal) {
    auto* branch = dyn_cast<BranchInst>(&i);
    return branch ? branch->isConditional() : isa<LoadInst, StoreInst>(i) && !isa<Constant>(equal.common);
  });
}

bool use_known_places(Function& kernel, const GroupShape& group, const DominatorTree& dominators) {
  return settle_all(kernel, group, dominators, [](const Instruction& i, const Equal& equal) {
    const Value* place = getLoadStorePointerOperand(&i);
    return place && isa<Constant>(equal.common) && !is_shared_memory(place);
  });
}

}  // namespace lanza::compiler
