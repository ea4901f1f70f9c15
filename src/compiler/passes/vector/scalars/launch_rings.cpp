#include "compiler/passes/vector/scalars/launch_rings.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/vector/scalars/fold_rings.hpp"

using namespace llvm;

namespace lanza::compiler {

static Function& declaration(Module& module) {
  LLVMContext& c = module.getContext();
  Type* word = Type::getInt32Ty(c);
  auto* type = FunctionType::get(word, {word, word, word, Type::getInt1Ty(c), Type::getInt1Ty(c)}, false);
  auto* ring = cast<Function>(module.getOrInsertFunction(kRing, type).getCallee());
  ring->setDoesNotAccessMemory();
  ring->setDoesNotThrow();
  ring->setWillReturn();
  ring->setSpeculatable();
  return *ring;
}

void stand_on_ring(BinaryOperator& remainder, Value& index, bool beyond) {
  IRBuilder<> b(&remainder);
  const bool is_signed = remainder.getOpcode() == Instruction::SRem;
  CallInst* call =
      b.CreateCall(&declaration(*remainder.getModule()),
                   {remainder.getOperand(0), remainder.getOperand(1), &index, b.getInt1(is_signed), b.getInt1(beyond)});
  call->takeName(&remainder);
  remainder.replaceAllUsesWith(call);
  remainder.eraseFromParent();
}

static void fold(CallInst& call) {
  IRBuilder<> b(&call);
  Value *dividend = call.getArgOperand(0), *divisor = call.getArgOperand(1), *index = call.getArgOperand(2);
  const bool is_signed = cast<ConstantInt>(call.getArgOperand(3))->isOne();
  const bool beyond = cast<ConstantInt>(call.getArgOperand(4))->isOne();
  const auto opcode = is_signed ? Instruction::SRem : Instruction::URem;
  auto* remainder = BinaryOperator::Create(opcode, dividend, divisor, "", call.getIterator());
  remainder->setDebugLoc(call.getDebugLoc());
  call.replaceAllUsesWith(remainder);
  call.eraseFromParent();
  fold_ring(*remainder, [&](const Value* found, const Value*) { return found == index; }, beyond);
}

PreservedAnalyses FoldLaunchRingsPass::run(Function& kernel, FunctionAnalysisManager&) const {
  Function* ring = kernel.getParent()->getFunction(kRing);
  if (!ring || ring->use_empty()) return PreservedAnalyses::all();
  for (User* user : make_early_inc_range(ring->users()))
    if (auto* call = cast<CallInst>(user); call->getFunction() == &kernel) fold(*call);
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

}  // namespace lanza::compiler
