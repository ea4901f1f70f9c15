#include "compiler/passes/vector/scalars/uniform_places.hpp"

#include <optional>

#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

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
  return isa<GetElementPtrInst, CastInst>(i) || (isa<BinaryOperator>(i) && !i.isIntDivRem());
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
  a = compare->getOperand(0);
  b = compare->getOperand(1);
  if (!isa<Constant>(a) && !isa<Constant>(b)) equals.push_back({edge, a, b});
}

SmallVector<Equal, 8> find_equals(Function& kernel) {
  SmallVector<Equal, 8> equals;
  for (BasicBlock& block : kernel) {
    auto* branch = dyn_cast<BranchInst>(block.getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) continue;
    for (const unsigned way : {0U, 1U})
      find_equals(branch->getCondition(), way == 0, {&block, branch->getSuccessor(way)}, equals);
  }
  return equals;
}

/// Addresses behind one edge.
class Places {
 public:
  Places(const Equal& equal, const Shapes& shapes) : equal_(equal), shapes_(shapes) {}

  bool settle(Instruction& access) const {
    Value* place = getLoadStorePointerOperand(&access);
    if (!place || shapes_.is_uniform(place) || !becomes_uniform(place, kMostSteps)) return false;
    access.setOperand(isa<LoadInst>(access) ? LoadInst::getPointerOperandIndex() : StoreInst::getPointerOperandIndex(),
                      common(place, access));
    return true;
  }

 private:
  bool becomes_uniform(Value* v, unsigned steps) const {
    if (v == equal_.own || isa<Constant>(v) || shapes_.is_uniform(v)) return true;
    auto* i = dyn_cast<Instruction>(v);
    return i && steps > 0 && is_arithmetic(*i) &&
           all_of(i->operands(), [&](Value* operand) { return becomes_uniform(operand, steps - 1); });
  }

  // Equal numbers: what the flags of the arithmetic say holds as before.
  Value* common(Value* v, Instruction& before) const {
    if (v == equal_.own) return equal_.common;
    if (isa<Constant>(v) || shapes_.is_uniform(v)) return v;
    Instruction* copy = cast<Instruction>(v)->clone();
    for (Use& operand : copy->operands()) operand.set(common(operand, before));
    copy->insertBefore(&before);
    return copy;
  }

  const Equal& equal_;
  const Shapes& shapes_;
};

}  // namespace

bool use_uniform_places(Function& kernel, const GroupShape& group, DominatorTree& dominators) {
  SmallVector<Equal, 8> equals = find_equals(kernel);
  if (equals.empty()) return false;
  const Shapes shapes(kernel, group);
  SmallVector<std::pair<Instruction*, const Equal*>, 16> accesses;
  for (Equal& equal : equals) {
    if (shapes.is_uniform(equal.own)) std::swap(equal.own, equal.common);
    if (shapes.is_uniform(equal.own) || !shapes.is_uniform(equal.common)) continue;
    for (BasicBlock& block : kernel) {
      if (!dominators.dominates(equal.edge, &block)) continue;
      for (Instruction& i : block)
        if (isa<LoadInst, StoreInst>(i)) accesses.emplace_back(&i, &equal);
    }
  }
  bool changed = false;
  for (auto& [access, equal] : accesses) changed |= Places(*equal, shapes).settle(*access);
  return changed;
}

}  // namespace lanza::compiler
