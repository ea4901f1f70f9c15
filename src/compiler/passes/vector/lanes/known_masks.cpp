#include "compiler/passes/vector/lanes/known_masks.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/vector/analysis/processors.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

/// Lanes of `mask` where `kept` is set, and besides those of `added`.
struct KnownMask {
  Value* mask;
  SmallVector<Constant*, 32> kept, added;
};

bool is_mask(const Value* v) {
  auto* type = dyn_cast<FixedVectorType>(v->getType());
  return type && type->getElementType()->isIntegerTy(1);
}

// Of each lane, that lane of the one or of the other.
bool find(ShuffleVectorInst& shuffle, KnownMask& known) {
  if (!is_mask(&shuffle) || shuffle.changesLength()) return false;
  const unsigned from = isa<Constant>(shuffle.getOperand(1)) ? 0 : 1;
  auto* constant = dyn_cast<Constant>(shuffle.getOperand(1 - from));
  if (!constant || isa<Constant>(shuffle.getOperand(from))) return false;
  known.mask = shuffle.getOperand(from);
  const int lanes = static_cast<int>(shuffle.getShuffleMask().size());
  Constant *on = ConstantInt::getTrue(shuffle.getContext()), *off = ConstantInt::getFalse(shuffle.getContext());
  for (int lane = 0; lane < lanes; ++lane) {
    const int taken = shuffle.getMaskValue(lane);
    if (taken >= 0 && taken % lanes != lane) return false;
    const bool is_known = taken >= 0 && taken / lanes != static_cast<int>(from);
    Constant* bit = is_known ? constant->getAggregateElement(static_cast<unsigned>(lane)) : off;
    known.kept.push_back(is_known ? off : on);
    known.added.push_back(bit && bit->isOneValue() ? on : off);
  }
  return true;
}

}  // namespace

bool combine_known_masks(Function& run, const TargetMachine& host) {
  if (!has_features(host, "+avx512bw,+avx512vl")) return false;
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(run))) {
    auto* shuffle = dyn_cast<ShuffleVectorInst>(&i);
    KnownMask known{};
    if (!shuffle || !find(*shuffle, known)) continue;
    IRBuilder<> b(shuffle);
    // Nobody knows what lanes are that the shuffle left out.
    Value* mask = b.CreateAnd(b.CreateFreeze(known.mask), ConstantVector::get(known.kept));
    Constant* added = ConstantVector::get(known.added);
    shuffle->replaceAllUsesWith(added->isNullValue() ? mask : b.CreateOr(mask, added));
    shuffle->eraseFromParent();
    changed = true;
  }
  return changed;
}

}  // namespace lanza::compiler
