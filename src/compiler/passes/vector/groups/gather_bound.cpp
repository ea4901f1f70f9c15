#include "compiler/passes/vector/groups/gather_bound.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/vector/analysis/processors.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/scalars/version_guards.hpp"
#include "compiler/passes/vector/widen/serial_loops.hpp"

using namespace llvm;

namespace lanza::compiler {

// Measured on sparse rows (3 gathers, 1 multiplication: 2.4 times as slow as one lane at a time). Rows of elements side
// by side, summed up or counted: twice as fast where gathers are fast, else up to 8 times as slow (Zen 4: 1.7).
static constexpr unsigned kWorthAGather = 4, kWorthAStepWithout = 5;
// One thread alone guesses the way of each branch, and is often wrong where memory says which (colours of a graph's
// nodes, two questions about each neighbour: 166 us, and 67 by 16 lanes).
static constexpr unsigned kWorkOfAGuess = 6;
// Where what is loaded may end the loop, the others wait for a few. The first free colour by bits, 16 instructions and
// 3 gathers, half of the vertices coloured: 1010 us by 16 lanes of Zen 4, and 480; a set without neighbours 1750 and
// 890.
static constexpr unsigned kWorthAGatherForFew = 8;

static bool computes(const Instruction& i) {
  return !isa<PHINode, GetElementPtrInst, CastInst, LoadInst, StoreInst>(i) && !i.isTerminator() &&
         !i.isDebugOrPseudoInst();
}

static const Value* place_of(const Instruction& access) {
  auto* atomic = dyn_cast<AtomicRMWInst>(&access);
  return atomic ? atomic->getPointerOperand() : getLoadStorePointerOperand(&access);
}

static bool adds_floats(const Instruction& i) { return isa<AtomicRMWInst>(i) && i.getType()->isFloatingPointTy(); }

// Whether lanes that lie in one row, or in few, have neighbouring addresses: made of quotients and remainders of an
// index that goes with the lanes (`i / width`, `i % width`), of which version_quotients() makes copies.
static bool goes_by_rows(const Value* v, const Shapes& shapes, unsigned depth = 0) {
  constexpr unsigned kDeepest = 10;
  if (!shapes[v].is_varying()) return true;
  auto* i = dyn_cast<Instruction>(v);
  if (!i || depth == kDeepest) return false;
  if (i->isIntDivRem() && shapes[i->getOperand(0)].is_strided()) return shapes.is_uniform(i->getOperand(1));
  const bool is_sum = isa<BinaryOperator, CastInst, SelectInst, GetElementPtrInst>(i);
  return is_sum && all_of(i->operands(), [&](const Value* from) { return goes_by_rows(from, shapes, depth + 1); });
}

// Element by element through a row of the lane's own (`values[k]` from `begin[i]` on): a line of the cache serves many
// turns of all lanes.
static bool walks(const Instruction& access, const Loop& loop) {
  auto* address = dyn_cast<GetElementPtrInst>(place_of(access));
  if (!address || address->getNumIndices() != 1 || !loop.isLoopInvariant(address->getPointerOperand())) return false;
  const Value* index = address->getOperand(1);
  for (;;) {
    auto* sum = dyn_cast<BinaryOperator>(index);
    if (isa<SExtInst, ZExtInst>(index))
      index = cast<CastInst>(index)->getOperand(0);
    else if (sum && sum->getOpcode() == Instruction::Add && loop.isLoopInvariant(sum->getOperand(1)))
      index = sum->getOperand(0);
    else if (sum && sum->getOpcode() == Instruction::Add && loop.isLoopInvariant(sum->getOperand(0)))
      index = sum->getOperand(1);
    else
      break;
  }
  auto* counter = dyn_cast<PHINode>(index);
  if (!counter || counter->getParent() != loop.getHeader() || !loop.getLoopLatch()) return false;
  auto* next = dyn_cast<BinaryOperator>(counter->getIncomingValueForBlock(loop.getLoopLatch()));
  auto* step = next ? dyn_cast<ConstantInt>(next->getOperand(1)) : nullptr;
  return step && next->getOpcode() == Instruction::Add && next->getOperand(0) == counter && step->isOne();
}

// Whether take_row_pieces() will take it; of doubles half as many lie in a register, and rows of few gain nothing.
static bool is_in_pieces(const Loop& loop) {
  return loop.getNumBlocks() == 1 && all_of(*loop.getHeader(), [](const Instruction& i) {
           return !isa<LoadInst>(i) || i.getType()->getScalarSizeInBits() == 32;
         });
}

// Onto a stack of the thread's own (`todo[depth] = node`).
static bool is_private_store(const Instruction& i) {
  auto* store = dyn_cast<StoreInst>(&i);
  return store && isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand()));
}

