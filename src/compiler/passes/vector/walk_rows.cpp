#include "compiler/passes/vector/walk_rows.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/ProfDataUtils.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

#include "compiler/passes/vector/version_guards.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostRepeated = 200;  // instructions on the way from one turn's row to the next's
constexpr unsigned kMostLoops = 4;       // of a kernel
constexpr uint32_t kLikely = 100;        // times as often as the other way

using Blocks = SmallSetVector<BasicBlock*, 8>;

/// The side that a branch nearly always takes.
BasicBlock* likely_side(const BasicBlock& block) {
  auto* branch = dyn_cast<BranchInst>(block.getTerminator());
  uint64_t yes = 0, no = 0;
  if (!branch || !branch->isConditional() || !extractBranchWeights(*branch, yes, no)) return nullptr;
  if (yes > no * kLikely) return branch->getSuccessor(0);
  return no > yes * kLikely ? branch->getSuccessor(1) : nullptr;
}

/// An index divided by what does not change, on the way to the row.
struct Division {
  Value *index, *divisor;
  bool is_signed;
  SmallVector<BinaryOperator*, 2> operations;
  Value* row_start = nullptr;  ///< the quotient times the divisor
};

bool divides_signed(const BinaryOperator& i) {
  return i.getOpcode() == Instruction::SDiv || i.getOpcode() == Instruction::SRem;
}
bool is_remainder(const BinaryOperator& i) {
  return i.getOpcode() == Instruction::SRem || i.getOpcode() == Instruction::URem;
}

/// The loop around the code of a row.
struct RowLoop {
  BasicBlock* asks = nullptr;  ///< where the likely branch goes to the row
  BasicBlock* row = nullptr;   ///< the row's first block, reached from there only
  Blocks body;                 ///< the row
  Blocks back;                 ///< the way from its end to the loop's header, without branches but the loop's own
  Blocks way;                  ///< from the header to where the branch is, each block's only predecessor before it
  SmallVector<Division, 4> divisions;
};

class RowFinder {
 public:
  RowFinder(const DominatorTree& dominators, const LoopInfo& loops) : dominators_(dominators), loops_(loops) {}

  bool find(BasicBlock& asks, RowLoop& found) const {
    Loop* loop = loops_.getLoopFor(&asks);
    found.asks = &asks;
    found.row = likely_side(asks);
    if (!loop || !loop->getLoopLatch() || !found.row || !loop->contains(found.row)) return false;
    if (found.row->getSinglePredecessor() != &asks) return false;
    return find_way(*loop, found) && find_divisions(*loop, found) && find_body(*loop, found) &&
           find_way_back(*loop, found) && is_short(found);
  }

 private:
  bool find_way(const Loop& loop, RowLoop& found) const {
    SmallVector<BasicBlock*, 8> upwards{found.asks};
    while (upwards.back() != loop.getHeader()) {
      BasicBlock* before = upwards.back()->getSinglePredecessor();
      if (!before || loops_.getLoopFor(before) != &loop) return false;
      upwards.push_back(before);
    }
    found.way.insert(upwards.rbegin(), upwards.rend());
    return all_of(found.way,
                  [](BasicBlock* block) { return all_of(*block, [](Instruction& i) { return may_be_repeated(i); }); });
  }

  // A turn whose quotients are not those of the turn before begins again; notes of lanes may be made twice.
  static bool may_be_repeated(const Instruction& i) {
    if (auto* store = dyn_cast<StoreInst>(&i)) return store->isVolatile();
    if (auto* load = dyn_cast<LoadInst>(&i)) return load->isSimple();
    return !i.mayHaveSideEffects() && (i.isTerminator() ? isa<BranchInst>(i) : true) && !i.getType()->isTokenTy();
  }

