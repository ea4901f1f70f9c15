#include "compiler/passes/blocking_loops.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/lone_ends.hpp"
#include "compiler/passes/sync_calls.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static constexpr unsigned kShared = 3;  // the address space

static bool watches_others(const Instruction& i);

// Of functions that were not inlined.
static bool callee_watches(const CallInst& call) {
  SmallSetVector<const Function*, 8> callees;
  callees.insert(call.getCalledFunction());
  for (size_t i = 0; i < callees.size(); ++i) {
    if (!callees[i]) continue;  // inline assembly
    for (const Instruction& inside : instructions(*callees[i])) {
      if (auto* nested = dyn_cast<CallInst>(&inside))
        callees.insert(nested->getCalledFunction());
      else if (watches_others(inside))
        return true;
    }
  }
  return false;
}

static bool watches_others(const Instruction& i) {
  if (auto* load = dyn_cast<LoadInst>(&i)) return load->isVolatile() || load->isAtomic();
  if (isa<AtomicCmpXchgInst>(i)) return true;
  if (auto* copy = dyn_cast<AnyMemIntrinsic>(&i)) return copy->isVolatile();
  if (auto* call = dyn_cast<CallInst>(&i)) return callee_watches(*call);
  return isa<AtomicRMWInst>(i) && !i.use_empty();
}

namespace {

bool watches(const Instruction& i, const LoneEnds& lone) {
  if (lone.waits_for_nobody(i)) return false;
  auto* load = dyn_cast<LoadInst>(&i);
  return watches_others(i) || (load && lone.is_of_swap(*load));
}

/// The memory that the exits of one cycle depend on.
class ExitConditions {
 public:
  ExitConditions(const Cycle& cycle, const LoneEnds& lone) : cycle_(cycle), lone_(lone) {
    for (BasicBlock* block : cycle.blocks())
      if (block->getTerminator()->getNumSuccessors() > 1) branches_.push_back(block);
    for (BasicBlock* block : branches_)
      if (any_of(successors(block), [&](BasicBlock* to) { return !cycle.contains(to); })) reach(block);
    for (size_t i = 0; i < values_.size(); ++i) look_at(*values_[i]);
  }

  bool watched = false;  // volatile or atomic memory, directly or in a function that was not inlined
  bool plain = false;    // memory that others may write, read without ceremony
  bool beyond = false;   // of it, what is not the block's
  bool written = false;  // of it, what the kernel itself writes
  bool own = false;      // private memory: where its values come from is not followed

 private:
  // The branch of `block` decides, and so do those behind which the loop goes on without coming to it.
  void reach(BasicBlock* block) {
    if (!reached_.insert(block).second) return;
    add(block->getTerminator());
    const SmallPtrSet<BasicBlock*, 16> avoiding = blocks_avoiding(block);
    for (BasicBlock* branch : branches_)
      if (avoiding.contains(branch)) reach(branch);
  }

  // The blocks from which a path leads to the next turn or out of the loop that does not touch `target`.
  SmallPtrSet<BasicBlock*, 16> blocks_avoiding(BasicBlock* target) {
    SmallPtrSet<BasicBlock*, 16> found;
    SmallVector<BasicBlock*, 16> work;
    auto visit = [&](BasicBlock* block) {
      if (block != target && cycle_.contains(block) && found.insert(block).second) work.push_back(block);
    };
    for (BasicBlock* branch : branches_)
      if (any_of(successors(branch), [&](BasicBlock* to) { return !cycle_.contains(to); })) visit(branch);
    for (BasicBlock* entry : cycle_.getEntries()) for_each(predecessors(entry), visit);
    while (!work.empty()) {
      BasicBlock* block = work.pop_back_val();
      if (!is_contained(cycle_.getEntries(), block)) for_each(predecessors(block), visit);
    }
    return found;
  }

  void add(Value* v) {
    auto* i = dyn_cast<Instruction>(v);
    if (i && cycle_.contains(i->getParent())) values_.insert(i);
  }

  void look_at(Instruction& i) {
    if (watches(i, lone_)) watched = true;
    auto* load = dyn_cast<LoadInst>(&i);
    if (load && load->isSimple() && !lone_.waits_for_nobody(i)) look_at_memory(*load);
    if (auto* phi = dyn_cast<PHINode>(&i))
      for (BasicBlock* from : phi->blocks())
        if (cycle_.contains(from)) reach(from);
    for (Value* operand : i.operands()) add(operand);
  }

  void look_at_memory(const LoadInst& load) {
    const Value* object = getUnderlyingObject(load.getPointerOperand());
    if (isa<AllocaInst>(object))
      own = true;
    else if (!load.hasMetadata(LLVMContext::MD_invariant_load)) {
      plain = true;
      beyond |= !isa<GlobalVariable>(object) || load.getPointerAddressSpace() != kShared;
      if (!lone_.is_written(load)) return;
      written = true;
      watched |= lone_.has_takes();
    }
  }

