#include "compiler/passes/vector/run/sink_sums.hpp"

#include <optional>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/passes/vector/scalars/keep_in_register.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

/// A loop of one block, and what it does with memory.
struct Sum {
  BasicBlock *before, *body, *behind;
  Value* place = nullptr;
  Type* type = nullptr;
  bool is_loaded = false;
  SmallVector<Instruction*, 8> others;
};

std::optional<Sum> find_sum(const Loop& loop) {
  BasicBlock *body = loop.getHeader(), *behind = loop.getExitBlock();
  if (loop.getNumBlocks() != 1 || !loop.getLoopPreheader() || !behind || behind->getSinglePredecessor() != body)
    return {};
  Sum sum{loop.getLoopPreheader(), body, behind};
  for (Instruction& i : *body) {
    auto* store = dyn_cast<StoreInst>(&i);
    if (!store) continue;
    Value* place = store->getPointerOperand();
    Type* type = store->getValueOperand()->getType();
    if (!store->isSimple() || !type->isVectorTy() || !loop.isLoopInvariant(place)) return {};
    if (sum.place && (sum.place != place || sum.type != type)) return {};
    sum.place = place;
    sum.type = type;
  }
  if (!sum.place) return {};
  for (Instruction& i : *body) {
    if (isa<StoreInst>(i) || !i.mayReadOrWriteMemory()) continue;
    if (i.mayWriteToMemory() || i.isVolatile() || i.isAtomic()) return {};
    auto* load = dyn_cast<LoadInst>(&i);
    if (!load || load->getPointerOperand() != sum.place)
      sum.others.push_back(&i);
    else if (load->getType() == sum.type)
      sum.is_loaded = true;
    else
      return {};
  }
  return sum;
}

// Not of one lane's.
bool is_of_group(const Value* value, SmallPtrSetImpl<const Value*>& known) {
  if (!known.insert(value).second) return true;
  auto* i = dyn_cast<Instruction>(value);
  if (!i) return !value->getType()->isVectorTy();
  return !isa<ExtractElementInst>(i) && !i->getType()->isVectorTy() &&
         all_of(i->operand_values(), [&](const Value* operand) { return is_of_group(operand, known); });
}

bool is_read_by_others(const Instruction& access, const Sum& sum, ArrayRef<const GroupWays*> along) {
  if (auto* load = dyn_cast<LoadInst>(&access); load && !load->getType()->isVectorTy()) {
    SmallPtrSet<const Value*, 16> known;
    return is_of_group(load->getPointerOperand(), known);
  }
  return any_of(along, [&](const GroupWays* ways) {
    return !ways->is_on_detour(sum.body) && !ways->differs(access) && ways->differs(*sum.place);
  });
}

}  // namespace

bool sink_sums(Function& kernel, ArrayRef<const GroupWays*> along, bool has_room) {
  const DominatorTree dominators(kernel);
  const LoopInfo loops(dominators);
  bool changed = false;
  for (const Loop* loop : loops.getLoopsInPreorder()) {
    const std::optional<Sum> sum = find_sum(*loop);
    if (!sum || (sum->is_loaded && !has_room)) continue;
    if (!all_of(sum->others, [&](Instruction* access) { return is_read_by_others(*access, *sum, along); })) continue;
    keep_in_register(sum->place, sum->type, *sum->before, *sum->body, *sum->behind);
    changed = true;
  }
  return changed;
}

}  // namespace lanza::compiler