  static bool find_divisions(const Loop& loop, RowLoop& found) {
    for (BasicBlock* block : found.way)
      for (Instruction& i : *block) {
        auto* operation = dyn_cast<BinaryOperator>(&i);
        if (!operation || !operation->isIntDivRem() || !operation->getType()->isIntegerTy()) continue;
        Value *index = operation->getOperand(0), *divisor = operation->getOperand(1);
        if (!loop.isLoopInvariant(divisor) || loop.isLoopInvariant(index)) continue;
        const bool is_signed = divides_signed(*operation);
        auto same = [&](const Division& d) {
          return d.index == index && d.divisor == divisor && d.is_signed == is_signed;
        };
        auto* known = find_if(found.divisions, same);
        if (known == found.divisions.end())
          found.divisions.push_back({index, divisor, is_signed, {operation}});
        else
          known->operations.push_back(operation);
      }
    return !found.divisions.empty();
  }

  // Ends only where the loop goes on.
  bool find_body(const Loop& loop, RowLoop& found) const {
    for (BasicBlock* block : loop.blocks())
      if (dominators_.dominates(found.row, block)) found.body.insert(block);
    bool has_memory = false;
    for (BasicBlock* block : found.body)
      for (Instruction& i : *block) {
        if (i.hasMetadata(kAtEdge)) return false;  // few groups come here
        has_memory |= i.mayReadOrWriteMemory();
      }
    return has_memory;
  }

  bool find_way_back(const Loop& loop, RowLoop& found) const {
    BasicBlock* end = nullptr;
    for (BasicBlock* block : found.body)
      for (BasicBlock* next : successors(block)) {
        if (found.body.contains(next)) continue;
        if (!loop.contains(next) || next == loop.getHeader() || (end && next != end)) return false;
        end = next;
      }
    for (BasicBlock* block = end; block; block = block->getSingleSuccessor()) {
      if (loops_.getLoopFor(block) != &loop || found.way.contains(block) || !found.back.insert(block)) return false;
      if (block == loop.getLoopLatch()) return isa<BranchInst>(block->getTerminator());
    }
    return false;
  }

  static bool is_short(const RowLoop& found) {
    size_t size = 0;
    for (const Blocks* part : {&found.back, &found.way})
      for (BasicBlock* block : *part) {
        size += block->size();
        if (any_of(*block, [](Instruction& i) {
              auto* call = dyn_cast<CallBase>(&i);
              return isa<AllocaInst>(i) || (call && (call->cannotDuplicate() || call->isConvergent()));
            }))
          return false;
      }
    return size <= kMostRepeated;
  }

  const DominatorTree& dominators_;
  const LoopInfo& loops_;
};

/// Copies the way back and the way to the row, so that the row's end leads to its beginning.
class RowCloser {
 public:
  explicit RowCloser(RowLoop& loop) : loop_(loop), header_(loop.way.front()) {}

  /// The copy of the block that asks.
  BasicBlock* close() {
    copy(loop_.back, back_);
    copy(loop_.way, way_);
    enter_back();
    follow(loop_.back, back_);
    enter_way();
    follow(loop_.way, way_);
    for (PHINode& phi : loop_.row->phis()) phi.addIncoming(mapped(way_, phi.getIncomingValue(0)), mapped(loop_.asks));
    ask_divisions();
    update_uses(loop_.back, back_);
    update_uses(loop_.way, way_);
    return end_of_copy(loop_.asks, way_);
  }

 private:
  void copy(const Blocks& blocks, ValueToValueMapTy& map) {
    SmallVector<BasicBlock*, 8> copies;
    for (BasicBlock* block : blocks) {
      copies.push_back(CloneBasicBlock(block, map, ".next", block->getParent()));
      map[block] = copies.back();
    }
    remapInstructionsInBlocks(copies, map);
  }

  static Value* mapped(const ValueToValueMapTy& map, Value* value) {
    auto found = map.find(value);
    return found == map.end() ? value : static_cast<Value*>(found->second);
  }
  BasicBlock* mapped(BasicBlock* block) const {
    return cast<BasicBlock>(mapped(loop_.back.contains(block) ? back_ : way_, block));
  }

