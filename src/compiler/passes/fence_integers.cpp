#include "compiler/passes/fence_integers.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace lanza::compiler {

static bool rounds_to_half(const Instruction& i) {
  return i.getType()->getScalarType()->isHalfTy() && isa<FPTruncInst, SIToFPInst, UIToFPInst>(i);
}

static bool rounds_to_half(Module& module) {
  return any_of(module, [](Function& f) {
    return any_of(instructions(f), [](const Instruction& i) { return rounds_to_half(i); });
  });
}

PreservedAnalyses FenceIntegersPass::run(Module& module, ModuleAnalysisManager&) {
  if (!rounds_to_half(module)) return PreservedAnalyses::all();
  SmallVector<Instruction*, 16> conversions;
  for (Function& f : module)
    for (Instruction& i : instructions(f))
      if (isa<SIToFPInst, UIToFPInst>(i)) conversions.push_back(&i);
  for (Instruction* conversion : conversions) {
    IRBuilder<> b(conversion->getNextNode());
    Value* fence = b.CreateUnaryIntrinsic(Intrinsic::arithmetic_fence, conversion);
    conversion->replaceUsesWithIf(fence, [fence](const Use& use) { return use.getUser() != fence; });
  }
  return conversions.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

void drop_fences(Module& module) {
  for (Function& f : make_early_inc_range(module)) {
    if (f.getIntrinsicID() != Intrinsic::arithmetic_fence) continue;
    for (User* user : make_early_inc_range(f.users())) {
      auto* fence = cast<IntrinsicInst>(user);
      fence->replaceAllUsesWith(fence->getArgOperand(0));
      fence->eraseFromParent();
    }
    f.eraseFromParent();
  }
}

}  // namespace lanza::compiler
