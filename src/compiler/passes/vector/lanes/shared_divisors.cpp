#include "compiler/passes/vector/lanes/shared_divisors.hpp"

#include <cmath>

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

// Cycles of a register of 64 bytes, on Intel's cores, and what an inverse that is made in each turn takes.
constexpr double kRoot = 12, kOther = 0.5, kShared = 5, kInverse = 4;
constexpr unsigned kRegister = 64;

double division(const Type& type) { return type.getScalarType()->isDoubleTy() ? 16 : 10; }

/// Numbers of a type, and exponents between which quotients and remainders are normal ones.
struct Format {
  unsigned bits, fraction;
  int bias, least, greatest;

  static Format of(const Type& type) {
    return type.getScalarType()->isDoubleTy() ? Format{64, 52, 1023, -400, 400} : Format{32, 23, 127, -60, 60};
  }
};

double registers_of(const Type& type, const DataLayout& layout) {
  return std::max(1.0,
                  static_cast<double>(layout.getTypeStoreSize(const_cast<Type*>(&type)).getFixedValue()) / kRegister);
}

bool is_root(const Instruction& i) {
  auto* call = dyn_cast<IntrinsicInst>(&i);
  return call && call->getIntrinsicID() == Intrinsic::sqrt;
}

/// What a block's vectors take: of the divider, and of all else, which runs beside it.
struct Times {
  double divider = 0, others = 0;
  double all() const { return std::max(divider, others); }
};

Times times_of(const BasicBlock& block) {
  const DataLayout& layout = block.getModule()->getDataLayout();
  Times times;
  for (const Instruction& i : block) {
    const bool divides = i.getOpcode() == Instruction::FDiv;
    if (!i.getType()->isVectorTy() || isa<PHINode>(i)) continue;
    const double registers = registers_of(*i.getType(), layout);
    if (divides || is_root(i))
      times.divider += registers * (divides ? division(*i.getType()) : kRoot);
    else
      times.others += registers * kOther;
  }
  return times;
}

/// A divisor's inverse, in two numbers, and whether it is between the ends.
struct Inverse {
  Value *high, *low, *fits;
};

class SharedDivisors {
 public:
  explicit SharedDivisors(const LoopInfo& loops) : loops_(loops) {}

  bool run(Function& f) {
    SmallVector<std::pair<BinaryOperator*, Value*>, 8> chosen;
    for (BasicBlock& block : f) {
      Times times = times_of(block);
      for (Instruction& i : block) {
        Value* divisor = shared_divisor(i);
        if (!divisor) continue;
        const double registers = registers_of(*i.getType(), i.getDataLayout());
        Times after{times.divider - registers * division(*i.getType()), times.others + registers * kShared};
        if (!stays(*divisor, block)) {
          after.divider += kInverse;
          after.others += kShared;
        }
        if (after.all() >= times.all()) continue;
        times = after;
        chosen.push_back({cast<BinaryOperator>(&i), divisor});
      }
    }
    for (auto [division, divisor] : chosen) replace(*division, *divisor);
    return !chosen.empty();
  }

 private:
  // Null: lanes have their own, or it is no vector of whole registers.
  static Value* shared_divisor(Instruction& i) {
    auto* type = dyn_cast<FixedVectorType>(i.getType());
    if (i.getOpcode() != Instruction::FDiv || !type) return nullptr;
    if (!type->getElementType()->isFloatTy() && !type->getElementType()->isDoubleTy()) return nullptr;
    if (type->getPrimitiveSizeInBits() / 8 % kRegister != 0) return nullptr;
    Value* divisor = getSplatValue(i.getOperand(1));
    if (!divisor) return nullptr;
    if (auto* constant = dyn_cast<ConstantFP>(divisor)) return fits(*constant) ? divisor : nullptr;
    return isa<Constant>(divisor) ? nullptr : divisor;
  }

  static bool fits(const ConstantFP& divisor) {
    const Format format = Format::of(*divisor.getType());
    const double c = divisor.getType()->isDoubleTy() ? divisor.getValueAPF().convertToDouble()
                                                     : divisor.getValueAPF().convertToFloat();
    return c >= std::ldexp(1.0, format.least) && c <= std::ldexp(1.0, format.greatest);
  }

  // From turn to turn.
  bool stays(const Value& divisor, const BasicBlock& block) const {
    const Loop* loop = loops_.getLoopFor(&block);
    return isa<Constant>(divisor) || (loop && loop->isLoopInvariant(&divisor));
  }

