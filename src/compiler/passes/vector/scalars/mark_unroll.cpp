#include "compiler/passes/vector/scalars/mark_unroll.hpp"

#include <algorithm>

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/scalars/choose_elements.hpp"
#include "compiler/passes/vector/scalars/launch_rings.hpp"
#include "compiler/passes/vector/scalars/long_ends.hpp"
#include "compiler/passes/vector/scalars/thread_places.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kBudget = 6000;         // instructions that all marked loops of a function may become
constexpr unsigned kMostTurns = 64;        // of a loop over a private array
constexpr uint64_t kMostLoopCopies = 8;    // of a loop that stays one in what is unrolled
constexpr uint64_t kUnrolledAnyway = 200;  // instructions of a loop of constant turns that LLVM unrolls unasked
constexpr unsigned kMostBarrierTurns = 16;
constexpr unsigned kBarrierBudget = 2000;  // instructions that one loop with barriers may become
// Where its turns differ in where lanes' neighbours are and no more, and shared memory does not become registers.
constexpr unsigned kShiftBudget = 200;
constexpr uint64_t kMostInRegisters = 1024;  // bytes: half of AVX-512's registers
constexpr unsigned kMostPoints = 40;         // of synchronisation in all its turns: each is a region of its own
constexpr unsigned kTableBudget = 1500;      // instructions that loops over one table may become
constexpr uint64_t kMostLiving = 96;         // bytes of arrays that live through a loop: registers are 32 at best
constexpr size_t kMostArrays = 16;           // that are looked at for that
constexpr unsigned kFewTurns = 4;            // that some threads make and others do not
constexpr unsigned kFewTurnsBudget = 400;    // instructions that one such loop may become
constexpr unsigned kTapsBudget = 400;        // instructions that a loop over a filter's taps may become
constexpr unsigned kRingBudget = 600;        // or loops over all of a place's neighbours on a ring

constexpr unsigned kShared = 3;  // address space of nvptx64

using Loops = SmallSetVector<Loop*, 4>;

class UnrollMarks {
 public:
  UnrollMarks(Function& function, LoopInfo& loops, const DominatorTree& dominators, ScalarEvolution& evolution)
      : function_(function), loops_(loops), dominators_(dominators), evolution_(evolution) {}

  bool run(bool block_is_known) {
    SmallVector<AllocaInst*, 8> arrays;
    for (Instruction& i : function_.getEntryBlock())
      if (auto* array = dyn_cast<AllocaInst>(&i); array && !array->hasMetadata(kStaysInMemory)) arrays.push_back(array);
    if (block_is_known && arrays.size() <= kMostArrays) keep_in_memory(arrays);
    for (AllocaInst* array : arrays) take_array(*array, block_is_known && is_small_array(*array));
    if (block_is_known)
      for (Loop* loop : loops_.getLoopsInPreorder()) {
        take_barriers(*loop);
        take_few_turns(*loop);
        take_taps(*loop);
      }
    if (block_is_known)
      for (Instruction& i : instructions(function_)) {
        if (auto* load = dyn_cast<LoadInst>(&i)) take_table(*load);
        if (auto* call = dyn_cast<CallInst>(&i)) take_ring(*call);
      }
    for (Loop* loop : marked_) mark(*loop);
    return !marked_.empty();
  }

 private:
  // Those that live through a loop which adds something up by them in order, and changes some of them by the sum
  // (`query[d]` and `sums[d]` of attention, in the loop over keys): unrolled, a turn is more than the processor looks
  // ahead, the registers are full, and each group waits for its sum by itself. Loops over arrays in memory are short
  // code, through which groups walk together. Taken out of `arrays`.
  void keep_in_memory(SmallVectorImpl<AllocaInst*>& arrays) {
    uint64_t bytes = 0;
    bool changes = false;
    SmallPtrSet<AllocaInst*, 8> living;
    Loops loops;
    for (AllocaInst* array : arrays) {
      Loops needed;
      if (!indices_become_constant(*array, needed, /*may_choose=*/false)) continue;
      const Life life = life_in_loops(*array, needed);
      if (life == Life::Short) continue;
      changes |= life == Life::Changing;
      living.insert(array);
      loops.insert(needed.begin(), needed.end());
      bytes += function_.getDataLayout().getTypeAllocSize(array->getAllocatedType());
    }
    if (bytes <= kMostLiving || !changes || none_of(loops, adds_in_order)) return;
    for (Loop* loop : loops) mark(*loop, "llvm.loop.unroll.disable");
    erase_if(arrays, [&](AllocaInst* array) { return living.contains(array); });
  }