// Atomic additions along a row of each lane's own (`atomicAdd(&sums[k * n + j], x[i * n + j])`): lane by lane there are
// no neighbours, while one thread's turns are vectors of them. 16 lanes took 9 times as long.
static bool adds_rows(const Loop& loop, const Shapes& shapes) {
  bool adds = false;
  for (const Instruction& i : *loop.getHeader()) {
    if (!isa<LoadInst>(i) && !adds_floats(i)) {
      if (i.mayReadOrWriteMemory()) return false;
      continue;
    }
    if (shapes.is_uniform(place_of(i))) continue;
    if (!walks(i, loop)) return false;
    adds |= adds_floats(i);
  }
  return adds;
}

// Some turns store something, which is done for one lane after the other, as atomic operations are that lie apart.
static bool stores_at_times(const Loop& loop, const DominatorTree& dominators, const Shapes& shapes) {
  return any_of(loop.blocks(), [&](const BasicBlock* block) {
    return !(loop.getLoopLatch() && dominators.dominates(block, loop.getLoopLatch())) &&
           any_of(*block, [&](const Instruction& i) {
             if (isa<AtomicRMWInst>(i)) return shapes[place_of(i)].is_varying();
             return isa<StoreInst>(i) && !is_private_store(i);
           });
  });
}

// Whether a turn goes one of two ways by what it has loaded, and neither ends the loop.
static bool is_guessed(const BasicBlock& block, const Loop& loop) {
  auto* branch = dyn_cast<BranchInst>(block.getTerminator());
  if (!branch || !branch->isConditional() || !all_of(successors(branch), [&](auto* b) { return loop.contains(b); }))
    return false;
  SmallVector<const Value*, 8> open{branch->getCondition()};
  for (unsigned steps = 16; !open.empty() && steps > 0; --steps) {
    auto* i = dyn_cast<Instruction>(open.pop_back_val());
    if (!i || !loop.contains(i)) continue;
    if (isa<LoadInst>(i)) return true;
    if (!isa<PHINode>(i)) append_range(open, i->operands());
  }
  return false;
}

// Whether a question is about what the turn has loaded, and for the rest about what is the same in all turns.
static bool asks_memory(const CmpInst& question, const Loop& loop) {
  bool has_loaded = false;
  SmallVector<const Value*, 8> open(question.operands());
  for (unsigned steps = 16; !open.empty(); --steps) {
    auto* i = dyn_cast<Instruction>(open.pop_back_val());
    if (!i || !loop.contains(i)) continue;
    if (isa<PHINode>(i) || steps == 0) return false;
    has_loaded |= isa<LoadInst>(i);
    if (!isa<LoadInst>(i)) append_range(open, i->operands());
  }
  return has_loaded;
}

// What `break` and `continue` may leave for the end of a turn: a number for each way.
static bool is_way_out(const PHINode& phi, const Loop& loop) {
  return phi.getParent() != loop.getHeader() && all_of(phi.incoming_values(), [](const Value* v) {
           auto* choice = dyn_cast<SelectInst>(v);
           return isa<Constant>(v) ||
                  (choice && isa<Constant>(choice->getTrueValue()) && isa<Constant>(choice->getFalseValue()));
         });
}

static const Value* condition_of(const BasicBlock& block) {
  auto* branch = dyn_cast<BranchInst>(block.getTerminator());
  if (branch) return branch->isConditional() ? branch->getCondition() : nullptr;
  auto* choice = dyn_cast<SwitchInst>(block.getTerminator());
  return choice ? choice->getCondition() : nullptr;
}

