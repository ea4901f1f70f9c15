#include "compiler/passes/vector/lanes/part_shuffles.hpp"

#include <algorithm>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kLayers = 2;  // one instruction may do the work of two

static bool takes_two(const Value* value) {
  auto* shuffle = dyn_cast<ShuffleVectorInst>(value);
  return shuffle && !isa<Constant>(shuffle->getOperand(0)) && !isa<Constant>(shuffle->getOperand(1));
}

// The fence takes floats only.
static Type* as_floats(VectorType* type) {
  Type* element = type->getElementType();
  if (element->isFloatTy() || element->isDoubleTy()) return type;
  if (element->isIntegerTy(32)) return type->getWithNewType(Type::getFloatTy(type->getContext()));
  return element->isIntegerTy(64) ? type->getWithNewType(Type::getDoubleTy(type->getContext())) : nullptr;
}

static bool fence(ShuffleVectorInst& shuffle) {
  Type* floats = as_floats(shuffle.getType());
  if (!floats || none_of(shuffle.users(), takes_two)) return false;
  IRBuilder<> b(shuffle.getNextNode());
  Value* same = b.CreateBitCast(&shuffle, floats);
  auto* first = same == &shuffle ? nullptr : cast<Instruction>(same);
  Value* fenced = b.CreateUnaryIntrinsic(Intrinsic::arithmetic_fence, same);
  const User* of_own = first ? first : cast<User>(fenced);
  Value* result = b.CreateBitCast(fenced, shuffle.getType());
  shuffle.replaceUsesWithIf(result, [&](const Use& use) { return use.getUser() != of_own; });
  return true;
}

bool part_shuffles(Function& run) {
  bool changed = false;
  for (BasicBlock& block : run) {  // the combiner sees one at a time
    DenseMap<const Value*, unsigned> layers;
    for (Instruction& i : make_early_inc_range(block)) {
      if (!takes_two(&i)) continue;
      const unsigned layer = 1 + std::max(layers.lookup(i.getOperand(0)), layers.lookup(i.getOperand(1)));
      if (layer >= kLayers && fence(cast<ShuffleVectorInst>(i)))
        changed = true;
      else
        layers[&i] = layer;
    }
  }
  return changed;
}

}  // namespace lanza::compiler