  static bool adds_in_order(const Loop* loop) {
    return any_of(loop->getHeader()->phis(), [](const PHINode& phi) { return phi.getType()->isFloatingPointTy(); });
  }

  /// Of an array: no loop that stays one reads what was written in front of it; one does; and it writes, too.
  enum class Life { Short, Long, Changing };

  Life life_in_loops(const AllocaInst& array, const Loops& needed) {
    SmallVector<BasicBlock*, 8> reads, writes;
    for (Instruction& i : instructions(function_)) {
      const Value* address = getLoadStorePointerOperand(&i);
      if (auto* fill = dyn_cast<MemIntrinsic>(&i)) address = fill->getDest();
      if (address && getUnderlyingObject(address) == &array)
        (isa<LoadInst>(i) ? reads : writes).push_back(i.getParent());
    }
    Life life = Life::Short;
    for (Loop* loop : loops_.getLoopsInPreorder()) {
      const unsigned turns = evolution_.getSmallConstantTripCount(loop);
      if (needed.contains(loop) || (turns != 0 && turns <= kMostBarrierTurns)) continue;
      auto is_inside = [&](BasicBlock* block) { return loop->contains(block); };
      if (none_of(reads, is_inside) || all_of(writes, is_inside)) continue;
      if (any_of(writes, is_inside)) return Life::Changing;
      life = Life::Long;
    }
    return life;
  }

  // `is_small`: what is not found at constant places is chosen.
  void take_array(AllocaInst& array, bool is_small) {
    Loops needed;
    if (!indices_become_constant(array, needed, is_small) || needed.empty()) return;
    for (size_t n = 0; n < needed.size(); ++n)
      if (!turns_become_constant(*needed[n], needed) || most_turns(*needed[n]) > kMostTurns) return;
    if (any_of(needed, [&](Loop* loop) { return copies_long_loops(*loop, needed); })) return;
    take(needed, kBudget);
  }

  // As of `for (d = 0; d < 32; d++) for (k = 0; k < n; k++) sums[d] += a[k] * b[k][d]`: each copy of the inner loop has
  // its sum in a register with or without, and there would be many of them.
  bool copies_long_loops(Loop& loop, const Loops& unrolled) {
    if (none_of(loop, [&](Loop* inner) { return !unrolled.contains(inner) && stays_a_loop(*inner); })) return false;
    uint64_t copies = most_turns(loop);
    for (Loop* around = loop.getParentLoop(); around; around = around->getParentLoop())
      if (unrolled.contains(around)) copies *= most_turns(*around);
    return copies > kMostLoopCopies;
  }

  bool stays_a_loop(Loop& loop) {
    uint64_t size = 0;
    for (BasicBlock* block : loop.blocks()) size += block->sizeWithoutDebug();
    const unsigned turns = evolution_.getSmallConstantTripCount(&loop);
    return turns == 0 || turns * size > kUnrolledAnyway;
  }

  // As of `for (b = 0; b < 8 - a; b++)`: a constant in each turn of the loops around it, which are needed, too.
  bool turns_become_constant(Loop& loop, Loops& needed) {
    if (evolution_.getSmallConstantTripCount(&loop) != 0) return true;
    if (most_turns(loop) == 0) return false;
    if (!evolution_.hasLoopInvariantBackedgeTakenCount(&loop)) bounded_.insert(&loop);
    return !SCEVExprContains(evolution_.getSymbolicMaxBackedgeTakenCount(&loop), [&](const SCEV* part) {
      if (auto* counter = dyn_cast<SCEVAddRecExpr>(part)) {
        if (!counter->getLoop()->contains(&loop)) return true;
        needed.insert(const_cast<Loop*>(counter->getLoop()));
      }
      return isa<SCEVUnknown, SCEVCouldNotCompute>(part);
    });
  }

