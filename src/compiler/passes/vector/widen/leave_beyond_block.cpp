#include "compiler/passes/vector/widen/leave_beyond_block.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "compiler/passes/vector/group_form.hpp"

using namespace llvm;

namespace lanza::compiler {

// Of the blocks of a row, whose x counts from a multiple of the lanes. Two comparisons of x itself: the first and the
// last lane decide for all.
static Value* is_in_row(IRBuilder<>& b, Value* x, const GroupShape& group) {
  Value* size = b.getInt32(group.block[0]);
  Value* start = b.CreateMul(b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_ctaid_x, {}, {}), size);
  Value* before = b.CreateAnd(start, group.lanes - 1);
  Value* end = b.CreateNUWAdd(before, b.CreateNUWMul(emit_block_count(b), size));
  return b.CreateAnd(b.CreateICmpUGE(x, before), b.CreateICmpULT(x, end));
}

bool leave_beyond_block(Function& kernel, const GroupShape& group) {
  const Intrinsic::ID indices[] = {Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                   Intrinsic::nvvm_read_ptx_sreg_tid_z};
  BasicBlock* entry = &kernel.getEntryBlock();
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
  if (!inside) return false;
  BasicBlock* body = entry->splitBasicBlock(b.GetInsertPoint(), "body");
  BasicBlock* beyond = BasicBlock::Create(kernel.getContext(), "beyond", &kernel);
  ReturnInst::Create(kernel.getContext(), beyond);
  entry->getTerminator()->eraseFromParent();
  BranchInst::Create(body, beyond, inside, entry);
  return true;
}

}  // namespace lanza::compiler
