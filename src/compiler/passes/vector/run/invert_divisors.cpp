#include "compiler/passes/vector/run/invert_divisors.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

class Inverter {
 public:
  explicit Inverter(const LoopInfo& loops) : loops_(loops) {}

  bool run() {
    SmallVector<BinaryOperator*, 8> divisions;
    for (Loop* outermost : loops_)
      for (BasicBlock* block : outermost->blocks())
        for (Instruction& i : *block)
          if (i.isIntDivRem() && i.getType()->isIntegerTy(32) && !isa<Constant>(i.getOperand(1)))
            divisions.push_back(cast<BinaryOperator>(&i));
    bool changed = false;
    for (BinaryOperator* division : divisions) changed |= replace(*division);
    return changed;
  }

 private:
  /// In front of the outermost loop that does not change a divisor.
  struct Inverse {
    BasicBlock* front;
    Value* divisor;
    bool is_signed;
    Value *wide, *sign;  ///< of 64 bits; null: the divisor is not below 0
  };

  struct Quotient {
    const Value *of = nullptr, *inverse = nullptr;
    const BasicBlock* block = nullptr;
    Value *dividend = nullptr, *quotient = nullptr;
  };

  bool replace(BinaryOperator& division) {
    BasicBlock* front = in_front(division);
    if (!front) return false;
    const bool is_signed = division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::SRem;
    const bool is_remainder = division.getOpcode() == Instruction::SRem || division.getOpcode() == Instruction::URem;
    const Inverse& inverse = inverse_of(*front, *division.getOperand(1), is_signed);
    const Quotient found = quotient_of(division, inverse);
    IRBuilder<> b(&division);
    Value* whole = is_remainder ? b.CreateMul(found.quotient, division.getOperand(1)) : nullptr;
    division.replaceAllUsesWith(whole ? b.CreateSub(found.dividend, whole) : found.quotient);
    division.eraseFromParent();
    return true;
  }

  // A quotient and its remainder mostly stand beside each other.
  Quotient quotient_of(BinaryOperator& division, const Inverse& inverse) {
    Value* dividend = division.getOperand(0);
    const Quotient& last = last_;
    if (last.of == dividend && last.inverse == inverse.wide && last.block == division.getParent()) return last;
    IRBuilder<> b(&division);
    Value* frozen = b.CreateFreeze(dividend);  // a remainder takes its quotient from the same number
    Value* quotient =
        inverse.is_signed ? signed_quotient(b, frozen, inverse, division) : unsigned_quotient(b, frozen, inverse.wide);
    return last_ = {dividend, inverse.wide, division.getParent(), frozen, quotient};
  }

  BasicBlock* in_front(const BinaryOperator& division) const {
    BasicBlock* front = nullptr;
    Loop* loop = loops_.getLoopFor(division.getParent());
    for (; loop && loop->isLoopInvariant(division.getOperand(1)); loop = loop->getParentLoop())
      if (BasicBlock* before = loop->getLoopPreheader()) front = before;
    return front;
  }

  const Inverse& inverse_of(BasicBlock& front, Value& divisor, bool is_signed) {
    for (const Inverse& known : inverses_)
      if (known.front == &front && known.divisor == &divisor && known.is_signed == is_signed) return known;
    IRBuilder<> b(front.getTerminator());
    // The loop may divide seldom or never, by nothing then.
    Value *by = b.CreateFreeze(&divisor), *sign = nullptr;
    if (is_signed && !is_never_negative(by, *front.getTerminator())) {
      sign = b.CreateAShr(by, 31);
      by = b.CreateBinaryIntrinsic(Intrinsic::abs, by, b.getFalse());
    }
    by = b.CreateBinaryIntrinsic(Intrinsic::umax, by, b.getInt32(1));
    Value* wide = b.CreateUDiv(b.getInt64(~uint64_t{0}), b.CreateZExt(by, b.getInt64Ty()));
    return inverses_.emplace_back(Inverse{&front, &divisor, is_signed, wide, sign});
  }

  static bool is_never_negative(const Value* v, const Instruction& at) {
    return isKnownNonNegative(v, SimplifyQuery(at.getDataLayout(), &at));
  }

  static Value* unsigned_quotient(IRBuilder<>& b, Value* dividend, Value* inverse) {
    Type* full = b.getInt128Ty();
    Value* above = b.CreateNUWAdd(b.CreateZExt(dividend, b.getInt64Ty()), b.getInt64(1));
    Value* wide = b.CreateZExt(above, full);
    Value* product = b.CreateNUWMul(wide, b.CreateZExt(inverse, full));
    return b.CreateTrunc(b.CreateLShr(product, 64), b.getInt32Ty());
  }

  static Value* signed_quotient(IRBuilder<>& b, Value* dividend, const Inverse& inverse, const Instruction& at) {
    if (is_never_negative(dividend, at))
      return with_sign(b, unsigned_quotient(b, dividend, inverse.wide), inverse.sign);
    Value* sign = b.CreateAShr(dividend, 31);
    Value* quotient = unsigned_quotient(b, with_sign(b, dividend, sign), inverse.wide);
    return with_sign(b, quotient, inverse.sign ? b.CreateXor(sign, inverse.sign) : sign);
  }

  // Minus v where the sign is all ones.
  static Value* with_sign(IRBuilder<>& b, Value* v, Value* sign) {
    return sign ? b.CreateSub(b.CreateXor(v, sign), sign) : v;
  }

  const LoopInfo& loops_;
  SmallVector<Inverse, 4> inverses_;
  Quotient last_;
};

}  // namespace

bool invert_divisors(const LoopInfo& loops) { return Inverter(loops).run(); }

}  // namespace lanza::compiler
