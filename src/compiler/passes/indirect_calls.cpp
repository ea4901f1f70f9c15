#include "compiler/passes/indirect_calls.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/kernel_abi.h"
#include "compiler/passes/extract_kernel.hpp"
#include "compiler/passes/function_numbers.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

/// A function called from so many places stays a function of its own.
constexpr size_t kInlinedSites = 8;

class Lowering {
 public:
  explicit Lowering(Module& module) : module_(module), c_(module.getContext()), b_(c_) {}

  bool run() {
    drop_keepers(module_);
    number_functions(module_);
    SmallVector<CallInst*, 16> calls;
    for (Function& f : module_) {
      if (function_number(f)) candidates_[f.getFunctionType()].push_back(&f);
      for (Instruction& i : instructions(f))
        if (auto* call = dyn_cast<CallInst>(&i); call && call->isIndirectCall()) calls.push_back(call);
    }
    for (CallInst* call : calls) ++sites_[call->getFunctionType()];
    for (CallInst* call : calls) lower(*call);
    replace_addresses();
    return !calls.empty() || !candidates_.empty();
  }

 private:
  void lower(CallInst& call) {
    BasicBlock* head = call.getParent();
    b_.SetInsertPoint(&call);
    Value* number = b_.CreatePtrToInt(call.getCalledOperand(), b_.getInt64Ty());
    BasicBlock* join = SplitBlock(head, &call);
    head->getTerminator()->eraseFromParent();
    b_.SetInsertPoint(head);
    b_.SetCurrentDebugLocation(call.getDebugLoc());
    SwitchInst* choice = b_.CreateSwitch(number, fail(call, "call through a pointer that is no function of its type"));
    auto add = [&](uint64_t value, BasicBlock* block) { choice->addCase(b_.getInt64(value), block); };
    add(0, fail(call, "call through a null function pointer"));
    for (StringRef name : {"__cxa_pure_virtual", "__cxa_deleted_virtual"})
      if (Function* pure = module_.getFunction(name); pure && function_number(*pure))
        add(function_number(*pure), fail(call, "call of a pure virtual function"));
    PHINode* result = nullptr;
    if (!call.getType()->isVoidTy()) result = PHINode::Create(call.getType(), 0, "", join->begin());
    for (Function* candidate : candidates_[call.getFunctionType()]) {
      if (candidate->isDeclaration()) continue;
      BasicBlock* block = call_directly(call, *candidate, join, result);
      add(function_number(*candidate), block);
      if (sites_[call.getFunctionType()] > kInlinedSites) candidate->addFnAttr(kOutOfLine);
    }
    if (result && result->getNumIncomingValues())
      call.replaceAllUsesWith(result);
    else if (result)
      call.replaceAllUsesWith(PoisonValue::get(call.getType())), result->eraseFromParent();
    call.eraseFromParent();
  }

  BasicBlock* call_directly(CallInst& call, Function& candidate, BasicBlock* join, PHINode* result) {
    auto* block = BasicBlock::Create(c_, candidate.getName(), join->getParent(), join);
    auto* direct = cast<CallInst>(call.clone());
    direct->setCalledFunction(&candidate);
    direct->insertInto(block, block->end());
    b_.SetInsertPoint(block);
    b_.CreateBr(join);
    if (result) result->addIncoming(direct, block);
    return block;
  }

  BasicBlock* fail(CallInst& call, StringRef why) {
    auto* block = BasicBlock::Create(c_, "no_function", call.getFunction());
    IRBuilder<> b(block);
    b.SetCurrentDebugLocation(call.getDebugLoc());
    auto* null = ConstantPointerNull::get(b.getPtrTy());
    Constant *file = null, *line = b.getInt32(0);
    if (const DILocation* place = call.getDebugLoc()) {
      file = text(place->getFilename());
      line = b.getInt32(place->getLine());
    }
    FunctionCallee service = module_.getOrInsertFunction("__lanza_fail", b.getVoidTy(), b.getInt32Ty(), b.getPtrTy(),
                                                         b.getPtrTy(), b.getInt32Ty(), b.getPtrTy());
    b.CreateCall(service, {b.getInt32(LANZA_FAIL_TRAP), text(why), file, line, null})->setDoesNotReturn();
    b.CreateUnreachable();
    return block;
  }

  Constant* text(StringRef words) {
    Constant*& known = texts_[words];
    if (!known) known = b_.CreateGlobalString(words, "", 0, &module_);
    return known;
  }

  // What is left of a function's address is its number.
  void replace_addresses() {
    for (Function& f : module_) {
      const uint64_t number = function_number(f);
      if (!number) continue;
      auto* pointer = ConstantExpr::getIntToPtr(b_.getInt64(number), f.getType());
      f.replaceUsesWithIf(pointer, [](Use& use) {
        auto* call = dyn_cast<CallBase>(use.getUser());
        return !call || !call->isCallee(&use);
      });
    }
  }

  Module& module_;
  LLVMContext& c_;
  IRBuilder<> b_;
  MapVector<FunctionType*, SmallVector<Function*, 8>> candidates_;
  DenseMap<FunctionType*, size_t> sites_;
  StringMap<Constant*> texts_;
};

}  // namespace

PreservedAnalyses IndirectCallsPass::run(Module& module, ModuleAnalysisManager&) {
  return Lowering(module).run() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace lanza::compiler
