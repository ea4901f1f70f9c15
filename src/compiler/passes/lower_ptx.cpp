#include "compiler/passes/lower_ptx.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/kernel_abi.h"
#include "compiler/passes/sync_calls.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

/// Lowers one call of __lanza_sync; the result, if the kind has one, has 64 bits.
class PtxPoint {
 public:
  PtxPoint(CallInst& point, unsigned compute_capability)
      : point_(point),
        b_(&point),
        i32_(b_.getInt32Ty()),
        i64_(b_.getInt64Ty()),
        compute_capability_(compute_capability) {}

  void lower() {
    Value* result = emit();
    if (!point_.use_empty()) point_.replaceAllUsesWith(result ? b_.CreateZExtOrTrunc(result, i64_) : b_.getInt64(0));
    point_.eraseFromParent();
  }

 private:
  Value* operand(unsigned i) { return point_.getArgOperand(i); }
  Value* mask() { return operand(kSyncMask); }
  Value* call(Intrinsic::ID id, ArrayRef<Value*> arguments) { return b_.CreateIntrinsic(id, {}, arguments); }
  Value* predicate() { return b_.CreateICmpNE(operand(kSyncValue), b_.getInt64(0)); }

  Value* emit() {
    switch (sync_kind(point_)) {
      case LANZA_SYNC_BARRIER:
        return barrier(), nullptr;
      case LANZA_SYNC_BARRIER_COUNT:
        return call(Intrinsic::nvvm_barrier0_popc, {b_.CreateZExt(predicate(), i32_)});
      case LANZA_SYNC_WARP:
        return call(Intrinsic::nvvm_bar_warp_sync, {mask()}), nullptr;
      case LANZA_SYNC_BALLOT:
        return call(Intrinsic::nvvm_vote_ballot_sync, {mask(), predicate()});
      case LANZA_SYNC_SHUFFLE:
        return shuffle(operand(kSyncValue), operand(kSyncAux));
      case LANZA_SYNC_MATCH_ANY:
        return call(Intrinsic::nvvm_match_any_sync_i64, {mask(), operand(kSyncValue)});
      case LANZA_SYNC_MATCH_ALL:
        return b_.CreateExtractValue(call(Intrinsic::nvvm_match_all_sync_i64p, {mask(), operand(kSyncValue)}), 0);
      case LANZA_SYNC_REDUCE:
        return compute_capability_ >= 80 ? redux() : reduce_by_shuffles();
      case LANZA_SYNC_ACTIVEMASK:
        return call(Intrinsic::nvvm_activemask, {});
      case LANZA_SYNC_YIELD:
        return call(Intrinsic::nvvm_nanosleep, {b_.CreateTrunc(operand(kSyncValue), i32_)}), nullptr;
      default:
        return nullptr;  // LOCKSTEP is the GPU's own; the others never come from a source
    }
  }

  void barrier() {
    auto* id = dyn_cast<ConstantInt>(operand(kSyncId));
    auto* count = dyn_cast<ConstantInt>(operand(kSyncAux));
    if (count && count->isZero()) {
      if (id && id->isZero())
        call(Intrinsic::nvvm_barrier0, {});
      else
        call(Intrinsic::nvvm_barrier_n, {operand(kSyncId)});
      return;
    }
    call(Intrinsic::nvvm_barrier, {operand(kSyncId), operand(kSyncAux)});
  }

  Value* shuffle_word(Value* word, Value* lane) {
    return call(Intrinsic::nvvm_shfl_sync_idx_i32, {mask(), word, lane, b_.getInt32(31)});
  }

  Value* shuffle(Value* value, Value* lane) {
    Value* low = shuffle_word(b_.CreateTrunc(value, i32_), lane);
    // A value that was widened from 32 bits has no high half to move.
    auto* widened = dyn_cast<ZExtInst>(value);
    if (widened && widened->getSrcTy()->getScalarSizeInBits() <= 32) return low;
    Value* high = shuffle_word(b_.CreateTrunc(b_.CreateLShr(value, 32), i32_), lane);
    return b_.CreateOr(b_.CreateZExt(low, i64_), b_.CreateShl(b_.CreateZExt(high, i64_), 32));
  }

  LanzaReduce operation() { return static_cast<LanzaReduce>(cast<ConstantInt>(operand(kSyncAux))->getZExtValue()); }

  Value* redux() {
    static constexpr Intrinsic::ID kOperations[] = {Intrinsic::nvvm_redux_sync_add,  Intrinsic::nvvm_redux_sync_min,
                                                    Intrinsic::nvvm_redux_sync_max,  Intrinsic::nvvm_redux_sync_umin,
                                                    Intrinsic::nvvm_redux_sync_umax, Intrinsic::nvvm_redux_sync_and,
                                                    Intrinsic::nvvm_redux_sync_or,   Intrinsic::nvvm_redux_sync_xor};
    return call(kOperations[operation()], {b_.CreateTrunc(operand(kSyncValue), i32_), mask()});
  }

  Value* combine(IRBuilder<>& b, Value* x, Value* y) {
    switch (operation()) {
      case LANZA_REDUCE_ADD:
        return b.CreateAdd(x, y);
      case LANZA_REDUCE_MIN_SIGNED:
        return b.CreateBinaryIntrinsic(Intrinsic::smin, x, y);
      case LANZA_REDUCE_MAX_SIGNED:
        return b.CreateBinaryIntrinsic(Intrinsic::smax, x, y);
      case LANZA_REDUCE_MIN_UNSIGNED:
        return b.CreateBinaryIntrinsic(Intrinsic::umin, x, y);
      case LANZA_REDUCE_MAX_UNSIGNED:
        return b.CreateBinaryIntrinsic(Intrinsic::umax, x, y);
      case LANZA_REDUCE_AND:
        return b.CreateAnd(x, y);
      case LANZA_REDUCE_OR:
        return b.CreateOr(x, y);
      case LANZA_REDUCE_XOR:
        return b.CreateXor(x, y);
    }
    return x;
  }

