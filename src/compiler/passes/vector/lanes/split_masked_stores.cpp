#include "compiler/passes/vector/lanes/split_masked_stores.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace lanza::compiler {

// Whether the lane is stored; nothing where that is not constant.
static std::optional<bool> is_stored(const Constant& mask, unsigned lane) {
  auto* bit = dyn_cast_or_null<ConstantInt>(mask.getAggregateElement(lane));
  return bit ? std::optional(bit->isOne()) : std::nullopt;
}

static bool split(IntrinsicInst& store) {
  constexpr unsigned kLongest = 4;
  auto* mask = dyn_cast<Constant>(store.getArgOperand(3));
  auto* type = cast<FixedVectorType>(store.getArgOperand(0)->getType());
  const unsigned lanes = type->getNumElements();
  if (!mask || !all_of(seq(0u, lanes), [&](unsigned lane) { return is_stored(*mask, lane).has_value(); })) return false;
  const uint64_t size = store.getDataLayout().getTypeAllocSize(type->getElementType());
  const Align align = cast<ConstantInt>(store.getArgOperand(2))->getAlignValue();
  IRBuilder<> b(&store);
  for (unsigned lane = 0; lane < lanes;) {
    unsigned length = 0;
    while (lane + length < lanes && length < kLongest && *is_stored(*mask, lane + length)) ++length;
    if (length == 0) {
      ++lane;
      continue;
    }
    length = bit_floor(length);
    Value* part = length == 1 ? b.CreateExtractElement(store.getArgOperand(0), lane)
                              : b.CreateShuffleVector(store.getArgOperand(0), createSequentialMask(lane, length, 0));
    Value* address = b.CreateConstGEP1_64(b.getInt8Ty(), store.getArgOperand(1), lane * size);
    b.CreateAlignedStore(part, address, commonAlignment(align, lane * size));
    lane += length;
  }
  store.eraseFromParent();
  return true;
}

bool split_masked_stores(Function& run, const TargetTransformInfo& host) {
  if (host.getNumberOfRegisters(host.getRegisterClassForType(/*Vector=*/true)) >= 32) return false;
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(run)))
    if (auto* store = dyn_cast<IntrinsicInst>(&i); store && store->getIntrinsicID() == Intrinsic::masked_store)
      changed |= split(*store);
  return changed;
}

}  // namespace lanza::compiler
