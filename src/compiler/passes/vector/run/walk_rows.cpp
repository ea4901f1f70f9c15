#include "compiler/passes/vector/run/walk_rows.hpp"

#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

#include "compiler/passes/vector/analysis/row_loops.hpp"
#include "compiler/passes/vector/run/carry_quotients.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kMostLoops = 4;  // of a kernel

namespace {

/// Copies the way back and the way to the row, so that the row's end leads to its beginning.
class RowCloser {
  using Blocks = RowLoop::Blocks;

 public:
  explicit RowCloser(RowLoop& loop) : loop_(loop), header_(loop.way.front()) {}

  /// The copy of the block that asks.
  BasicBlock* close() {
    copy(loop_.back, back_);
    copy(loop_.way, way_);
    enter_back();
    link(loop_.back, back_);
    leave_loop();
    enter_way();
    link(loop_.way, way_);
    begin_again_elsewhere();
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

  // The copies follow on each other.
  static void link(const Blocks& blocks, const ValueToValueMapTy& map) {
    for (auto [before, block] : zip(blocks, drop_begin(blocks)))
      for (PHINode& phi : cast<BasicBlock>(mapped(map, block))->phis()) keep_incoming(phi, before, mapped(map, before));
  }

  void leave_loop() {
    BasicBlock *latch = loop_.back.back(), *copied = mapped(latch);
    for (BasicBlock* exit : successors(latch)) {
      if (exit == header_) continue;
      for (PHINode& phi : exit->phis()) phi.addIncoming(mapped(back_, phi.getIncomingValueForBlock(latch)), copied);
    }
  }

  // Where the next turn does not go to the row it begins again, as itself. Until that is clear, its quotients may be
  // wrong.
  void begin_again_elsewhere() {
    for (auto [block, next] :
         zip_equal(loop_.way, concat<BasicBlock* const>(drop_begin(loop_.way), ArrayRef(loop_.row)))) {
      BasicBlock* copied = mapped(block);
      for (Instruction& i : *copied) i.dropPoisonGeneratingFlags();
      auto* branch = cast<BranchInst>(copied->getTerminator());
      if (!branch->isConditional()) continue;
      branch->setSuccessor(cast<BranchInst>(block->getTerminator())->getSuccessor(0) == next ? 1 : 0, header_);
      begin_again_from(copied);
    }
  }

  void begin_again_from(BasicBlock* block) {
    for (auto [phi, copied] : zip_equal(header_->phis(), mapped(header_)->phis())) phi.addIncoming(&copied, block);
  }

  static void keep_incoming(PHINode& phi, BasicBlock* original, Value* copy) {
    for (int k = static_cast<int>(phi.getNumIncomingValues()) - 1; k >= 0; --k) {
      BasicBlock* from = phi.getIncomingBlock(static_cast<unsigned>(k));
      if (from != original && from != copy) phi.removeIncomingValue(static_cast<unsigned>(k), false);
    }
    phi.setIncomingBlock(0, cast<BasicBlock>(copy));
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
    for (Division& division : loop_.divisions) {
      Value* start = find_row_start(division);
      auto* first = cast<Instruction>(mapped(way_, division.operations.front()));
      Value* index = first->getOperand(0);
      IRBuilder<> b(first);
      Value* rest = b.CreateSub(index, start);
      if (Value* holds = ask(b, division, index, start, rest)) {
        BasicBlock *before = first->getParent(), *after = SplitBlock(before, first);
        before->getTerminator()->eraseFromParent();
        IRBuilder<>(before).CreateCondBr(holds, after, header_);
        begin_again_from(before);
      }
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

  // Null: who comes to the row knows it.
  Value* ask(IRBuilder<>& b, const Division& division, Value* index, Value* start, Value* rest) const {
    Value* all = nullptr;
    auto holds = [&](Value* condition) { all = all ? b.CreateAnd(all, condition) : condition; };
    const WayFacts& facts = loop_.facts;
    if (!facts.is_below(division)) holds(b.CreateICmpULT(rest, division.divisor));
    Constant* zero = ConstantInt::get(index->getType(), 0);
    if (!division.is_signed) {
      holds(b.CreateICmpUGE(index, start));
    } else {
      if (!facts.is_positive(division.divisor)) holds(b.CreateICmpSGT(division.divisor, zero));
      if (!facts.is_not_negative(division.index, loop_.divisions)) holds(b.CreateICmpSGE(index, zero));
    }
    return all;
  }

  // The quotient times the divisor, which stands still too.
  Value* find_row_start(const Division& division) {
    const auto* found = find_if(division.operations, [](BinaryOperator* i) { return is_remainder(*i); });
    BinaryOperator* known = found == division.operations.end() ? division.operations.front() : *found;
    IRBuilder<> b(known->getParent(), std::next(known->getIterator()));
    Value* start = is_remainder(*known) ? b.CreateSub(division.index, known) : b.CreateMul(known, division.divisor);
    if (auto* instruction = dyn_cast<Instruction>(start)) still_.insert(instruction);
    return start;
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
    auto next = find_if(run, [&](BasicBlock& block) {
      RowLoop found;
      return !done.contains(&block) && find_row_loop(block, dominators, loops, found);
    });
    if (next == run.end()) break;
    done.insert(&*next);
    RowLoop found;
    find_row_loop(*next, dominators, loops, found);
    gather_divisions(found);
    done.insert(RowCloser(found).close());
    carry_quotients(found);
    changed = true;
  }
  return changed;
}

}  // namespace lanza::compiler