  // Only the row comes to the copy of the way back, and goes nowhere else.
  void enter_back() {
    BasicBlock *end = loop_.back.front(), *copied = mapped(end);
    for (PHINode& phi : make_early_inc_range(copied->phis())) {
      for (int k = static_cast<int>(phi.getNumIncomingValues()) - 1; k >= 0; --k)
        if (!loop_.body.contains(phi.getIncomingBlock(static_cast<unsigned>(k))))
          phi.removeIncomingValue(static_cast<unsigned>(k), /*DeletePHIIfEmpty=*/false);
    }
    for (PHINode& phi : end->phis())
      for (int k = static_cast<int>(phi.getNumIncomingValues()) - 1; k >= 0; --k)
        if (loop_.body.contains(phi.getIncomingBlock(static_cast<unsigned>(k))))
          phi.removeIncomingValue(static_cast<unsigned>(k), /*DeletePHIIfEmpty=*/false);
    for (BasicBlock* block : loop_.body) block->getTerminator()->replaceSuccessorWith(end, copied);
  }

  // The copies follow on each other; where they leave the way, they go where it does.
  void follow(const Blocks& blocks, ValueToValueMapTy& map) {
    for (auto [before, block] : zip(blocks, drop_begin(blocks))) {
      for (PHINode& phi : cast<BasicBlock>(mapped(map, block))->phis()) keep_incoming(phi, before, mapped(map, before));
    }
    for (BasicBlock* block : blocks) {
      auto* copied = cast<BasicBlock>(mapped(map, block));
      for (BasicBlock* next : successors(copied)) {
        if (next == loop_.row || loop_.body.contains(next) || is_copy(next)) continue;
        if (next == header_ && &blocks == &loop_.back) continue;
        for (PHINode& phi : next->phis()) phi.addIncoming(mapped(map, phi.getIncomingValueForBlock(block)), copied);
      }
    }
  }

  static void keep_incoming(PHINode& phi, BasicBlock* original, Value* copy) {
    for (int k = static_cast<int>(phi.getNumIncomingValues()) - 1; k >= 0; --k) {
      BasicBlock* from = phi.getIncomingBlock(static_cast<unsigned>(k));
      if (from != original && from != copy) phi.removeIncomingValue(static_cast<unsigned>(k), false);
    }
    phi.setIncomingBlock(0, cast<BasicBlock>(copy));
  }

  bool is_copy(BasicBlock* block) const {
    auto holds = [&](const Blocks& blocks, const ValueToValueMapTy& map) {
      return any_of(blocks, [&](BasicBlock* b) { return mapped(map, b) == block; });
    };
    return holds(loop_.back, back_) || holds(loop_.way, way_);
  }

  // What the header's phis are in the next turn comes from the way back.
  void enter_way() {
    BasicBlock *latch = loop_.back.back(), *copied_latch = mapped(latch), *copied_header = mapped(header_);
    for (auto [phi, copied] : zip_equal(header_->phis(), copied_header->phis())) {
      Value* next = mapped(back_, phi.getIncomingValueForBlock(latch));
      while (copied.getNumIncomingValues() > 1) copied.removeIncomingValue(0u, false);
      copied.setIncomingValue(0, next);
      copied.setIncomingBlock(0, copied_latch);
    }
    copied_latch->getTerminator()->replaceSuccessorWith(header_, copied_header);
  }