  // Not around a loop with barriers whose turns nobody knows: that stays, in each copy.
  void take_barriers(Loop& loop) {
    const unsigned turns = evolution_.getSmallConstantTripCount(&loop);
    if (turns == 0 || turns > kMostBarrierTurns || !has_sync(loop)) return;
    if (turns * count_points(loop) > kMostPoints) return;
    if (any_of(loop.getLoopsInPreorder(),
               [&](Loop* inner) { return has_sync(*inner) && evolution_.getSmallConstantTripCount(inner) == 0; }))
      return;
    Loops self;
    self.insert(&loop);
    const bool gains_little = shared_bytes(loop) > kMostInRegisters && only_shifts_places(loop) &&
                              !takes_buffers_by_turns(loop) && !halves_threads(loop);
    take(self, gains_little ? kShiftBudget : kBarrierBudget);
  }

  // Of the variables that the loop accesses by name.
  uint64_t shared_bytes(Loop& loop) const {
    SmallPtrSet<const Value*, 4> variables;
    uint64_t bytes = 0;
    for (BasicBlock* block : loop.blocks())
      for (Instruction& i : *block) {
        auto* variable = dyn_cast_or_null<GlobalVariable>(
            getLoadStorePointerOperand(&i) ? getUnderlyingObject(getLoadStorePointerOperand(&i)) : nullptr);
        if (variable && variable->getAddressSpace() == kShared && variables.insert(variable).second)
          bytes += function_.getDataLayout().getTypeAllocSize(variable->getValueType());
      }
    return bytes;
  }

  // `tile[i - s]`, `i >= s`: lanes are neighbours whatever the counter is. Not so where it is multiplied by or masks
  // what differs between them (`i & (s - 1)`).
  bool only_shifts_places(Loop& loop) {
    auto is_counted = [&](Value* v) {
      Loops needed;
      return !isa<Constant>(v) && becomes_constant(v, needed) && needed.contains(&loop);
    };
    for (BasicBlock* block : loop.blocks())
      for (Instruction& i : *block) {
        auto* operation = dyn_cast<BinaryOperator>(&i);
        if (!operation || operation->getOpcode() == Instruction::Add || operation->getOpcode() == Instruction::Sub)
          continue;
        if (is_counted(operation->getOperand(0)) != is_counted(operation->getOperand(1)) && !is_counted(operation))
          return false;
      }
    return true;
  }

  // `next[t] = now[t] + now[t - d]; swap(now, next);`: nobody knows that they are two, and which is which costs more
  // than the sum.
  static bool takes_buffers_by_turns(const Loop& loop) {
    const BasicBlock* latch = loop.getLoopLatch();
    return latch && any_of(loop.getHeader()->phis(), [&](const PHINode& phi) {
             auto* next = dyn_cast<PHINode>(phi.getIncomingValueForBlock(latch));
             return next && next != &phi && next->getParent() == loop.getHeader();
           });
  }

  // `for (s = 128; s > 0; s >>= 1) if (threadIdx.x < s) ...`: most turns are of a vector or two, each of which waits
  // for the one before, through memory and by masks that nobody knows as long as it is a loop.
  static bool halves_threads(const Loop& loop) {
    const BasicBlock* latch = loop.getLoopLatch();
    return latch && any_of(loop.getHeader()->phis(), [&](PHINode& phi) {
             if (!match(phi.getIncomingValueForBlock(latch), m_LShr(m_Specific(&phi), m_One()))) return false;
             return any_of(phi.users(), [](const User* user) {
               auto* question = dyn_cast<ICmpInst>(user);
               return question && question->getPredicate() == CmpInst::ICMP_ULT && is_thread_x(question->getOperand(0));
             });
           });
  }

  // `for (i = threadIdx.x; i < 20; i += 16)`: all threads, then the first four.
  void take_few_turns(Loop& loop) {
    if (evolution_.getSmallConstantTripCount(&loop) != 0 || loop.getExitingBlock() != loop.getLoopLatch()) return;
    const unsigned turns = evolution_.getSmallConstantMaxTripCount(&loop);
    if (turns == 0 || turns > kFewTurns || asks_about_unrolling(loop) || has_sync(loop)) return;
    Loops self;
    self.insert(&loop);
    bounded_.insert(&loop);
    take(self, kFewTurnsBudget);
  }

