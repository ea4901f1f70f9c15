#include "compiler/passes/vector/run/column_accesses.hpp"

#include <optional>

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
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

// In bytes, of an address or of all lanes' addresses.
static std::optional<int64_t> growth_of_address(const Value* v, unsigned axis) {
  auto* address = dyn_cast<GetElementPtrInst>(v);
  if (!address) return growth(v, axis) == 0 ? std::optional<int64_t>(0) : std::nullopt;
  auto bytes = growth_of_address(address->getPointerOperand(), axis);
  for (auto type = gep_type_begin(address); bytes && type != gep_type_end(address); ++type) {
    const std::optional<int> by = growth(type.getOperand(), axis);
    if (!by) return {};
    if (*by == 0) continue;
    const TypeSize size = type.getSequentialElementStride(address->getDataLayout());
    *bytes += *by * static_cast<int64_t>(size.getFixedValue());
  }
  return bytes;
}

bool is_column_along(const Instruction& access, unsigned axis) {
  const bool gathers = is_full_gather(access);
  if (!gathers && !is_full_scatter(access)) return false;
  auto& call = cast<CallInst>(access);
  Type* element = (gathers ? call.getType() : call.getArgOperand(0)->getType())->getScalarType();
  if (element->isPointerTy()) return false;
  const auto size = static_cast<int64_t>(access.getDataLayout().getTypeAllocSize(element));
  const auto bytes = growth_of_address(call.getArgOperand(gathers ? 0 : 1), axis);
  return bytes && std::abs(*bytes) == size;
}

bool has_columns(Function& kernel, ArrayRef<unsigned> axes) {
  return any_of(instructions(kernel),
                [&](Instruction& i) { return any_of(axes, [&](unsigned axis) { return is_column_along(i, axis); }); });
}

}  // namespace lanza::compiler
