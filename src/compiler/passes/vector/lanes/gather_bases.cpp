#include "compiler/passes/vector/lanes/gather_bases.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/vector/lanes/lane_addresses.hpp"

using namespace llvm;

namespace lanza::compiler {

static Use& addresses_of(IntrinsicInst& access) {
  return access.getArgOperandUse(access.getIntrinsicID() == Intrinsic::masked_gather ? 0 : 1);
}

static bool set_base(IntrinsicInst& access) {
  Use& all = addresses_of(access);
  Value* before = all.get();
  const auto* address = dyn_cast<GetElementPtrInst>(before);
  if (!address) return false;
  if (!address->getPointerOperandType()->isVectorTy() && address->getParent() == access.getParent()) return false;
  IRBuilder<> b(&access);
  LaneAddresses lanes(b, before, nullptr);
  const ArrayRef<int64_t> steps = lanes.steps();
  if (!all_of(steps, [](int64_t step) { return isInt<31>(step); }) || steps.empty()) return false;
  SmallVector<Constant*, 32> indices;
  for (const int64_t step : steps) indices.push_back(b.getInt32(static_cast<uint32_t>(step - steps[0])));
  all.set(b.CreateGEP(b.getInt8Ty(), lanes[0], ConstantVector::get(indices)));
  RecursivelyDeleteTriviallyDeadInstructions(before);
  return true;
}

// The hardware's indices of 32 bits have a sign, and LLVM does not see that none is negative; nor what is extended in
// another basic block.
static bool extend_with_sign(IntrinsicInst& access) {
  auto* address = dyn_cast<GetElementPtrInst>(addresses_of(access).get());
  if (!address || address->getPointerOperandType()->isVectorTy() || address->getParent() != access.getParent())
    return false;
  Use& index = *std::prev(address->idx_end());
  auto* wide = dyn_cast<CastInst>(index.get());
  if (!wide || !isa<ZExtInst, SExtInst>(wide) || wide->getSrcTy()->getScalarSizeInBits() != 32) return false;
  Value* narrow = wide->getOperand(0);
  if (isa<SExtInst>(wide) ? wide->getParent() == access.getParent()
                          : !wide->hasNonNeg() && !isKnownNonNegative(narrow, access.getDataLayout()))
    return false;
  index.set(IRBuilder<>(address).CreateSExt(narrow, wide->getType()));
  RecursivelyDeleteTriviallyDeadInstructions(wide);
  return true;
}

bool set_gather_bases(Function& run) {
  SmallVector<IntrinsicInst*, 8> found;
  for (Instruction& i : instructions(run))
    if (auto* call = dyn_cast<IntrinsicInst>(&i))
      if (call->getIntrinsicID() == Intrinsic::masked_gather || call->getIntrinsicID() == Intrinsic::masked_scatter)
        found.push_back(call);
  bool changed = false;
  for (IntrinsicInst* access : found) changed |= set_base(*access) || extend_with_sign(*access);
  return changed;
}

}  // namespace lanza::compiler
