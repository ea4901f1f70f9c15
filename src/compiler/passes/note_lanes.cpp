#include "compiler/passes/note_lanes.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "compiler/passes/abi_types.hpp"
#include "compiler/passes/vector/run/note_restrict.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

/// What counts the lanes of a loop: 0 at its first, or where the vector loop before it stopped.
struct Counter {
  PHINode* value = nullptr;
  uint64_t step = 0;
};

bool starts_at_zero(const Value* start) {
  if (match(start, m_Zero())) return true;
  if (const Value* narrow = nullptr; match(start, m_ZExt(m_Value(narrow)))) return starts_at_zero(narrow);
  auto* phi = dyn_cast<PHINode>(start);
  return phi && any_of(phi->incoming_values(), [](const Value* v) { return match(v, m_Zero()); });
}

/// The turn's counter, or that of the last turn of a loop inside (make_inside_loops).
bool is_counter_of_turn(const Value* value, const PHINode& counter) {
  auto* last = dyn_cast<PHINode>(value);
  return value == &counter || (last && is_contained(last->incoming_values(), &counter));
}

Counter find_counter(const Loop& loop) {
  for (PHINode& phi : loop.getHeader()->phis()) {
    ConstantInt* step = nullptr;
    if (!phi.getType()->isIntegerTy() || phi.getNumIncomingValues() != 2) continue;
    if (!starts_at_zero(phi.getIncomingValueForBlock(loop.getLoopPreheader()))) continue;
    Value* before = nullptr;
    if (!match(phi.getIncomingValueForBlock(loop.getLoopLatch()), m_Add(m_Value(before), m_ConstantInt(step))) ||
        !is_counter_of_turn(before, phi))
      continue;
    if (step->getValue().isStrictlyPositive() && step->getValue().isIntN(32)) return {&phi, step->getZExtValue()};
  }
  return {};
}

/// Of what can fault there: not the block's own variables.
bool touches_memory(const Loop& loop) {
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& i : *block) {
      const Value* address = getLoadStorePointerOperand(&i);
      if (address ? !isa<AllocaInst>(getUnderlyingObject(address)) : i.mayReadOrWriteMemory()) return true;
    }
  return false;
}

void note(Function& run, const Loop& loop) {
  if (!loop.getLoopPreheader() || !loop.getLoopLatch()) return;
  const Counter counter = find_counter(loop);
  if (!counter.value || !touches_memory(loop)) return;
  const AbiTypes types(run.getContext());
  IRBuilder<> b(loop.getLoopPreheader()->getTerminator());
  auto keep = [&](Value* value, unsigned field) {
    Value* place = b.CreateStructGEP(types.block, run.getArg(2), field);
    StoreInst* store = b.CreateStore(value, place, /*isVolatile=*/true);
    store->setMetadata(LLVMContext::MD_noalias, run.getMetadata(kArgumentScopes));
  };
  keep(b.getInt32(static_cast<uint32_t>(counter.step)), block_field::lane_count);
  b.SetInsertPoint(&*loop.getHeader()->getFirstInsertionPt());
  keep(b.CreateZExt(counter.value, b.getInt64Ty()), block_field::lane);
}

/// What fields of the LanzaBlock hold by now, as far as these are constants.
struct Note {
  int64_t at, end;
  const ConstantInt* value;
};
using Notes = SmallVector<Note, 8>;

/// True when the store says what is there already.
bool take_note(const StoreInst& store, const Value* block, Notes& notes) {
  const DataLayout& layout = store.getDataLayout();
  APInt offset(64, 0);
  if (store.getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, false) != block) return false;
  const int64_t at = offset.getSExtValue();
  const auto bytes = layout.getTypeStoreSize(store.getValueOperand()->getType()).getFixedValue();
  const Note now{at, at + static_cast<int64_t>(bytes), dyn_cast<ConstantInt>(store.getValueOperand())};
  if (now.value && any_of(notes, [&](const Note& n) { return n.at == at && n.value == now.value; })) return true;
  erase_if(notes, [&](const Note& n) { return n.at < now.end && now.at < n.end; });
  if (now.value) notes.push_back(now);
  return false;
}

}  // namespace

static bool is_marked(const Loop& loop, const char* kind) {
  MDNode* id = loop.getLoopID();
  return id && findOptionMDForLoopID(id, kind);
}

bool is_lane_loop(const Loop& loop) { return is_marked(loop, kLaneLoop) || has_lanes_beyond(loop); }
bool has_lanes_beyond(const Loop& loop) { return is_marked(loop, kOverhangingLoop); }
bool is_row_loop(const Loop& loop) { return is_marked(loop, kRowLoop); }

void keep_innermost_marks(const LoopInfo& loops) {
  for (Loop* loop : loops.getLoopsInPreorder()) {
    const MDNode* id = loop->getLoopID();
    if (!id || !loop->getLoopLatch()) continue;
    const bool is_of_other = any_of(loop->getLoopsInPreorder(),
                                    [&](const Loop* inside) { return inside != loop && inside->getLoopID() == id; });
    if (is_of_other) loop->getLoopLatch()->getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);
  }
}

void drop_repeated_notes(Function& run) {
  DenseMap<BasicBlock*, Notes> at_end;
  for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&run)) {
    BasicBlock* before = block->getSinglePredecessor();
    Notes notes = before ? at_end.lookup(before) : Notes();
    for (Instruction& i : make_early_inc_range(*block)) {
      auto* store = dyn_cast<StoreInst>(&i);
      if (isa<CallInst>(i) && !isa<IntrinsicInst>(i)) notes.clear();
      if (store && store->isVolatile() && take_note(*store, run.getArg(2), notes)) store->eraseFromParent();
    }
    at_end[block] = std::move(notes);
  }
}

void note_lanes(Function& run) {
  DominatorTree dominators(run);
  LoopInfo loops(dominators);
  for (Loop* loop : loops.getLoopsInPreorder()) {
    if (!is_marked(*loop, kLaneLoop)) continue;
    if (!loop->getLoopPreheader()) InsertPreheaderForLoop(loop, &dominators, &loops, nullptr, false);
    note(run, *loop);
  }
  drop_repeated_notes(run);
}

}  // namespace lanza::compiler
