#include "compiler/passes/dynamic_allocas.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace lanza::compiler {
namespace {

constexpr std::uint64_t kHeader = 16;  // malloc's alignment: the block that was taken before, and padding

/// One function's blocks: a list through their first words, the newest first.
class Blocks {
 public:
  explicit Blocks(Function& function) : module_(*function.getParent()) {
    IRBuilder<> b(&function.getEntryBlock(), function.getEntryBlock().getFirstInsertionPt());
    pointer_ = b.getPtrTy();
    newest_ = b.CreateAlloca(pointer_, nullptr, "blocks");
    b.CreateStore(ConstantPointerNull::get(pointer_), newest_);
  }

  void allocate(AllocaInst& memory) {
    IRBuilder<> b(&memory);
    const std::uint64_t alignment = std::max(memory.getAlign().value(), kHeader);
    const std::uint64_t element = module_.getDataLayout().getTypeAllocSize(memory.getAllocatedType()).getFixedValue();
    Value* size = b.CreateMul(b.CreateZExt(memory.getArraySize(), b.getInt64Ty()), b.getInt64(element));
    FunctionCallee malloc = module_.getOrInsertFunction("malloc", pointer_, b.getInt64Ty());
    Value* block = b.CreateCall(malloc, b.CreateAdd(size, b.getInt64(alignment)));
    b.CreateStore(b.CreateLoad(pointer_, newest_), block);
    b.CreateStore(block, newest_);
    Value* place = b.CreateConstGEP1_64(b.getInt8Ty(), block, alignment);
    if (alignment > kHeader)
      place = b.CreateIntrinsic(Intrinsic::ptrmask, {pointer_, b.getInt64Ty()}, {place, b.getInt64(-alignment)});
    memory.replaceAllUsesWith(place);
    memory.eraseFromParent();
  }

  Value* newest_before(Instruction& i) { return IRBuilder<>(&i).CreateLoad(pointer_, newest_); }

  /// Frees, before `i`, what was allocated after `last`.
  void release_before(Instruction& i, Value* last) {
    const DebugLoc line = i.getDebugLoc();
    BasicBlock* before = i.getParent();
    BasicBlock* after = SplitBlock(before, &i);
    BasicBlock* test = BasicBlock::Create(i.getContext(), "blocks.test", before->getParent(), after);
    BasicBlock* release = BasicBlock::Create(i.getContext(), "blocks.release", before->getParent(), after);
    before->getTerminator()->setSuccessor(0, test);
    IRBuilder<> b(test);
    b.SetCurrentDebugLocation(line);
    Value* block = b.CreateLoad(pointer_, newest_);
    b.CreateCondBr(b.CreateICmpEQ(block, last), after, release);
    b.SetInsertPoint(release);
    b.CreateStore(b.CreateLoad(pointer_, block), newest_);
    b.CreateCall(module_.getOrInsertFunction("free", b.getVoidTy(), pointer_), block);
    b.CreateBr(test);
  }

 private:
  Module& module_;
  PointerType* pointer_ = nullptr;
  AllocaInst* newest_ = nullptr;
};

bool run_on(Function& function) {
  SmallVector<AllocaInst*, 4> allocas;
  SmallVector<IntrinsicInst*, 4> saves, restores;
  SmallVector<ReturnInst*, 4> returns;
  for (Instruction& i : instructions(function)) {
    if (auto* memory = dyn_cast<AllocaInst>(&i); memory && !memory->isStaticAlloca()) allocas.push_back(memory);
    if (auto* exit = dyn_cast<ReturnInst>(&i)) returns.push_back(exit);
    auto* call = dyn_cast<IntrinsicInst>(&i);
    if (call && call->getIntrinsicID() == Intrinsic::stacksave) saves.push_back(call);
    if (call && call->getIntrinsicID() == Intrinsic::stackrestore) restores.push_back(call);
  }
  if (allocas.empty()) return false;
  Blocks blocks(function);
  for (AllocaInst* memory : allocas) blocks.allocate(*memory);
  for (IntrinsicInst* save : saves) save->replaceAllUsesWith(blocks.newest_before(*save));
  for (IntrinsicInst* restore : restores) blocks.release_before(*restore, restore->getArgOperand(0));
  for (ReturnInst* exit : returns)
    blocks.release_before(*exit, ConstantPointerNull::get(PointerType::getUnqual(function.getContext())));
  for (IntrinsicInst* call : restores) call->eraseFromParent();
  for (IntrinsicInst* call : saves) call->eraseFromParent();
  return true;
}

}  // namespace

PreservedAnalyses DynamicAllocasPass::run(Module& module, ModuleAnalysisManager&) {
  bool changed = false;
  for (Function& function : module)
    if (!function.isDeclaration()) changed |= run_on(function);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace lanza::compiler
