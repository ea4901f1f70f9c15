#include "compiler/passes/vector/run/shared_masks.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

using namespace llvm;

namespace lanza::compiler {

static const CallInst* as_any_lanes(const Instruction& i) {
  auto* call = dyn_cast<CallInst>(&i);
  const Function* asked = call ? call->getCalledFunction() : nullptr;
  return asked && asked->getName().starts_with(kAnyLanes) ? call : nullptr;
}

bool asks_lanes_along(const Instruction& i, unsigned axis) {
  const CallInst* asks = as_any_lanes(i);
  return asks && cast<ConstantInt>(asks->getArgOperand(1))->getZExtValue() >> axis & 1;
}

static bool loads_by_mask(const Instruction& i) {
  auto* access = dyn_cast<IntrinsicInst>(&i);
  return access &&
         (access->getIntrinsicID() == Intrinsic::masked_load || access->getIntrinsicID() == Intrinsic::masked_gather);
}

// The axes, a bit each, along which the groups' masks differ and nothing else does.
static unsigned shared_axes(const Instruction& load, ArrayRef<GroupWays> ways) {
  constexpr unsigned kAddress = 0, kMask = 2, kOtherwise = 3;
  unsigned axes = 0;
  for (const GroupWays& along : ways) {
    const bool is_apart = along.is_on_detour(load.getParent()) || any_of(along.masked_parts(), [&](const auto& part) {
                            return part.inside == load.getParent();
                          });
    if (is_apart || along.differs(*load.getOperand(kAddress)) || along.differs(*load.getOperand(kOtherwise))) continue;
    if (along.differs(*load.getOperand(kMask))) axes |= 1U << along.axis();
  }
  return axes;
}

static Value* ask_any_lanes(IRBuilderBase& b, Value* mask, unsigned axes) {
  const unsigned lanes = cast<FixedVectorType>(mask->getType())->getNumElements();
  auto* type = FunctionType::get(mask->getType(), {mask->getType(), b.getInt32Ty()}, false);
  Module& module = *b.GetInsertBlock()->getModule();
  auto* asked = cast<Function>(module.getOrInsertFunction((kAnyLanes + Twine(lanes)).str(), type).getCallee());
  asked->setMemoryEffects(MemoryEffects::none());
  asked->setDoesNotThrow();
  asked->setWillReturn();
  return b.CreateCall(asked, {mask, b.getInt32(axes)});
}

void share_masks(ArrayRef<BasicBlock*> blocks, ArrayRef<GroupWays> ways) {
  for (BasicBlock* block : blocks) {
    DenseMap<std::pair<Value*, unsigned>, Value*> known;  // in the block
    for (Instruction& i : *block) {
      const unsigned axes = loads_by_mask(i) ? shared_axes(i, ways) : 0;
      if (axes == 0) continue;
      Value* mask = i.getOperand(2);
      Value*& shared = known[{mask, axes}];
      if (!shared) {
        IRBuilder<> b(&i);
        shared = ask_any_lanes(b, mask, axes);
      }
      i.setOperand(2, shared);
    }
  }
}

void answer_any_lanes(Function& kernel) {
  for (Instruction& i : make_early_inc_range(instructions(kernel))) {
    if (!as_any_lanes(i)) continue;
    Function* asked = cast<CallInst>(i).getCalledFunction();
    i.replaceAllUsesWith(i.getOperand(0));
    i.eraseFromParent();
    if (asked->use_empty()) asked->eraseFromParent();
  }
}

}  // namespace lanza::compiler
