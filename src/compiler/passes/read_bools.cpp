#include "compiler/passes/read_bools.hpp"

#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

using namespace llvm;

namespace lanza::compiler {

static bool is_of_bool(const LoadInst& load) {
  const MDNode* range = load.getMetadata(LLVMContext::MD_range);
  return range && load.getType()->isIntegerTy(8) && getConstantRangeFromMetadata(*range).getUnsignedMax() == 1;
}

static void read_any_byte(LoadInst& load) {
  load.setMetadata(LLVMContext::MD_range, nullptr);
  IRBuilder<> b(load.getNextNode());
  Value* is_true = nullptr;
  for (User* user : make_early_inc_range(load.users())) {
    auto* cut = dyn_cast<TruncInst>(user);
    if (!cut || !cut->getType()->isIntegerTy(1)) continue;
    if (!is_true) is_true = b.CreateICmpNE(&load, b.getInt8(0));
    cut->replaceAllUsesWith(is_true);
    cut->eraseFromParent();
  }
}

PreservedAnalyses ReadBoolsPass::run(Function& function, FunctionAnalysisManager&) {
  SmallVector<LoadInst*, 8> work;
  for (Instruction& i : instructions(function))
    if (auto* load = dyn_cast<LoadInst>(&i); load && is_of_bool(*load)) work.push_back(load);
  for (LoadInst* load : work) read_any_byte(*load);
  return work.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

}  // namespace lanza::compiler
