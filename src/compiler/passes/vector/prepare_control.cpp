// Before divergent control flow becomes masks: one exit, reducible loops, no switches.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/linearise.hpp"
#include "compiler/passes/vector/unify_exits.hpp"

using namespace llvm;

namespace lanza::compiler {

// A thread does not come out of a trap. Its lane goes where the others go, so that the rest of the group sees no
// second way.
static void continue_unreachable_ends(Function& function) {
  for (BasicBlock& block : function) {
    if (!isa<UnreachableInst>(block.getTerminator())) continue;
    BasicBlock* before = block.getSinglePredecessor();
    auto* branch = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
    block.getTerminator()->eraseFromParent();
    if (!branch || branch->isUnconditional()) {
      ReturnInst::Create(function.getContext(), &block);
      continue;
    }
    BasicBlock* other = branch->getSuccessor(branch->getSuccessor(0) == &block);
    for (PHINode& phi : other->phis()) phi.addIncoming(PoisonValue::get(phi.getType()), &block);
    BranchInst::Create(other, &block)->setDebugLoc(branch->getDebugLoc());
  }
}

// Of the blocks of a row, whose x counts from a multiple of the lanes.
static Value* is_in_row(IRBuilder<>& b, Value* x, const GroupShape& group) {
  Value* size = b.getInt32(group.block[0]);
  Value* start = b.CreateMul(b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_ctaid_x, {}, {}), size);
  Value* before = b.CreateAnd(start, group.lanes - 1);
  return b.CreateICmpULT(b.CreateSub(x, before), b.CreateNUWMul(emit_block_count(b), size));
}

static void leave_beyond_block(Function& function, const GroupShape& group) {
  const Intrinsic::ID indices[] = {Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                   Intrinsic::nvvm_read_ptx_sreg_tid_z};
  BasicBlock* entry = &function.getEntryBlock();
  IRBuilder<> b(&*entry->getFirstNonPHIOrDbgOrAlloca());
  b.SetCurrentDebugLocation(DebugLoc());
  Value* inside = nullptr;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (!group.overhangs(axis)) continue;
    Value* index = b.CreateIntrinsic(indices[axis], {}, {});
    Value* here = axis == 0 && group.whole_rows ? is_in_row(b, index, group)
                                                : b.CreateICmpULT(index, b.getInt32(group.block[axis]));
    inside = inside ? b.CreateAnd(inside, here) : here;
  }
  if (!inside) return;
  BasicBlock* body = entry->splitBasicBlock(b.GetInsertPoint(), "body");
  BasicBlock* beyond = BasicBlock::Create(function.getContext(), "beyond", &function);
  ReturnInst::Create(function.getContext(), beyond);
  entry->getTerminator()->eraseFromParent();
  BranchInst::Create(body, beyond, inside, entry);
}

bool prepare_control(Function& function, const GroupShape& group) {
  leave_beyond_block(function, group);
  continue_unreachable_ends(function);
  PassRunner runner(nullptr);
  runner.run(function, "lower-switch,fix-irreducible,mergereturn,loop-simplify,lcssa");
  return unify_exits(function, group);
}

}  // namespace lanza::compiler