  // In the copy of the way quotients are those of the original, or the turn begins again.
  void ask_divisions() {
    SmallPtrSet<Value*, 4> not_negative;
    for (Division& division : loop_.divisions) {
      find_row_start(division);
      auto* first = cast<Instruction>(mapped(way_, division.operations.front()));
      Value* index = first->getOperand(0);
      IRBuilder<> b(first);
      Value* rest = b.CreateSub(index, division.row_start);
      Value* holds = b.CreateICmpULT(rest, division.divisor);
      if (!division.is_signed) {
        holds = b.CreateAnd(holds, b.CreateICmpUGE(index, division.row_start));
      } else {
        Constant* zero = ConstantInt::get(index->getType(), 0);
        holds = b.CreateAnd(holds, b.CreateICmpSGT(division.divisor, zero));
        if (!not_negative.contains(index)) holds = b.CreateAnd(holds, b.CreateICmpSGE(index, zero));
        not_negative.insert(rest);
      }
      BasicBlock *before = first->getParent(), *after = SplitBlock(before, first);
      before->getTerminator()->eraseFromParent();
      BranchInst::Create(after, header_, holds, before);
      for (auto [phi, copied] : zip_equal(header_->phis(), mapped(header_)->phis())) phi.addIncoming(&copied, before);
      for (BinaryOperator* operation : division.operations) {
        auto* copied = cast<Instruction>(mapped(way_, operation));
        copied->replaceAllUsesWith(is_remainder(*operation) ? rest : operation);
        if (is_remainder(*operation))
          way_[operation] = rest;
        else
          still_.insert(operation);
        copied->eraseFromParent();
      }
    }
  }

  void find_row_start(Division& division) {
    auto* remainder = find_if(division.operations, [](BinaryOperator* i) { return is_remainder(*i); });
    BinaryOperator* known = remainder == division.operations.end() ? division.operations.front() : *remainder;
    IRBuilder<> b(known->getParent(), std::next(known->getIterator()));
    division.row_start =
        is_remainder(*known) ? b.CreateSub(division.index, known) : b.CreateMul(known, division.divisor);
    if (auto* start = dyn_cast<Instruction>(division.row_start)) still_.insert(start);
  }

  // A value of the two ways is, for who comes behind them, that of the original or of the copy.
  void update_uses(const Blocks& blocks, ValueToValueMapTy& map) {
    for (BasicBlock* block : blocks)
      for (Instruction& i : *block) {
        if (i.getType()->isVoidTy() || still_.contains(&i)) continue;
        SmallVector<Use*, 8> outside;
        for (Use& use : i.uses()) {
          auto* user = cast<Instruction>(use.getUser());
          auto* phi = dyn_cast<PHINode>(user);
          if ((phi ? phi->getIncomingBlock(use) : user->getParent()) != block) outside.push_back(&use);
        }
        if (outside.empty()) continue;
        Value* copied = mapped(map, &i);
        SSAUpdater updater;
        updater.Initialize(i.getType(), i.getName());
        updater.AddAvailableValue(block, &i);
        updater.AddAvailableValue(end_of_copy(block, map), copied);
        for (Use* use : outside) updater.RewriteUse(*use);
      }
  }

  // The last of the blocks that a block's copy was split into.
  static BasicBlock* end_of_copy(BasicBlock* block, ValueToValueMapTy& map) {
    return cast<Instruction>(static_cast<Value*>(map[block->getTerminator()]))->getParent();
  }

  RowLoop& loop_;
  BasicBlock* const header_;
  ValueToValueMapTy back_, way_;
  SmallPtrSet<Instruction*, 8> still_;  ///< the same for the whole row
};

}  // namespace

bool walk_rows(Function& run) {
  SmallPtrSet<BasicBlock*, 8> done;
  bool changed = false;
  for (unsigned count = 0; count < kMostLoops; ++count) {
    const DominatorTree dominators(run);
    const LoopInfo loops(dominators);
    const RowFinder finder(dominators, loops);
    auto next = find_if(run, [&](BasicBlock& block) {
      RowLoop found;
      return !done.contains(&block) && finder.find(block, found);
    });
    if (next == run.end()) break;
    done.insert(&*next);
    RowLoop found;
    finder.find(*next, found);
    done.insert(RowCloser(found).close());
    changed = true;
  }
  return changed;
}

}  // namespace lanza::compiler