  // `sum += taps[k] * row[threadIdx.x + k]`: each turn reads what the one before did, a lane on.
  void take_taps(Loop& loop) {
    const unsigned turns = evolution_.getSmallConstantTripCount(&loop);
    if (turns == 0 || turns > kMostTurns || loop.getNumBlocks() != 1 || asks_about_unrolling(loop)) return;
    if (none_of(*loop.getHeader(), [&](Instruction& i) { return reads_next_lane(i, loop); })) return;
    Loops self;
    self.insert(&loop);
    take(self, kTapsBudget);
  }

  bool reads_next_lane(Instruction& i, const Loop& loop) {
    auto* load = dyn_cast<LoadInst>(&i);
    auto* variable = load ? dyn_cast<GlobalVariable>(getUnderlyingObject(load->getPointerOperand())) : nullptr;
    if (!variable || variable->getAddressSpace() != kShared) return false;
    auto* address = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(load->getPointerOperand()));
    auto* step = address && address->getLoop() == &loop ? dyn_cast<SCEVConstant>(address->getStepRecurrence(evolution_))
                                                        : nullptr;
    const uint64_t size = function_.getDataLayout().getTypeStoreSize(load->getType()).getFixedValue();
    return step && step->getAPInt().abs() == size && SCEVExprContains(address->getStart(), [](const SCEV* part) {
             auto* value = dyn_cast<SCEVUnknown>(part);
             auto* call = value ? dyn_cast<IntrinsicInst>(value->getValue()) : nullptr;
             return call && call->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_tid_x;
           });
  }

  // `in[i + offsets[k]]`: with offsets that are known all lanes' places are neighbours of each other's.
  void take_table(LoadInst& load) {
    auto* address = dyn_cast<GetElementPtrInst>(load.getPointerOperand());
    if (!address || !is_table(address->getPointerOperand()->stripPointerCasts()) || load.isVolatile()) return;
    Loops needed;
    if (!all_of(address->indices(), [&](Value* index) { return becomes_constant(index, needed); })) return;
    const bool may = all_of(needed, [&](Loop* loop) {
      const unsigned turns = evolution_.getSmallConstantTripCount(loop);
      const bool is_straight = all_of(*loop, [&](Loop* inner) { return needed.contains(inner); });
      return is_straight && turns != 0 && turns <= kMostTurns && !asks_about_unrolling(*loop) && !has_sync(*loop);
    });
    if (may && !needed.empty() && gains_by_number(load)) take(needed, kTableBudget);
  }

  // `(y + dy + h) % h`: with steps that are known it is a choice at an edge.
  void take_ring(CallInst& call) {
    const Function* ring = call.getCalledFunction();
    if (!ring || ring->getName() != kRing) return;
    Loops needed;
    SmallSetVector<Value*, 4> parts;
    parts.insert(call.getArgOperand(0));
    for (size_t n = 0; n < parts.size(); ++n) {
      auto* part = dyn_cast<Instruction>(parts[n]);
      if (!part || part == call.getArgOperand(2)) continue;
      Loop* loop = loops_.getLoopFor(part->getParent());
      if (part->getOpcode() == Instruction::Add) parts.insert(part->op_begin(), part->op_end());
      if (isa<PHINode>(part) && loop && loop->getHeader() == part->getParent()) needed.insert(loop);
    }
    const bool may = all_of(needed, [&](Loop* loop) {
      return evolution_.getSmallConstantTripCount(loop) != 0 && !asks_about_unrolling(*loop) && !has_sync(*loop);
    });
    if (may && !needed.empty()) take(needed, kRingBudget);
  }

  // A place, or an integer's factor: many are powers of two, and sums of bytes by known ones are shorts.
  static bool gains_by_number(LoadInst& load) {
    SmallSetVector<Instruction*, 16> values;
    values.insert(&load);
    for (size_t n = 0; n < values.size(); ++n)
      for (User* user : values[n]->users()) {
        if (isa<GetElementPtrInst>(user) || match(user, m_Mul(m_Value(), m_Value()))) return true;
        if (isa<BinaryOperator, CastInst>(user)) values.insert(cast<Instruction>(user));
      }
    return false;
  }

  unsigned most_turns(Loop& loop) {
    const unsigned turns = evolution_.getSmallConstantTripCount(&loop);
    return turns ? turns : evolution_.getSmallConstantMaxTripCount(&loop);
  }

  // Of one turn; loops in it are unrolled first.
  uint64_t count_points(Loop& loop) {
    uint64_t points = 0;
    for (BasicBlock* block : loop.blocks())
      if (loops_.getLoopFor(block) == &loop)
        for (Instruction& i : *block) points += as_sync(i) != nullptr;
    for (Loop* inner : loop) points += std::max(1u, most_turns(*inner)) * count_points(*inner);
    return points;
  }

  // All of them, where what the function grows by then is within the budget.
  void take(const Loops& wanted, unsigned limit) {
    Loops all = marked_;
    all.insert(wanted.begin(), wanted.end());
    uint64_t size = 0, of_wanted = 0;
    for (Loop* loop : loops_)
      if (uint64_t s = unrolled_size(*loop, all)) size += s;
    for (Loop* loop : wanted) of_wanted += unrolled_size(*loop, all);
    if (size <= kBudget && of_wanted <= limit) marked_ = std::move(all);
  }

  // Instructions of a loop nest with the loops of `unrolled` unrolled; 0: none of them is in it.
  uint64_t unrolled_size(Loop& loop, const Loops& unrolled) {
    const bool any = any_of(unrolled, [&](Loop* l) { return loop.contains(l); });
    if (!any) return 0;
    uint64_t size = 0;
    for (BasicBlock* block : loop.blocks())
      if (loops_.getLoopFor(block) == &loop) size += block->sizeWithoutDebug();
    for (Loop* inner : loop) {
      uint64_t inside = unrolled_size(*inner, unrolled);
      if (inside == 0) {
        for (BasicBlock* block : inner->blocks()) inside += block->sizeWithoutDebug();
        if (unrolled.contains(&loop) && counts_with(*inner, loop)) inside *= usual_turns(*inner);
      }
      size += inside;
    }
    return unrolled.contains(&loop) ? size * usual_turns(loop) : size;
  }

  // As of `for (j = 0; j < i; j++)` within one over i: LLVM unrolls it, too, where its turns are known.
  bool counts_with(Loop& inner, Loop& outer) {
    const unsigned most = evolution_.getSmallConstantMaxTripCount(&inner);
    if (evolution_.getSmallConstantTripCount(&inner) != 0 || most == 0 || most > kMostTurns) return false;
    return SCEVExprContains(evolution_.getBackedgeTakenCount(&inner), [&](const SCEV* part) {
      auto* counter = dyn_cast<SCEVAddRecExpr>(part);
      return counter && counter->getLoop() == &outer;
    });
  }

  // Of loops in triangles half of the most.
  unsigned usual_turns(Loop& loop) {
    const bool is_known = evolution_.getSmallConstantTripCount(&loop) != 0 || bounded_.contains(&loop);
    return is_known ? most_turns(loop) : most_turns(loop) / 2 + 1;
  }

  // Adds to `needed` the loops whose counters the addresses of `array` depend on.
  bool indices_become_constant(AllocaInst& array, Loops& needed, bool may_choose) {
    SmallVector<Instruction*, 16> work{&array};
    while (!work.empty()) {
      Instruction* pointer = work.pop_back_val();
      for (User* user : pointer->users()) {
        auto* i = cast<Instruction>(user);
        if (auto* address = dyn_cast<GetElementPtrInst>(i)) {
          for (Value* index : address->indices())
            if (!becomes_constant(index, needed) && !(may_choose && differs_between_threads(*index))) return false;
          work.push_back(address);
        } else if (auto* cast = dyn_cast<CastInst>(i); cast && cast->getType()->isPointerTy()) {
          work.push_back(cast);
        } else if (auto* store = dyn_cast<StoreInst>(i)) {
          if (store->getValueOperand() == pointer || store->isVolatile()) return false;
        } else if (auto* load = dyn_cast<LoadInst>(i)) {
          if (load->isVolatile()) return false;
        } else if (auto* intrinsic = dyn_cast<MemIntrinsic>(i)) {
          if (!isa<ConstantInt>(intrinsic->getLength()) || intrinsic->isVolatile()) return false;
        } else if (!i->isLifetimeStartOrEnd()) {
          return false;
        }
      }
    }
    return true;
  }

  // A pure expression of constants and loop counters that are such expressions themselves, and of what a table of
  // constants holds at places that are (`lane[order[i]]`).
  bool becomes_constant(Value* value, Loops& needed) {
    SmallSetVector<Instruction*, 16> closed;
    auto add = [&](Value* v) {
      if (auto* i = dyn_cast<Instruction>(v)) return closed.insert(i), true;
      return isa<ConstantInt>(v) || is_table(v);
    };
    if (!add(value)) return false;
    for (size_t n = 0; n < closed.size(); ++n) {
      Instruction& i = *closed[n];
      if (isa<PHINode>(i)) {
        Loop* loop = loops_.getLoopFor(i.getParent());
        if (loop && loop->getHeader() == i.getParent())
          needed.insert(loop);
        else if (!all_of(questions_before(*i.getParent()), add))
          return false;
      } else if (auto* load = dyn_cast<LoadInst>(&i)) {
        if (load->isVolatile() || !is_table(getUnderlyingObject(load->getPointerOperand()))) return false;
      } else if (!isa<BinaryOperator, CastInst, CmpInst, SelectInst, GetElementPtrInst>(i)) {
        return false;
      }
      if (!all_of(i.operands(), add)) return false;
    }
    return true;
  }

  // What is asked on the ways that come together in a block, behind where they parted.
  SmallVector<Value*, 4> questions_before(BasicBlock& block) {
    SmallVector<Value*, 4> questions;
    const auto* node = dominators_.getNode(&block);  // null: nothing leads there
    const auto* parting = node ? node->getIDom() : nullptr;
    SmallSetVector<BasicBlock*, 8> ways(pred_begin(&block), pred_end(&block));
    for (size_t n = 0; n < ways.size(); ++n) {
      Instruction* end = ways[n]->getTerminator();
      if (end->getNumSuccessors() > 1) questions.push_back(end->getOperand(0));
      if (!parting || ways[n] != parting->getBlock()) ways.insert(pred_begin(ways[n]), pred_end(ways[n]));
    }
    return questions;
  }

  static bool is_table(const Value* v) {
    auto* table = dyn_cast<GlobalVariable>(v);
    return table && table->isConstant() && table->hasDefinitiveInitializer();
  }

  static bool is_about_unrolling(Metadata* entry) {
    auto* node = dyn_cast<MDNode>(entry);
    auto* name = node && node->getNumOperands() != 0 ? dyn_cast<MDString>(node->getOperand(0)) : nullptr;
    return name && name->getString().starts_with("llvm.loop.unroll.");
  }

  static bool asks_about_unrolling(const Loop& loop) {
    MDNode* id = loop.getLoopID();
    return id && any_of(drop_begin(id->operands()), [](const MDOperand& entry) { return is_about_unrolling(entry); });
  }

  // What the user asked for (#pragma unroll 1) weighs the registers of a GPU, where the array is in memory either way.
  // `enable` is what LLVM obeys where only a bound is known.
  void mark(Loop& loop) { mark(loop, bounded_.contains(&loop) ? "llvm.loop.unroll.enable" : "llvm.loop.unroll.full"); }

  static void mark(Loop& loop, const char* name) {
    LLVMContext& context = loop.getHeader()->getContext();
    SmallVector<Metadata*, 4> entries{nullptr};
    if (MDNode* before = loop.getLoopID())
      copy_if(drop_begin(before->operands()), std::back_inserter(entries),
              [](Metadata* m) { return !is_about_unrolling(m); });
    entries.push_back(MDNode::get(context, MDString::get(context, name)));
    MDNode* id = MDNode::getDistinct(context, entries);
    id->replaceOperandWith(0, id);
    loop.setLoopID(id);
  }

  Function& function_;
  LoopInfo& loops_;
  const DominatorTree& dominators_;
  ScalarEvolution& evolution_;
  Loops marked_, bounded_;  ///< bounded: nobody knows how many turns they make
};

}  // namespace

PreservedAnalyses MarkUnrollPass::run(Function& function, FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<LoopAnalysis>(function);
  if (loops.empty()) return PreservedAnalyses::all();
  const auto& dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  UnrollMarks(function, loops, dominators, analyses.getResult<ScalarEvolutionAnalysis>(function)).run(block_is_known);
  return PreservedAnalyses::all();
}

}  // namespace lanza::compiler
