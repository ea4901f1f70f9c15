#include "compiler/passes/vector/widen/lone_updates.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/CodeExtractor.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/widen/serial_loops.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr char kUpdates[] = "lanza-updates";  // of a group's function: "lone", "in order" or "many"
static constexpr char kUpdate[] = "lanza-update";    // of those that outline_updates() makes

static bool updates_memory(const Instruction& i) {
  auto* call = dyn_cast<CallInst>(&i);
  return isa<AtomicRMWInst, AtomicCmpXchgInst>(i) ||
         (call && call->getCalledFunction() && call->getCalledFunction()->hasFnAttribute(kSerial));
}

static bool is_barrier(Instruction& i) {
  CallInst* point = as_block_sync(i);
  return point && sync_kind(*point) == LANZA_SYNC_BARRIER;
}

// Up to the next barrier, also in another turn of a loop.
static bool is_followed_by_another(Instruction& update) {
  SmallSetVector<BasicBlock*, 16> reached;
  auto passes = [&](BasicBlock::iterator from, BasicBlock& block, bool& found) {
    for (Instruction& i : make_range(from, block.end())) {
      if (is_barrier(i)) return false;
      found = updates_memory(i);
      if (found) return false;
    }
    return true;
  };
  bool found = false;
  BasicBlock* first = update.getParent();
  if (passes(std::next(update.getIterator()), *first, found)) reached.insert(succ_begin(first), succ_end(first));
  for (size_t k = 0; !found && k < reached.size(); ++k) {
    BasicBlock* block = reached[k];
    if (passes(block->begin(), *block, found)) reached.insert(succ_begin(block), succ_end(block));
  }
  return found;
}

static bool is_lone(Instruction& i) {
  auto* update = dyn_cast<AtomicRMWInst>(&i);
  return update && update->use_empty() && !update->isVolatile() && !is_followed_by_another(i);
}

static bool shows_order(const AtomicRMWInst& update) {
  switch (update.getOperation()) {
    case AtomicRMWInst::Add:
    case AtomicRMWInst::Sub:
    case AtomicRMWInst::And:
    case AtomicRMWInst::Or:
    case AtomicRMWInst::Xor:
    case AtomicRMWInst::Max:
    case AtomicRMWInst::Min:
    case AtomicRMWInst::UMax:
    case AtomicRMWInst::UMin:
      return false;
    default:
      return true;
  }
}

Updates updates_of(Function& kernel) {
  constexpr unsigned kMost = 4;  // pieces of code that each group repeats
  unsigned lone = 0;
  Updates updates = Updates::None;
  for (Instruction& i : instructions(kernel)) {
    if (!updates_memory(i)) continue;
    if (!is_lone(i) || ++lone > kMost) return Updates::Many;
    if (updates == Updates::None || shows_order(cast<AtomicRMWInst>(i)))
      updates = shows_order(cast<AtomicRMWInst>(i)) ? Updates::LoneInOrder : Updates::Lone;
  }
  return updates;
}

void note_updates(Function& group, Updates updates) {
  if (updates == Updates::None) return;
  group.addFnAttr(kUpdates, updates == Updates::Lone ? "lone" : updates == Updates::LoneInOrder ? "in order" : "many");
}

Updates noted_updates(const Function& group) {
  const Attribute noted = group.getFnAttribute(kUpdates);
  if (!noted.isValid()) return Updates::None;
  return noted.getValueAsString() == "lone"       ? Updates::Lone
         : noted.getValueAsString() == "in order" ? Updates::LoneInOrder
                                                  : Updates::Many;
}

static SmallSetVector<BasicBlock*, 8> blocks_of(const UpdateCode& code) {
  SmallSetVector<BasicBlock*, 8> blocks;
  blocks.insert(code.first);
  for (size_t k = 0; k < blocks.size(); ++k)
    for (BasicBlock* next : successors(blocks[k]))
      if (next != code.second) blocks.insert(next);
  return blocks;
}

// Nothing comes out of it.
static Function* outline(const SmallSetVector<BasicBlock*, 8>& blocks) {
  CodeExtractor extractor(blocks.getArrayRef());
  if (!extractor.isEligible()) return nullptr;
  SetVector<Value*> inputs, outputs;
  extractor.findInputsOutputs(inputs, outputs, {});
  if (!outputs.empty()) return nullptr;
  const CodeExtractorAnalysisCache cache(*blocks[0]->getParent());
  return extractor.extractCodeRegion(cache);
}

void outline_updates(Function& group, ArrayRef<UpdateCode> updates) {
  for (const UpdateCode& code : updates) {
    Function* update = outline(blocks_of(code));
    if (!update) return note_updates(group, Updates::Many);
    update->addFnAttr(kUpdate);
  }
}

bool is_update(const Instruction& i) {
  auto* call = dyn_cast<CallInst>(&i);
  return call && call->getCalledFunction() && call->getCalledFunction()->hasFnAttribute(kUpdate);
}

void inline_updates(Function& group) {
  SmallVector<CallInst*, 16> calls;
  for (Instruction& i : instructions(group))
    if (is_update(i)) calls.push_back(cast<CallInst>(&i));
  for (CallInst* call : calls) {
    InlineFunctionInfo info;
    InlineFunction(*call, info);
  }
  // Also those of code that is gone, or of blocks that have code of their own.
  for (Function& f : make_early_inc_range(*group.getParent()))
    if (f.hasFnAttribute(kUpdate) && f.use_empty()) f.eraseFromParent();
}

}  // namespace lanza::compiler
