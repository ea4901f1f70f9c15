#include "compiler/passes/vector/run/split_sums.hpp"

#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/passes/sync_calls.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

using Slice = SetVector<Instruction*>;

bool is_sum(const Instruction& i) {
  return isa<PHINode>(i) && i.getType()->isVectorTy() && !i.getType()->getScalarType()->isIntegerTy(1);
}

/// What `value` is made of within its block, turn after turn.
void add_to_slice(Value* value, const BasicBlock& block, Slice& slice) {
  auto add = [&](Value* v) {
    if (auto* i = dyn_cast<Instruction>(v); i && i->getParent() == &block) slice.insert(i);
  };
  size_t next = slice.size();
  for (add(value); next < slice.size(); ++next)
    for (Value* operand : slice[next]->operands())
      if (!isa<BasicBlock>(operand)) add(operand);
}

/// Sums that depend on each other, with all that they are made of.
struct Bundle {
  Slice slice;
  uint64_t registers = 0;
};

class LoopSplitter {
 public:
  LoopSplitter(BasicBlock& block, BasicBlock& before, BasicBlock& exit, uint64_t register_bits)
      : block_(block), before_(before), exit_(exit), register_bits_(register_bits) {
    EquivalenceClasses<PHINode*> together;
    DenseMap<PHINode*, Slice> slices;
    for (PHINode& phi : block.phis()) {
      if (!is_sum(phi)) continue;
      together.insert(&phi);
      slices[&phi].insert(&phi);
      add_to_slice(phi.getIncomingValueForBlock(&block), block, slices[&phi]);
      for (Instruction* i : slices[&phi])
        if (is_sum(*i)) together.unionSets(&phi, cast<PHINode>(i));
    }
    for (PHINode& phi : block.phis()) {
      if (!is_sum(phi) || together.getLeaderValue(&phi) != &phi) continue;
      Bundle bundle;
      for (auto m = together.findLeader(&phi); m != together.member_end(); ++m) {
        bundle.slice.insert(slices[*m].begin(), slices[*m].end());
        bundle.registers += registers_of(**m);
      }
      registers_ += bundle.registers;
      bundles_.push_back(std::move(bundle));
    }
  }

  uint64_t registers() const { return registers_; }

  /// Each part has up to `most` registers of sums. False where that makes no two parts.
  bool split(uint64_t most) {
    while (!bundles_.empty()) parts_.push_back(take_part(most));
    if (parts_.size() < 2) return false;
    for (Slice& part : parts_) add_to_slice(block_.getTerminator(), block_, part);
    write();
    return true;
  }

 private:
  uint64_t registers_of(const PHINode& sum) const {
    return divideCeil(block_.getModule()->getDataLayout().getTypeSizeInBits(sum.getType()).getFixedValue(),
                      register_bits_);
  }

  // First one bundle, then always the one that needs least besides.
  Slice take_part(uint64_t most) {
    Slice part;
    for (uint64_t used = 0;;) {
      auto best = bundles_.end();
      uint64_t least = ~uint64_t{0};
      for (auto bundle = bundles_.begin(); bundle != bundles_.end(); ++bundle) {
        if (used && used + bundle->registers > most) continue;
        const uint64_t cost = used ? cost_besides(*bundle, part) : 0;
        if (cost < least) best = bundle, least = cost;
      }
      if (best == bundles_.end()) return part;
      used += best->registers;
      part.insert(best->slice.begin(), best->slice.end());
      bundles_.erase(best);
    }
  }

  // Of the loads, and of what takes vectors apart. A broadcast comes with its load.
  static uint64_t cost_besides(const Bundle& bundle, const Slice& part) {
    uint64_t cost = 0;
    for (Instruction* i : bundle.slice) {
      auto* shuffle = dyn_cast<ShuffleVectorInst>(i);
      if (part.contains(i) || (!i->mayReadFromMemory() && (!shuffle || shuffle->isZeroEltSplat()))) continue;
      cost += i->getType()->isVectorTy() ? 2 : 1;
    }
    return cost;
  }

