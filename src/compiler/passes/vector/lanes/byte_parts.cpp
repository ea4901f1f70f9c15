#include "compiler/passes/vector/lanes/byte_parts.hpp"

#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostSteps = 8;

class ByteParts {
 public:
  ByteParts(IRBuilder<>& b, Type* lanes) : b_(b), bytes_(VectorType::get(b.getInt8Ty(), cast<VectorType>(lanes))) {}

  // Above its own bits `v` is zero.
  Value* part(Value* v, unsigned from, unsigned steps) {
    const unsigned bits = v->getType()->getScalarSizeInBits();
    if (from >= bits) return zero();
    if (bits == 8) return moved(Instruction::LShr, v, from);
    if (steps == 0 || bits < 16) return nullptr;
    if (auto* numbers = dyn_cast<Constant>(v))
      return b_.CreateTrunc(b_.CreateLShr(numbers, ConstantInt::get(v->getType(), from)), bytes_);
    Value* inside;
    if (match(v, m_ZExt(m_Value(inside)))) return part(inside, from, steps - 1);
    if (match(v, m_Trunc(m_Value(inside)))) return below(bits - from, part(inside, from, steps - 1));
    auto* i = dyn_cast<BinaryOperator>(v);
    if (!i) return nullptr;
    if (i->isBitwiseLogicOp()) return of_both(*i, from, steps - 1);
    return i->isShift() ? of_shift(*i, from, steps - 1) : nullptr;
  }

 private:
  Constant* zero() const { return Constant::getNullValue(bytes_); }

  Value* below(unsigned bits, Value* byte) {
    return byte && bits < 8 ? b_.CreateAnd(byte, ConstantInt::get(bytes_, (1u << bits) - 1)) : byte;
  }

  Value* moved(Instruction::BinaryOps shift, Value* byte, unsigned by) {
    return by == 0 ? byte : b_.CreateBinOp(shift, byte, ConstantInt::get(bytes_, by));
  }

  Value* of_both(BinaryOperator& i, unsigned from, unsigned steps) {
    Value* left = part(i.getOperand(0), from, steps);
    Value* right = left ? part(i.getOperand(1), from, steps) : nullptr;
    return right ? b_.CreateBinOp(i.getOpcode(), left, right) : nullptr;
  }

  Value* of_shift(BinaryOperator& shift, unsigned from, unsigned steps) {
    const unsigned bits = shift.getType()->getScalarSizeInBits();
    const APInt* number;
    if (!match(shift.getOperand(1), m_APInt(number)) || number->uge(bits)) return nullptr;
    const unsigned by = number->getZExtValue();
    if (shift.getOpcode() == Instruction::LShr) return part(shift.getOperand(0), from + by, steps);
    if (shift.getOpcode() != Instruction::Shl) return nullptr;
    if (by >= from + 8) return zero();
    Value* shifted = part(shift.getOperand(0), from > by ? from - by : 0, steps);
    if (shifted && by > from) shifted = moved(Instruction::Shl, shifted, by - from);
    return shift.hasNoUnsignedWrap() ? shifted : below(bits - from, shifted);
  }

  IRBuilder<>& b_;
  Type* bytes_;
};

}  // namespace

Value* byte_at(IRBuilder<>& b, Value* v, unsigned from) { return ByteParts(b, v->getType()).part(v, from, kMostSteps); }

}  // namespace lanza::compiler
