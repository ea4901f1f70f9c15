#include "compiler/passes/flush_denormals.hpp"

#include <cfloat>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

using namespace llvm;

namespace lanza::compiler {

static bool is_float(const Value* v) { return v->getType()->getScalarType()->isFloatTy(); }

static bool computes(const Instruction& i) {
  switch (i.getOpcode()) {
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv:
    case Instruction::FRem:
    case Instruction::FCmp:
    case Instruction::FPExt:
    case Instruction::FPTrunc:
    case Instruction::FPToSI:
    case Instruction::FPToUI:
      return true;
    default:
      break;
  }
  auto* intrinsic = dyn_cast<IntrinsicInst>(&i);
  if (!intrinsic) return false;
  switch (intrinsic->getIntrinsicID()) {
    case Intrinsic::fma:
    case Intrinsic::fmuladd:
    case Intrinsic::sqrt:
    case Intrinsic::nvvm_rsqrt_approx_f:
    case Intrinsic::minnum:
    case Intrinsic::maxnum:
    case Intrinsic::minimum:
    case Intrinsic::maximum:
    case Intrinsic::floor:
    case Intrinsic::ceil:
    case Intrinsic::trunc:
    case Intrinsic::rint:
    case Intrinsic::nearbyint:
    case Intrinsic::roundeven:
    case Intrinsic::round:
      return true;
    default:
      return false;
  }
}

static Value* flush(IRBuilder<>& b, Value* x) {
  Value* magnitude = b.CreateUnaryIntrinsic(Intrinsic::fabs, x);
  Value* subnormal = b.CreateFCmpOLT(magnitude, ConstantFP::get(x->getType(), FLT_MIN));
  Value* zero = b.CreateBinaryIntrinsic(Intrinsic::copysign, Constant::getNullValue(x->getType()), x);
  return b.CreateSelect(subnormal, zero, x);
}

static bool is_normal_constant(const Value* v) {
  auto* constant = dyn_cast<ConstantFP>(v);
  return constant && !constant->getValueAPF().isDenormal();
}

PreservedAnalyses FlushDenormalsPass::run(Function& function, FunctionAnalysisManager&) {
  SmallVector<Instruction*, 32> work;
  for (Instruction& i : instructions(function))
    if (computes(i)) work.push_back(&i);
  SmallPtrSet<const Value*, 32> flushed;
  for (Instruction* i : work) {
    auto* call = dyn_cast<CallInst>(i);
    for (Use& operand : call ? call->args() : i->operands()) {
      if (!is_float(operand) || flushed.contains(operand) || is_normal_constant(operand)) continue;
      IRBuilder<> b(i);
      operand.set(flush(b, operand));
    }
    if (!is_float(i)) continue;
    SmallVector<Use*, 8> uses;
    for (Use& use : i->uses()) uses.push_back(&use);
    IRBuilder<> b(i->getNextNode());
    b.SetCurrentDebugLocation(i->getDebugLoc());
    Value* result = flush(b, i);
    flushed.insert(result);
    for (Use* use : uses) use->set(result);
  }
  return work.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

}  // namespace lanza::compiler