// Whether a turn may be the last one by a single thing that it has loaded (`if (key[k] == mine) break;`). A sum of many
// turns is another matter: neighbours' are alike.
static bool ends_by_memory(const Loop& loop, const Shapes& shapes) {
  SmallVector<BasicBlock*, 4> last;
  loop.getExitingBlocks(last);
  SmallSetVector<const Value*, 16> asked;
  for (const BasicBlock* block : last) asked.insert(condition_of(*block));
  for (size_t k = 0; k < asked.size(); ++k) {
    auto* i = dyn_cast_or_null<Instruction>(asked[k]);
    if (!i || !loop.contains(i)) continue;
    if (auto* question = dyn_cast<CmpInst>(i)) {
      if (shapes[question].is_varying() && asks_memory(*question, loop)) return true;
    } else if (auto* phi = dyn_cast<PHINode>(i)) {
      if (!is_way_out(*phi, loop)) continue;
      asked.insert(phi->op_begin(), phi->op_end());
      for (const BasicBlock* from : phi->blocks()) asked.insert(condition_of(*from));
    } else if (isa<SelectInst, FreezeInst>(i) || i->isBitwiseLogicOp()) {
      asked.insert(i->op_begin(), i->op_end());
    }
  }
  return false;
}

// Whether a turn loads from a place that the turn before has loaded (`while (parent[r] != r) r = parent[r];`): one
// thread waits for each load, lanes for all of theirs at once. Roots of trees of 25 levels: 1280 us, and 150.
static bool chases(const Loop& loop) {
  SmallPtrSet<const Instruction*, 16> behind_load;
  SmallVector<const Instruction*, 16> work;
  auto follow = [&](const Value* v) {
    auto* i = dyn_cast<Instruction>(v);
    if (i && loop.contains(i) && behind_load.insert(i).second) work.push_back(i);
  };
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& i : *block)
      if (isa<LoadInst>(i)) follow(&i);
  const size_t loads = work.size();
  for (size_t n = 0; n < loads; ++n) {
    behind_load.clear();
    work.truncate(loads);
    follow(getLoadStorePointerOperand(work[n]));
    while (work.size() > loads) {
      const Instruction* i = work.pop_back_val();
      if (i == work[n]) return true;
      for (const Value* operand : i->operands()) follow(operand);
    }
  }
  return false;
}

static unsigned worth_a_gather(bool only_walks, bool walks_fast) {
  if (!only_walks) return kWorthAGather;
  return walks_fast ? 0 : kWorthAStepWithout;
}

Reason why_gathers_bind(Function& kernel, const GroupShape& group, const TargetMachine& host) {
  auto* lanes = FixedVectorType::get(Type::getFloatTy(kernel.getContext()), std::max(group.lanes, 2U));
  const bool fast_gathers =
      gathers_fast(host) && host.getTargetTransformInfo(kernel).isLegalMaskedGather(lanes, Align(4));
  DominatorTree dominators(kernel);
  LoopInfo loops(dominators);
  const Shapes shapes(kernel, group);
  for (Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || goes_by_swaps(*loop)) continue;
    if (loop->getNumBlocks() == 1 && adds_rows(*loop, shapes))
      return {"a loop of it adds to a row of each thread's own", source_line(*loop->getHeader()->getTerminator())};
    if (!shapes.is_left_apart(loop->getHeader()) || (fast_gathers && chases(*loop))) continue;
    const bool for_few = !fast_gathers && ends_by_memory(*loop, shapes);
    const bool guesses = !for_few && !stores_at_times(*loop, dominators, shapes);
    unsigned gathers = 0, work = 0;
    bool only_walks = true;
    for (BasicBlock* block : loop->blocks()) {
      if (guesses && is_guessed(*block, *loop)) work += kWorkOfAGuess;
      for (Instruction& i : *block) {
        const bool is_access = isa<LoadInst, AtomicRMWInst>(i) || is_private_store(i);
        const bool gathers_here = is_access && !i.hasMetadata(kAtEdge) && !goes_by_rows(place_of(i), shapes);
        gathers += gathers_here;
        only_walks &= !gathers_here || (isa<LoadInst>(i) && walks(i, *loop));
        work += computes(i);
      }
    }
    const bool walks_fast = fast_gathers || (masks_rows(host) && is_in_pieces(*loop));
    const unsigned worth = for_few && !only_walks ? kWorthAGatherForFew : worth_a_gather(only_walks, walks_fast);
    if (work < gathers * worth)
      return {"a loop of it does little but gather", source_line(*loop->getHeader()->getTerminator())};
  }
  return {};
}

}  // namespace lanza::compiler
