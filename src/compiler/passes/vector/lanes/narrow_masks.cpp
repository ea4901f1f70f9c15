#include "compiler/passes/vector/lanes/narrow_masks.hpp"

#include <numeric>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>

using namespace llvm;

namespace lanza::compiler {

// How many lanes; 0: not the first so many, or not a number that a register has.
static unsigned first_lanes(const Value* mask) {
  auto* constant = dyn_cast<Constant>(mask);
  if (!constant) return 0;
  const unsigned lanes = cast<FixedVectorType>(mask->getType())->getNumElements();
  unsigned count = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    auto* bit = dyn_cast_or_null<ConstantInt>(constant->getAggregateElement(lane));
    if (!bit || (bit->isOne() && count != lane)) return 0;
    count += bit->isOne();
  }
  return isPowerOf2_32(count) ? count : 0;
}

static Type* of_lanes(Type* vector, unsigned count) {
  Type* element = cast<FixedVectorType>(vector)->getElementType();
  return count == 1 ? element : FixedVectorType::get(element, count);
}

// Lanes of `first`, then those of `rest` from there on.
static Value* joined(IRBuilder<>& b, Value* first, Value* rest, unsigned count) {
  if (count == 1) return b.CreateInsertElement(rest, first, uint64_t{0});
  const unsigned lanes = cast<FixedVectorType>(rest->getType())->getNumElements();
  SmallVector<int, 32> all(lanes, PoisonMaskElem);
  std::iota(all.begin(), all.begin() + count, 0);
  Value* widened = b.CreateShuffleVector(first, all);
  if (isa<UndefValue>(rest)) return widened;
  std::iota(all.begin() + count, all.end(), static_cast<int>(lanes + count));
  return b.CreateShuffleVector(widened, rest, all);
}

static Value* first_of(IRBuilder<>& b, Value* vector, unsigned count) {
  if (count == 1) return b.CreateExtractElement(vector, uint64_t{0});
  SmallVector<int, 32> lanes(count);
  std::iota(lanes.begin(), lanes.end(), 0);
  return b.CreateShuffleVector(vector, lanes);
}

static void narrow_load(IntrinsicInst& load, unsigned count) {
  IRBuilder<> b(&load);
  const MaybeAlign align = cast<ConstantInt>(load.getArgOperand(1))->getMaybeAlignValue();
  Value* first = b.CreateAlignedLoad(of_lanes(load.getType(), count), load.getArgOperand(0), align);
  load.replaceAllUsesWith(joined(b, first, load.getArgOperand(3), count));
  load.eraseFromParent();
}

static void narrow_store(IntrinsicInst& store, unsigned count) {
  IRBuilder<> b(&store);
  const MaybeAlign align = cast<ConstantInt>(store.getArgOperand(2))->getMaybeAlignValue();
  b.CreateAlignedStore(first_of(b, store.getArgOperand(0), count), store.getArgOperand(1), align);
  store.eraseFromParent();
}

bool narrow_masks(Function& function) {
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(function))) {
    auto* access = dyn_cast<IntrinsicInst>(&i);
    if (!access) continue;
    const bool loads = access->getIntrinsicID() == Intrinsic::masked_load;
    if (!loads && access->getIntrinsicID() != Intrinsic::masked_store) continue;
    const unsigned count = first_lanes(access->getArgOperand(loads ? 2 : 3));
    if (!count) continue;
    loads ? narrow_load(*access, count) : narrow_store(*access, count);
    changed = true;
  }
  return changed;
}

}  // namespace lanza::compiler
