#include "compiler/passes/saturate_conversions.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace lanza::compiler {

// The value of `source` if it lies strictly between the ends, which are exact powers of two, else 0; then the ends by
// select.
static Value* saturate(IRBuilder<>& b, Value* source, Type* result, bool is_signed) {
  Type* type = source->getType();
  const unsigned width = result->getScalarSizeInBits();
  const APInt low = is_signed ? APInt::getSignedMinValue(width) : APInt::getZero(width);
  const APInt high = is_signed ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
  const double beyond = is_signed ? -low.signedRoundToDouble() : 2 * APInt::getSignedMinValue(width).roundToDouble();
  Value* too_high = b.CreateFCmpOGE(source, ConstantFP::get(type, beyond));
  // Signed: -2^(n-1) itself converts. Unsigned: (-1, 0) truncates to 0, as what lies below.
  Value* in_range = b.CreateFCmpOGE(source, ConstantFP::get(type, is_signed ? low.signedRoundToDouble() : 0.0));
  in_range = b.CreateAnd(in_range, b.CreateNot(too_high));
  Value* inside = b.CreateSelect(in_range, source, Constant::getNullValue(type));
  Value* converted = is_signed ? b.CreateFPToSI(inside, result) : b.CreateFPToUI(inside, result);
  converted = b.CreateSelect(too_high, ConstantInt::get(result, high), converted);
  if (is_signed) {
    Value* too_low = b.CreateFCmpOLT(source, ConstantFP::get(type, low.signedRoundToDouble()));
    converted = b.CreateSelect(too_low, ConstantInt::get(result, low), converted);
  }
  if (width < 64 && !type->getScalarType()->isDoubleTy()) return converted;
  Value* nan = b.CreateFCmpUNO(source, source);
  return b.CreateSelect(nan, ConstantInt::get(result, APInt::getSignedMinValue(width)), converted);
}

static bool is_conversion(const Instruction& i, bool& is_signed) {
  is_signed = i.getOpcode() == Instruction::FPToSI;
  if (is_signed || i.getOpcode() == Instruction::FPToUI) return true;
  auto* intrinsic = dyn_cast<IntrinsicInst>(&i);
  if (!intrinsic) return false;
  is_signed = intrinsic->getIntrinsicID() == Intrinsic::fptosi_sat;
  return is_signed || intrinsic->getIntrinsicID() == Intrinsic::fptoui_sat;
}

PreservedAnalyses SaturateConversionsPass::run(Function& function, FunctionAnalysisManager&) {
  SmallVector<std::pair<Instruction*, bool>, 16> work;
  bool is_signed;
  for (Instruction& i : instructions(function))
    if (is_conversion(i, is_signed)) work.push_back({&i, is_signed});
  for (auto [conversion, of_signed] : work) {
    IRBuilder<> b(conversion);
    Type* type = conversion->getType();
    Type* wide = type->getScalarSizeInBits() < 32 ? type->getWithNewBitWidth(32) : type;
    Value* result = saturate(b, conversion->getOperand(0), wide, of_signed);
    conversion->replaceAllUsesWith(b.CreateTrunc(result, type));
    conversion->eraseFromParent();
  }
  return work.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

PreservedAnalyses PlainConversionsPass::run(Function& function, FunctionAnalysisManager&) {
  bool changed = false, is_signed;
  for (Instruction& i : make_early_inc_range(instructions(function))) {
    if (!isa<IntrinsicInst>(i) || !is_conversion(i, is_signed) || isa<Constant>(i.getOperand(0))) continue;
    const Instruction::CastOps plain = is_signed ? Instruction::FPToSI : Instruction::FPToUI;
    i.replaceAllUsesWith(IRBuilder<>(&i).CreateCast(plain, i.getOperand(0), i.getType()));
    i.eraseFromParent();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace lanza::compiler