  const Cycle& cycle_;
  const LoneEnds& lone_;
  SmallVector<BasicBlock*, 8> branches_;
  SmallPtrSet<BasicBlock*, 8> reached_;
  SmallSetVector<Instruction*, 16> values_;
};

// Of all threads of the block that live.
bool is_meeting(Instruction& i) {
  CallInst* point = as_sync(i);
  if (!point || (sync_kind(*point) != LANZA_SYNC_BARRIER && sync_kind(*point) != LANZA_SYNC_BARRIER_COUNT))
    return false;
  return match(point->getArgOperand(kSyncAux), m_Zero());
}

// No turn gets by without one: in `do { ... __syncthreads(); ... } while (changed);` the block's threads wait for each
// other there, and nowhere else.
bool meets_each_turn(const Cycle& cycle) {
  SmallPtrSet<const BasicBlock*, 16> seen;
  SmallVector<BasicBlock*, 16> open;
  auto go_on_from = [&](BasicBlock* block) {
    if (any_of(*block, is_meeting)) return true;
    for (BasicBlock* next : successors(block)) {
      if (is_contained(cycle.getEntries(), next)) return false;
      if (cycle.contains(next) && seen.insert(next).second) open.push_back(next);
    }
    return true;
  };
  for (BasicBlock* entry : cycle.getEntries())
    if (!go_on_from(entry)) return false;
  while (!open.empty())
    if (!go_on_from(open.pop_back_val())) return false;
  return true;
}

// `for (j = a; j < n; ++j)`, with no other way out: one by one, whether it wraps or not, a counter comes to any limit.
// ScalarEvolution would hold the limit against all guards in front of the loop: of 480 loops in a row for a second.
bool counts_one_by_one(const Loop& loop) {
  const BasicBlock *exiting = loop.getExitingBlock(), *latch = loop.getLoopLatch();
  const bool asks_each_turn = exiting && latch && (exiting == latch || exiting == loop.getHeader());
  auto* branch = asks_each_turn ? dyn_cast<BranchInst>(exiting->getTerminator()) : nullptr;
  auto* test = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  if (!test || !loop.isLoopInvariant(test->getOperand(1))) return false;
  const auto while_true = loop.contains(branch->getSuccessor(0)) ? test->getPredicate() : test->getInversePredicate();
  if (!ICmpInst::isLT(while_true) && while_true != ICmpInst::ICMP_NE) return false;
  return any_of(loop.getHeader()->phis(), [&](const PHINode& counter) {
    const Value *next = counter.getIncomingValueForBlock(latch), *asked = test->getOperand(0);
    return match(next, m_Add(m_Specific(&counter), m_One())) && (asked == &counter || asked == next);
  });
}

}  // namespace

bool BlockingLoops::is_counted(const Cycle& cycle) const {
  Loop* loop = cycle.isReducible() ? loops_.getLoopFor(cycle.getHeader()) : nullptr;
  if (loop && counts_one_by_one(*loop)) return true;
  return loop && !isa<SCEVCouldNotCompute>(evolution_.getBackedgeTakenCount(loop));
}

// By one of its exits, whatever the others ask.
bool BlockingLoops::is_bounded(const Cycle& cycle) const {
  Loop* loop = cycle.isReducible() ? loops_.getLoopFor(cycle.getHeader()) : nullptr;
  return loop && !isa<SCEVCouldNotCompute>(evolution_.getSymbolicMaxBackedgeTakenCount(loop));
}

Waiting BlockingLoops::classify(const Cycle& cycle) const {
  bool looks = false, fences = false, joins = false;
  for (BasicBlock* block : cycle.blocks())
    for (Instruction& i : *block) {
      looks |= watches_others(i);
      fences |= isa<FenceInst>(i);
      joins |= as_sync(i) != nullptr;
    }
  if ((!looks && !fences && !joins) || is_counted(cycle)) return Waiting::None;
  const LoneEnds lone(cycle);
  const ExitConditions exits(cycle, lone);
  const bool memory = exits.written || exits.own;
  looks = any_of(cycle.blocks(),
                 [&](BasicBlock* block) { return any_of(*block, [&](Instruction& i) { return watches(i, lone); }); });
  // A watched value may pass through memory on its way to the exit.
  if (exits.watched || (memory && looks) || (exits.plain && fences)) return Waiting::Spins;
  const bool meets = !exits.beyond && !exits.own && meets_each_turn(cycle);
  return exits.plain && joins && !meets && !is_bounded(cycle) ? Waiting::Joins : Waiting::None;
}

}  // namespace lanza::compiler
