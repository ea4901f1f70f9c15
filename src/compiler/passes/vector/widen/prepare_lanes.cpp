#include "compiler/passes/vector/widen/prepare_lanes.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/thread_context.hpp"

using namespace llvm;

namespace lanza::compiler {

static void copy_changed_arguments(Function& function) {
  IRBuilder<> b(&*function.getEntryBlock().getFirstInsertionPt());
  for (Argument& argument : function.args()) {
    if (!argument.hasByValAttr() || is_only_read(argument)) continue;
    Type* type = argument.getParamByValType();
    const Align align = argument.getParamAlign().valueOrOne();
    AllocaInst* copy = b.CreateAlloca(type, nullptr, argument.getName());
    copy->setAlignment(align);
    argument.replaceAllUsesWith(copy);
    b.CreateMemCpy(copy, align, &argument, align, function.getParent()->getDataLayout().getTypeAllocSize(type));
  }
}

static void expand_lane_numbers(Function& function, const GroupShape& group) {
  for (Instruction& i : make_early_inc_range(instructions(function))) {
    auto* call = dyn_cast<IntrinsicInst>(&i);
    if (!call) continue;
    const bool lane = call->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_laneid;
    if (!lane && call->getIntrinsicID() != Intrinsic::nvvm_read_ptx_sreg_warpid) continue;
    IRBuilder<> b(call);
    Value* linear = b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_tid_x, {}, {});
    if (group.block[1] * group.block[2] > 1) {
      Value* layer =
          b.CreateMul(b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_tid_z, {}, {}), b.getInt32(group.block[1]));
      Value* row = b.CreateAdd(layer, b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_tid_y, {}, {}));
      linear = b.CreateAdd(b.CreateMul(row, b.getInt32(group.block[0])), linear);
    }
    call->replaceAllUsesWith(lane ? b.CreateAnd(linear, 31) : b.CreateLShr(linear, 5));
    call->eraseFromParent();
  }
}

static bool has_vectors(Function& function) {
  return any_of(instructions(function), [](Instruction& i) {
    return i.getType()->isVectorTy() || any_of(i.operands(), [](const Use& v) { return v->getType()->isVectorTy(); });
  });
}

static void lead_with_variables(BasicBlock& entry) {
  for (Instruction& i : make_early_inc_range(entry))
    if (auto* variable = dyn_cast<AllocaInst>(&i); variable && variable->isStaticAlloca())
      variable->moveBefore(entry, entry.begin());
}

void prepare_lanes(Function& function, const GroupShape& group) {
  copy_changed_arguments(function);
  expand_lane_numbers(function, group);
  if (has_vectors(function)) PassRunner(nullptr).run(function, "scalarizer<load-store>,sroa<modify-cfg>");
  lead_with_variables(function.getEntryBlock());
}

}  // namespace lanza::compiler