  // One loop behind the other, a block behind each of them for what it hands on.
  void write() {
    SmallVector<Instruction*, 32> used_behind;
    for (Instruction& i : block_)
      if (any_of(i.users(), [&](User* u) { return cast<Instruction>(u)->getParent() != &block_; }))
        used_behind.push_back(&i);
    std::vector<ValueToValueMapTy> copies(parts_.size());
    SmallVector<BasicBlock*, 8> loops{&block_}, ends;
    for (size_t p = 1; p < parts_.size(); ++p) loops.push_back(clone(copies[p]));
    for (BasicBlock* loop : loops) {
      auto* end = BasicBlock::Create(block_.getContext(), "sums", block_.getParent(), &exit_);
      loop->getTerminator()->replaceSuccessorWith(&exit_, end);
      ends.push_back(end);
    }
    exit_.replacePhiUsesWith(&block_, ends.back());
    for (size_t p = 0; p < parts_.size(); ++p) {
      const bool last = p + 1 == parts_.size();
      IRBuilder<> b(ends[p]);
      b.SetCurrentDebugLocation(block_.getTerminator()->getDebugLoc());
      Instruction* branch = b.CreateBr(last ? &exit_ : loops[p + 1]);
      if (!last) emit_own_barrier(branch);
      if (p) loops[p]->replacePhiUsesWith(&before_, ends[p - 1]);
    }
    for (Instruction* i : used_behind) hand_on(*i, copies, loops, ends);
    FoldSingleEntryPHINodes(&exit_);  // a further name for what other parts made would be a copy
    for (size_t p = parts_.size(); p-- > 0;) keep_only(*loops[p], parts_[p], copies[p]);  // the original last
  }

  BasicBlock* clone(ValueToValueMapTy& map) {
    BasicBlock* copy = CloneBasicBlock(&block_, map, ".sums", block_.getParent());
    copy->moveBefore(&exit_);
    map[&block_] = copy;
    remapInstructionsInBlocks(copy, map);
    return copy;
  }

  void hand_on(Instruction& value, std::vector<ValueToValueMapTy>& copies, ArrayRef<BasicBlock*> loops,
               ArrayRef<BasicBlock*> ends) {
    const auto owner = find_if(parts_, [&](const Slice& part) { return part.contains(&value); });
    const size_t p = owner == parts_.end() ? 0 : static_cast<size_t>(owner - parts_.begin());
    add_to_slice(&value, block_, parts_[p]);
    auto* phi = PHINode::Create(value.getType(), 1, "", ends[p]->begin());
    value.replaceUsesWithIf(
        phi, [&](Use& use) { return !is_contained(loops, cast<Instruction>(use.getUser())->getParent()); });
    phi->addIncoming(p ? cast<Instruction>(copies[p][&value]) : &value, loops[p]);
  }

  void keep_only(BasicBlock& loop, const Slice& part, ValueToValueMapTy& copies) {
    DenseSet<const Instruction*> kept;
    for (Instruction* i : part) kept.insert(&loop == &block_ ? i : cast<Instruction>(copies[i]));
    for (Instruction& i : make_early_inc_range(loop)) {
      if (kept.contains(&i)) continue;
      i.replaceAllUsesWith(PoisonValue::get(i.getType()));
      i.eraseFromParent();
    }
  }

  BasicBlock &block_, &before_, &exit_;
  const uint64_t register_bits_;
  uint64_t registers_ = 0;
  std::vector<Bundle> bundles_;
  std::vector<Slice> parts_;
};

bool only_computes(const BasicBlock& block) {
  return none_of(block, [](const Instruction& i) { return i.mayHaveSideEffects() || i.isVolatile() || i.isAtomic(); });
}

/// Whether all threads that come to a barrier of the kernel come to `block` too, as often.
bool may_hold_barrier(Function& kernel, BasicBlock& block, const LoopInfo& loops, const DominatorTree& dominators,
                      const PostDominatorTree& post_dominators) {
  return any_of(kernel, [&](BasicBlock& other) {
    const bool synchronises = any_of(other, [](Instruction& i) {
      CallInst* point = as_sync(i);
      return point && sync_kind(*point) == LANZA_SYNC_BARRIER;
    });
    if (!synchronises || loops.getLoopFor(&other) != loops.getLoopFor(&block)) return false;
    return (dominators.dominates(&other, &block) && post_dominators.dominates(&block, &other)) ||
           (dominators.dominates(&block, &other) && post_dominators.dominates(&other, &block));
  });
}

}  // namespace

bool split_sums(Function& kernel, const TargetTransformInfo& host) {
  if (!has_sync(kernel)) return false;
  const uint64_t bits = host.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  const uint64_t registers = host.getNumberOfRegisters(host.getRegisterClassForType(/*Vector=*/true));
  const DominatorTree dominators(kernel);
  const PostDominatorTree post_dominators(kernel);
  const LoopInfo loops(dominators);
  bool changed = false;
  for (Loop* loop : loops.getLoopsInPreorder()) {
    BasicBlock *block = loop->getHeader(), *before = loop->getLoopPreheader(), *exit = loop->getExitBlock();
    if (loop->getNumBlocks() != 1 || !before || !exit || exit->getSinglePredecessor() != block) continue;
    if (!only_computes(*block)) continue;
    LoopSplitter splitter(*block, *before, *exit, bits);
    if (2 * splitter.registers() < registers) continue;
    if (!may_hold_barrier(kernel, *before, loops, dominators, post_dominators)) continue;
    // What would fit alone is to share its operands between rows.
    changed |= splitter.split(splitter.registers() > registers ? registers / 2 : registers / 4);
  }
  return changed;
}

}  // namespace lanza::compiler
