#include "compiler/passes/lower_asm_state.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/ptx/emitter.hpp"

using namespace llvm;

namespace lanza::compiler {

static SmallVector<CallInst*, 8> calls_of(Function& function, StringRef name) {
  SmallVector<CallInst*, 8> calls;
  Function* callee = function.getParent()->getFunction(name);
  if (!callee) return calls;
  for (User* user : callee->users())
    if (auto* call = dyn_cast<CallInst>(user); call && call->getFunction() == &function) calls.push_back(call);
  return calls;
}

static bool lower_carry(Function& function) {
  const auto reads = calls_of(function, ptx::kCarry), writes = calls_of(function, ptx::kSetCarry);
  if (reads.empty() && writes.empty()) return false;
  IRBuilder<> entry(&function.getEntryBlock(), function.getEntryBlock().begin());
  AllocaInst* flag = entry.CreateAlloca(entry.getInt1Ty());
  entry.CreateStore(entry.getFalse(), flag);
  for (CallInst* call : reads) {
    IRBuilder<> b(call);
    call->replaceAllUsesWith(b.CreateLoad(b.getInt1Ty(), flag));
    call->eraseFromParent();
  }
  for (CallInst* call : writes) {
    IRBuilder<> b(call);
    b.CreateStore(call->getArgOperand(0), flag);
    call->eraseFromParent();
  }
  return true;
}

static bool lower_exit(Function& function, bool is_kernel) {
  const auto exits = calls_of(function, ptx::kExit);
  for (CallInst* call : exits) {
    BasicBlock* block = call->getParent();
    IRBuilder<> b(call);
    if (is_kernel) {
      // What followed in the block cannot be reached.
      for (BasicBlock* next : successors(block)) next->removePredecessor(block);
      ReturnInst* end = b.CreateRetVoid();
      while (&block->back() != end) block->back().eraseFromParent();
    } else {
      b.CreateIntrinsic(Intrinsic::trap, {}, {});
      call->eraseFromParent();
    }
  }
  if (!exits.empty()) removeUnreachableBlocks(function);
  return !exits.empty();
}

PreservedAnalyses LowerAsmStatePass::run(Function& function, FunctionAnalysisManager&) {
  const bool carry = lower_carry(function), exit = lower_exit(function, function.getName() == kernel);
  return carry || exit ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace lanza::compiler
