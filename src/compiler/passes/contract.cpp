#include "compiler/passes/contract.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

// A product that may be fused: a * b, or -(a * b).
struct Product {
  BinaryOperator* multiply = nullptr;
  bool negated = false;
};

Product as_product(Value* v) {
  bool negated = false;
  if (auto* negation = dyn_cast<UnaryOperator>(v); negation && negation->getOpcode() == Instruction::FNeg) {
    v = negation->getOperand(0);
    negated = true;
  }
  auto* multiply = dyn_cast<BinaryOperator>(v);
  if (!multiply || multiply->getOpcode() != Instruction::FMul || !multiply->hasAllowContract()) return {};
  return {multiply, negated};
}

Value* fuse(BinaryOperator& sum) {
  const bool subtracts = sum.getOpcode() == Instruction::FSub;
  for (unsigned side : {0u, 1u}) {
    Product product = as_product(sum.getOperand(side));
    if (!product.multiply) continue;
    IRBuilder<> b(&sum);
    Value* x = product.multiply->getOperand(0);
    Value* addend = sum.getOperand(1 - side);
    if (product.negated != (subtracts && side == 1)) x = b.CreateFNeg(x);  // the product's sign
    if (subtracts && side == 0) addend = b.CreateFNeg(addend);
    return b.CreateIntrinsic(Intrinsic::fma, {sum.getType()}, {x, product.multiply->getOperand(1), addend});
  }
  return nullptr;
}

Value* lower_fmuladd(CallInst& call, bool fmad) {
  IRBuilder<> b(&call);
  Value *x = call.getArgOperand(0), *y = call.getArgOperand(1), *z = call.getArgOperand(2);
  if (fmad) return b.CreateIntrinsic(Intrinsic::fma, {call.getType()}, {x, y, z});
  return b.CreateFAdd(b.CreateFMul(x, y), z);
}

}  // namespace

PreservedAnalyses ContractPass::run(Function& function, FunctionAnalysisManager&) {
  SmallVector<Instruction*, 32> sums;
  for (Instruction& i : instructions(function)) {
    const bool sum = (i.getOpcode() == Instruction::FAdd || i.getOpcode() == Instruction::FSub) && i.hasAllowContract();
    auto* intrinsic = dyn_cast<IntrinsicInst>(&i);
    if (sum || (intrinsic && intrinsic->getIntrinsicID() == Intrinsic::fmuladd)) sums.push_back(&i);
  }
  for (Instruction* i : sums) {
    Value* result = nullptr;
    if (auto* call = dyn_cast<CallInst>(i))
      result = lower_fmuladd(*call, fmad);
    else if (fmad)
      result = fuse(cast<BinaryOperator>(*i));
    if (!result) continue;
    i->replaceAllUsesWith(result);
    RecursivelyDeleteTriviallyDeadInstructions(i);
  }
  for (Instruction& i : instructions(function))
    if (isa<FPMathOperator>(i)) i.setHasAllowContract(false);
  return PreservedAnalyses::none();
}

}  // namespace lanza::compiler