  // value = own lane's first member; for each further member of the mask, lowest first: combine. All members loop
  // alike.
  Value* reduce_by_shuffles() {
    BasicBlock* before = point_.getParent();
    BasicBlock* after = SplitBlock(before, &point_);
    auto* loop = BasicBlock::Create(b_.getContext(), "reduce", before->getParent(), after);
    before->getTerminator()->eraseFromParent();
    IRBuilder<> b(before);
    b.SetCurrentDebugLocation(point_.getDebugLoc());
    Value* own = b.CreateTrunc(operand(kSyncValue), i32_);
    auto member = [&](Value* rest) {
      Value* lane = b.CreateBinaryIntrinsic(Intrinsic::cttz, rest, b.getFalse());
      return b.CreateIntrinsic(Intrinsic::nvvm_shfl_sync_idx_i32, {}, {mask(), own, lane, b.getInt32(31)});
    };
    auto without_lowest = [&](Value* rest) { return b.CreateAnd(rest, b.CreateSub(rest, b.getInt32(1))); };
    Value* first = member(mask());
    Value* remaining = without_lowest(mask());
    b.CreateCondBr(b.CreateIsNull(remaining), after, loop);
    b.SetInsertPoint(loop);
    PHINode *rest = b.CreatePHI(i32_, 2), *sum = b.CreatePHI(i32_, 2);
    Value* next = combine(b, sum, member(rest));
    Value* next_rest = without_lowest(rest);
    b.CreateCondBr(b.CreateIsNull(next_rest), after, loop);
    rest->addIncoming(remaining, before);
    rest->addIncoming(next_rest, loop);
    sum->addIncoming(first, before);
    sum->addIncoming(next, loop);
    b_.SetInsertPoint(&*after->begin());
    PHINode* result = b_.CreatePHI(i32_, 2);
    result->addIncoming(first, before);
    result->addIncoming(next, loop);
    b_.SetInsertPoint(&point_);
    return result;
  }

  CallInst& point_;
  IRBuilder<> b_;
  Type *i32_, *i64_;
  unsigned compute_capability_;
};

template <class Lower>
void for_each_call(Module& module, StringRef name, Lower lower) {
  Function* f = module.getFunction(name);
  if (!f) return;
  for (User* user : make_early_inc_range(f->users()))
    if (auto* call = dyn_cast<CallInst>(user); call && call->getCalledFunction() == f) lower(*call);
  if (f->use_empty()) f->eraseFromParent();
}

void lower_fail(CallInst& call) {
  IRBuilder<> b(&call);
  auto* failure = dyn_cast<ConstantInt>(call.getArgOperand(0));
  if (failure && failure->equalsInt(LANZA_FAIL_ASSERT)) {
    Type* p = b.getPtrTy();
    FunctionCallee assert_fail =
        call.getModule()->getOrInsertFunction("__assertfail", b.getVoidTy(), p, p, b.getInt32Ty(), p, b.getInt64Ty());
    b.CreateCall(assert_fail, {call.getArgOperand(1), call.getArgOperand(2), call.getArgOperand(3),
                               call.getArgOperand(4), b.getInt64(1)});
  } else {
    b.CreateIntrinsic(Intrinsic::trap, {}, {});
  }
  call.eraseFromParent();
}

void lower_clock(CallInst& call, Intrinsic::ID id) {
  IRBuilder<> b(&call);
  call.replaceAllUsesWith(b.CreateIntrinsic(id, {}, {}));
  call.eraseFromParent();
}

// The driver passes the address of a cooperative grid's memory in two environment registers, high half first.
void lower_grid_workspace(CallInst& call) {
  IRBuilder<> b(&call);
  Value* high = b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_envreg1, {}, {});
  Value* low = b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_envreg2, {}, {});
  Value* address = b.CreateOr(b.CreateShl(b.CreateZExt(high, b.getInt64Ty()), 32), b.CreateZExt(low, b.getInt64Ty()));
  call.replaceAllUsesWith(address);
  call.eraseFromParent();
}

// LLVM 19 has no PTX for a fence. Which threads one is for is not known any more: it is for all, the host's, too.
void lower_fences(Function& f) {
  for (Instruction& i : make_early_inc_range(instructions(f))) {
    if (!isa<FenceInst>(i)) continue;
    IRBuilder<>(&i).CreateIntrinsic(Intrinsic::nvvm_membar_sys, {}, {});
    i.eraseFromParent();
  }
}

}  // namespace

PreservedAnalyses LowerPtxPass::run(Module& module, ModuleAnalysisManager&) {
  for_each_call(module, kSyncName, [&](CallInst& call) { PtxPoint(call, compute_capability).lower(); });
  for_each_call(module, "__lanza_fail", lower_fail);
  for_each_call(module, "__lanza_clock",
                [](CallInst& call) { lower_clock(call, Intrinsic::nvvm_read_ptx_sreg_clock64); });
  for_each_call(module, "__lanza_global_timer",
                [](CallInst& call) { lower_clock(call, Intrinsic::nvvm_read_ptx_sreg_globaltimer); });
  for_each_call(module, "__lanza_grid_workspace", lower_grid_workspace);
  for (Function& f : module) lower_fences(f);
  return PreservedAnalyses::none();
}

}  // namespace lanza::compiler
