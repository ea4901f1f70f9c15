#include "compiler/passes/vector/run/column_accesses.hpp"

#include <optional>

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/analysis/group_ways.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static constexpr unsigned kMostDepth = 8;

bool is_full_gather(const Instruction& i) {
  auto* gather = dyn_cast<IntrinsicInst>(&i);
  return gather && gather->getIntrinsicID() == Intrinsic::masked_gather && match(gather->getArgOperand(2), m_AllOnes());
}

bool is_full_scatter(const Instruction& i) {
  auto* scatter = dyn_cast<IntrinsicInst>(&i);
  return scatter && scatter->getIntrinsicID() == Intrinsic::masked_scatter &&
         match(scatter->getArgOperand(3), m_AllOnes());
}

// By how much an index, of all lanes or of one, grows from group to group along the axis; nothing: not that easy.
static std::optional<int> growth(const Value* index, unsigned axis, unsigned depth = 0) {
  auto* i = dyn_cast<Instruction>(index);
  if (!i) return 0;
  if (const auto of = group_axis(*i)) return *of == axis ? 1 : 0;
  if (depth == kMostDepth || i->mayReadOrWriteMemory() || isa<PHINode>(i))
    return isa<PHINode>(i) ? std::nullopt : std::optional(0);
  if (const Value* same = i->getType()->isVectorTy() ? getSplatValue(i) : nullptr) return growth(same, axis, depth + 1);
  int sum = 0;
  bool grows = false;
  for (const Use& operand : i->operands()) {
    const std::optional<int> by = growth(operand, axis, depth + 1);
    if (!by) return {};
    sum += i->getOpcode() == Instruction::Sub && operand.getOperandNo() == 1 ? -*by : *by;
    grows |= *by != 0;
  }
  if (!grows) return 0;
  if (match(i, m_Not(m_Value()))) return -sum;
  const bool adds = i->getOpcode() == Instruction::Add || i->getOpcode() == Instruction::Sub || isa<CastInst>(i) ||
                    (isa<PossiblyDisjointInst>(i) && cast<PossiblyDisjointInst>(i)->isDisjoint());
  return adds ? std::optional(sum) : std::nullopt;
}

bool is_column_along(const Instruction& access, unsigned axis) {
  const bool gathers = is_full_gather(access);
  if (!gathers && !is_full_scatter(access)) return false;
  auto& call = cast<CallInst>(access);
  auto* address = dyn_cast<GetElementPtrInst>(call.getArgOperand(gathers ? 0 : 1));
  Type* element = (gathers ? call.getType() : call.getArgOperand(0)->getType())->getScalarType();
  if (!address || address->getNumIndices() != 1 || address->getPointerOperandType()->isVectorTy() ||
      isa<Constant>(address->getOperand(1)) || element->isPointerTy())
    return false;
  const DataLayout& layout = access.getDataLayout();  // records move as integers of their size
  if (layout.getTypeAllocSize(address->getSourceElementType()) != layout.getTypeAllocSize(element)) return false;
  if (growth(address->getPointerOperand(), axis) != 0) return false;
  const std::optional<int> by = growth(address->getOperand(1), axis);
  return by == 1 || by == -1;
}

bool has_columns(Function& kernel, ArrayRef<unsigned> axes) {
  return any_of(instructions(kernel),
                [&](Instruction& i) { return any_of(axes, [&](unsigned axis) { return is_column_along(i, axis); }); });
}

}  // namespace lanza::compiler
