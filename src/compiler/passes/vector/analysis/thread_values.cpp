#include "compiler/passes/vector/analysis/thread_values.hpp"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

using namespace llvm;

namespace lanza::compiler {

// No words where the result would be poison.
static std::optional<APInt> computed(unsigned opcode, const APInt& a, const APInt& b) {
  const bool shifts = b.ult(a.getBitWidth()), divides = !b.isZero() && !(a.isMinSignedValue() && b.isAllOnes());
  switch (opcode) {
    case Instruction::Add:
      return a + b;
    case Instruction::Sub:
      return a - b;
    case Instruction::Mul:
      return a * b;
    case Instruction::And:
      return a & b;
    case Instruction::Or:
      return a | b;
    case Instruction::Xor:
      return a ^ b;
    case Instruction::Shl:
      return shifts ? std::optional(a.shl(b)) : std::nullopt;
    case Instruction::LShr:
      return shifts ? std::optional(a.lshr(b)) : std::nullopt;
    case Instruction::AShr:
      return shifts ? std::optional(a.ashr(b)) : std::nullopt;
    case Instruction::UDiv:
      return divides ? std::optional(a.udiv(b)) : std::nullopt;
    case Instruction::URem:
      return divides ? std::optional(a.urem(b)) : std::nullopt;
    case Instruction::SDiv:
      return divides ? std::optional(a.sdiv(b)) : std::nullopt;
    case Instruction::SRem:
      return divides ? std::optional(a.srem(b)) : std::nullopt;
    default:
      return std::nullopt;
  }
}

static std::optional<APInt> computed(const IntrinsicInst& i, ArrayRef<const APInt*> operands) {
  if (auto* limit = dyn_cast<MinMaxIntrinsic>(&i))
    return ICmpInst::compare(*operands[0], *operands[1], limit->getPredicate()) ? *operands[0] : *operands[1];
  const unsigned width = operands[0]->getBitWidth();
  switch (i.getIntrinsicID()) {
    case Intrinsic::usub_sat:
      return operands[0]->usub_sat(*operands[1]);
    case Intrinsic::uadd_sat:
      return operands[0]->uadd_sat(*operands[1]);
    case Intrinsic::ctpop:
      return APInt(width, operands[0]->popcount());
    case Intrinsic::ctlz:
      return APInt(width, operands[0]->countl_zero());
    case Intrinsic::cttz:
      return APInt(width, operands[0]->countr_zero());
    default:
      return std::nullopt;
  }
}

static std::optional<APInt> computed(const Instruction& i, ArrayRef<const APInt*> operands) {
  if (auto* intrinsic = dyn_cast<IntrinsicInst>(&i)) return computed(*intrinsic, operands);
  const unsigned width = i.getType()->getIntegerBitWidth();
  if (isa<BinaryOperator>(i)) return computed(i.getOpcode(), *operands[0], *operands[1]);
  if (auto* compare = dyn_cast<ICmpInst>(&i))
    return APInt(1, ICmpInst::compare(*operands[0], *operands[1], compare->getPredicate()));
  if (isa<SelectInst>(i)) return operands[0]->isOne() ? *operands[1] : *operands[2];
  if (isa<ZExtInst>(i)) return operands[0]->zext(width);
  if (isa<SExtInst>(i)) return operands[0]->sext(width);
  if (isa<TruncInst>(i)) return operands[0]->trunc(width);
  return isa<FreezeInst, PHINode>(i) ? std::optional(*operands[0]) : std::nullopt;
}

const ThreadValues::Values* ThreadValues::of(const Value* value) {
  const auto known = known_.find(value);
  if (known != known_.end()) return known->second.get();
  known_[value] = nullptr;  // not known, to what follows from itself
  std::optional<Values> values = compute(value);
  if (!values) return nullptr;
  return (known_[value] = std::make_unique<Values>(std::move(*values))).get();
}

std::optional<ThreadValues::Values> ThreadValues::compute(const Value* value) {
  if (auto* constant = dyn_cast<ConstantInt>(value)) return Values(threads(), constant->getValue());
  auto* i = dyn_cast<Instruction>(value);
  return i && i->getType()->isIntegerTy() ? of_instruction(*i) : std::nullopt;
}

std::optional<ThreadValues::Values> ThreadValues::of_instruction(const Instruction& i) {
  if (auto* intrinsic = dyn_cast<IntrinsicInst>(&i)) {
    const unsigned axis = intrinsic->getIntrinsicID() - Intrinsic::nvvm_read_ptx_sreg_tid_x;
    if (axis < 3) return of_index(axis);
  } else if (!isa<BinaryOperator, ICmpInst, SelectInst, CastInst, FreezeInst>(i) &&
             !(isa<PHINode>(i) && i.getNumOperands() == 1)) {
    return std::nullopt;
  }
  SmallVector<const Values*, 3> operands;
  for (const Use& operand : i.operands()) {
    if (isa<Function>(operand)) continue;
    const Values* values = of(operand);
    if (!values) return std::nullopt;
    operands.push_back(values);
  }
  Values result;
  result.reserve(threads());
  for (unsigned thread = 0; thread < threads(); ++thread) {
    SmallVector<const APInt*, 3> here;
    for (const Values* values : operands) here.push_back(&(*values)[thread]);
    std::optional<APInt> value = computed(i, here);
    if (!value) return std::nullopt;
    result.push_back(std::move(*value));
  }
  return result;
}

ThreadValues::Values ThreadValues::of_index(unsigned axis) const {
  const unsigned below = axis == 0 ? 1 : axis == 1 ? block_[0] : block_[0] * block_[1];
  Values result;
  for (unsigned thread = 0; thread < threads(); ++thread)
    result.emplace_back(32, axis == 2 ? thread / below : thread / below % block_[axis]);
  return result;
}

}  // namespace lanza::compiler
