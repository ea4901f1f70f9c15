#include "compiler/passes/clamp_shifts.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

using namespace llvm;

namespace lanza::compiler {

static void clamp(BinaryOperator& shift) {
  IRBuilder<> b(&shift);
  Type* type = shift.getType();
  const unsigned width = type->getScalarSizeInBits();
  Value* amount = b.CreateFreeze(shift.getOperand(1));
  Value* in_range = b.CreateICmpULT(amount, ConstantInt::get(type, width));
  Value* result;
  if (shift.getOpcode() == Instruction::AShr) {
    result = b.CreateAShr(shift.getOperand(0), b.CreateSelect(in_range, amount, ConstantInt::get(type, width - 1)));
  } else {
    Value* masked = b.CreateAnd(amount, ConstantInt::get(type, width - 1));
    result = b.CreateSelect(in_range, b.CreateBinOp(shift.getOpcode(), shift.getOperand(0), masked),
                            Constant::getNullValue(type));
  }
  shift.replaceAllUsesWith(result);
  shift.eraseFromParent();
}

PreservedAnalyses ClampShiftsPass::run(Function& function, FunctionAnalysisManager&) {
  const DataLayout& layout = function.getParent()->getDataLayout();
  SmallVector<BinaryOperator*, 16> work;
  for (Instruction& i : instructions(function)) {
    auto* shift = dyn_cast<BinaryOperator>(&i);
    // Widths that are no power of two come from bit-fields, with constant amounts.
    if (!shift || !shift->isShift() || !isPowerOf2_32(shift->getType()->getScalarSizeInBits())) continue;
    if (computeKnownBits(shift->getOperand(1), layout).getMaxValue().uge(shift->getType()->getScalarSizeInBits()))
      work.push_back(shift);
  }
  for (BinaryOperator* shift : work) clamp(*shift);
  return work.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

}  // namespace lanza::compiler
