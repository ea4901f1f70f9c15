#include "compiler/passes/vector/analysis/operation_times.hpp"

#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace lanza::compiler {

OperationTime time_of(const Instruction& i) {
  switch (i.getOpcode()) {
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FPToSI:
    case Instruction::FPToUI:
    case Instruction::SIToFP:
    case Instruction::UIToFP:
    case Instruction::FPExt:
    case Instruction::FPTrunc:
      return {4, 1};
    case Instruction::FCmp:
      return {3, 1};
    case Instruction::Mul:
      return {6, 1};
    case Instruction::FDiv:
    case Instruction::FRem:
      return {15, 16};
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem:
      return {30, 30};
    case Instruction::PHI:
    case Instruction::Br:
    case Instruction::FNeg:
      return {0, 0};
    case Instruction::Call: {
      const Intrinsic::ID id = cast<CallInst>(i).getIntrinsicID();
      if (id == Intrinsic::sqrt) return {20, 20};
      return id == Intrinsic::fma || id == Intrinsic::not_intrinsic ? OperationTime{4, 1} : OperationTime{1, 1};
    }
    default:
      return {1, 1};
  }
}

}  // namespace lanza::compiler