  // Behind the divisor, once. A quotient of doubles, rounded to float, is that of floats (Figueroa, 1995).
  Inverse inverse_of(Value& divisor) {
    Inverse& known = inverses_[&divisor];
    if (known.high) return known;
    auto* i = dyn_cast<Instruction>(&divisor);
    IRBuilder<> b(divisor.getContext());
    if (i)
      b.SetInsertPoint(*i->getInsertionPointAfterDef());
    else if (auto* argument = dyn_cast<Argument>(&divisor))
      b.SetInsertPoint(&*argument->getParent()->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Type* type = divisor.getType();
    if (auto* constant = dyn_cast<ConstantFP>(&divisor); constant && type->isDoubleTy()) {
      const double c = constant->getValueAPF().convertToDouble(), high = 1 / c;
      known.high = ConstantFP::get(type, high);
      known.low = ConstantFP::get(type, std::fma(-c, high, 1) * high);
    } else if (type->isDoubleTy()) {
      Value* one = ConstantFP::get(type, 1);
      known.high = b.CreateFDiv(one, &divisor);
      Value* rest = b.CreateIntrinsic(type, Intrinsic::fma, {b.CreateFNeg(&divisor), known.high, one});
      known.low = b.CreateFMul(rest, known.high);
    } else {
      Type* wide = b.getDoubleTy();
      Value* exact = b.CreateFDiv(ConstantFP::get(wide, 1), b.CreateFPExt(&divisor, wide));
      known.high = b.CreateFPTrunc(exact, type);
      known.low = b.CreateFPTrunc(b.CreateFSub(exact, b.CreateFPExt(known.high, wide)), type);
    }
    const Format format = Format::of(*type);
    known.fits = b.CreateAnd(b.CreateFCmpOGE(&divisor, ConstantFP::get(type, std::ldexp(1.0, format.least))),
                             b.CreateFCmpOLE(&divisor, ConstantFP::get(type, std::ldexp(1.0, format.greatest))));
    return known;
  }

  void replace(BinaryOperator& division, Value& divisor) {
    Value* x = division.getOperand(0);
    const Inverse inverse = inverse_of(divisor);
    IRBuilder<> b(&division);
    const auto lanes = cast<FixedVectorType>(division.getType())->getElementCount();
    Value *high = b.CreateVectorSplat(lanes, inverse.high), *low = b.CreateVectorSplat(lanes, inverse.low);
    auto fused = [&](Value* a, Value* c, Value* sum) {
      return b.CreateIntrinsic(division.getType(), Intrinsic::fma, {a, c, sum});
    };
    Value* q = fused(x, high, b.CreateFMul(x, low));
    Value* rest = fused(b.CreateFNeg(q), division.getOperand(1), x);
    Value* result = fused(rest, high, q);
    const bool was_integer = isa<UIToFPInst, SIToFPInst>(x);
    if (!was_integer) result = b.CreateBinaryIntrinsic(Intrinsic::copysign, result, x);
    if (was_integer && isa<Constant>(divisor))
      division.replaceAllUsesWith(result);
    else
      divide_where(*lies_beyond(b, *x, inverse), division, *result);
    if (division.use_empty()) division.eraseFromParent();
  }

  // Some lane's number, but for zeros, or the divisor. Twice the bits are without the sign.
  static Value* lies_beyond(IRBuilder<>& b, Value& x, const Inverse& inverse) {
    const Format format = Format::of(*x.getType());
    const auto lanes = cast<FixedVectorType>(x.getType())->getNumElements();
    auto* bits_type = FixedVectorType::get(b.getIntNTy(format.bits), lanes);
    Value* bits = b.CreateShl(b.CreateBitCast(&x, bits_type), 1);
    auto twice = [&](int exponent) { return static_cast<uint64_t>(exponent + format.bias) << (format.fraction + 1); };
    const uint64_t least = twice(format.least), greatest = twice(format.greatest);
    Value* from_least = b.CreateSub(bits, ConstantInt::get(bits_type, least));
    Value* is_far = b.CreateICmpUGT(from_least, ConstantInt::get(bits_type, greatest - least));
    Value* wrong = b.CreateAnd(b.CreateIsNotNull(bits), is_far);
    Value* any = b.CreateIsNotNull(b.CreateBitCast(wrong, b.getIntNTy(lanes)));
    return b.CreateOr(any, b.CreateNot(inverse.fits));
  }

  static void divide_where(Value& beyond, BinaryOperator& division, Value& result) {
    BasicBlock* before = division.getParent();
    MDNode* seldom = MDBuilder(division.getContext()).createUnlikelyBranchWeights();
    Instruction* then = SplitBlockAndInsertIfThen(&beyond, &division, /*Unreachable=*/false, seldom);
    Instruction* exact = division.clone();
    exact->insertBefore(then);
    BasicBlock* behind = division.getParent();
    PHINode* either = PHINode::Create(division.getType(), 2, "quotient", behind->begin());
    division.replaceAllUsesWith(either);
    either->addIncoming(&result, before);
    either->addIncoming(exact, then->getParent());
  }

  const LoopInfo& loops_;
  DenseMap<Value*, Inverse> inverses_;
};

}  // namespace

bool share_divisors(Function& run, const LoopInfo& loops) { return SharedDivisors(loops).run(run); }

}  // namespace lanza::compiler
