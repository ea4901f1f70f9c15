#include "compiler/passes/vector/widen/record_price.hpp"

#include <llvm/ADT/BitVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/vector/widen/record_shuffles.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kTurns = 8, kDeepest = 4;  // a loop is taken to make that many

RecordPrice::RecordPrice(Function& kernel, const LoopInfo& loops, const TargetTransformInfo& host)
    : kernel_(kernel),
      loops_(loops),
      register_bits_(host.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue()),
      // Without shuffles of any two registers (AVX-512) it takes two.
      shuffle_(host.getNumberOfRegisters(host.getRegisterClassForType(/*Vector=*/true)) >= 32 ? 1 : 2) {}

// What is computed for memory, for control, and for the threads.
RecordPrice::LiveSet RecordPrice::find_live() const {
  SmallVector<Instruction*, 64> work;
  LiveSet live;
  live.reserve(kernel_.getInstructionCount());
  for (Instruction& i : instructions(kernel_))
    if (i.isTerminator() || i.mayHaveSideEffects()) work.push_back(&i);
  while (!work.empty()) {
    Instruction* i = work.pop_back_val();
    if (!live.insert(i).second) continue;
    for (Value* operand : i->operands())
      if (auto* value = dyn_cast<Instruction>(operand); value && !live.contains(value)) work.push_back(value);
  }
  return live;
}

uint64_t RecordPrice::now() const {
  const LiveSet live = find_live();
  uint64_t sum = 0;
  for (Instruction* i : live) {
    uint64_t cost = cost_of(*i, live);
    for (unsigned depth = std::min(loops_.getLoopDepth(i->getParent()), kDeepest); cost && depth; --depth)
      cost *= kTurns;
    sum += cost;
  }
  return sum;
}

uint64_t RecordPrice::cost_of(const Instruction& i, const LiveSet& live) const {
  if (is_take_apart(i) || is_put_together(i)) {
    BitVector wanted(i.getType()->getStructNumElements());
    for (const User* user : i.users())
      if (live.contains(cast<Instruction>(user))) wanted.set(cast<ExtractValueInst>(user)->getIndices()[0]);
    return uint64_t{shuffle_} * count_shuffles(cast<CallInst>(i), wanted) * registers(i.getOperand(0)->getType());
  }
  if (isa<PHINode, ExtractValueInst, InsertElementInst>(i)) return 0;
  if (auto* shuffle = dyn_cast<ShuffleVectorInst>(&i); shuffle && shuffle->isZeroEltSplat()) return 0;
  return i.getType()->isVectorTy() ? registers(i.getType()) : 0;
}

uint64_t RecordPrice::registers(Type* type) const {
  return divideCeil(kernel_.getParent()->getDataLayout().getTypeSizeInBits(type).getFixedValue(), register_bits_);
}

void RecordPrice::erase_dead() const {
  const LiveSet live = find_live();
  SmallVector<Instruction*, 64> dead;
  for (Instruction& i : instructions(kernel_))
    if (!live.contains(&i)) dead.push_back(&i);
  for (Instruction* i : dead) i->dropAllReferences();
  for (Instruction* i : dead) i->eraseFromParent();
}

}  // namespace lanza::compiler
