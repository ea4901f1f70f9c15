#include "compiler/passes/vector/scalars/version_quotients.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/passes/guard_division.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/scalars/fold_rings.hpp"
#include "compiler/passes/vector/scalars/quotient_rows.hpp"
#include "compiler/passes/vector/scalars/version_guards.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kLargest = 600;         // instructions of a piece
constexpr unsigned kBudget = 1500;         // of all copies of a kernel
constexpr unsigned kMostAnalysed = 15000;  // in all rounds: each copy asks for new analyses of the whole kernel
constexpr unsigned kLargestWalk = 250;     // instructions of a piece

// Of a turn: what only counts it and asks whether there is another, by what the turn began with.
SmallPtrSet<Instruction*, 8> counting(const Loop& loop) {
  BasicBlock *latch = loop.getLoopLatch(), *header = loop.getHeader();
  SmallPtrSet<Instruction*, 8> found;
  auto begins = [&](Value* v) {
    auto* phi = dyn_cast<PHINode>(v);
    return loop.isLoopInvariant(v) || (phi && phi->getParent() == header);
  };
  for (Instruction& i : *latch) {
    if (!isa<BinaryOperator, CmpInst, CastInst>(i) || i.isIntDivRem()) continue;
    if (all_of(i.operands(), [&](Value* v) { return begins(v) || found.contains(dyn_cast<Instruction>(v)); }))
      found.insert(&i);
  }
  auto is_for_end = [&](User* user) {
    auto* i = cast<Instruction>(user);
    auto* phi = dyn_cast<PHINode>(i);
    return found.contains(i) || i == latch->getTerminator() || !loop.contains(i) || (phi && phi->getParent() == header);
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (Instruction& i : *latch)
      if (found.contains(&i) && !all_of(i.users(), is_for_end)) changed = found.erase(&i);
  }
  return found;
}

// The latch without the turn's work, which hands on by phis what is looked at there and later.
BasicBlock* part_end_of_turn(const Loop& loop) {
  BasicBlock* latch = loop.getLoopLatch();
  const SmallPtrSet<Instruction*, 8> end = counting(loop);
  BasicBlock* parted = SplitBlock(latch, latch->getTerminator());
  for (Instruction& i : make_early_inc_range(*latch))
    if (end.contains(&i)) i.moveBefore(parted->getTerminator());
  auto is_work = [&](BasicBlock* block) { return block != parted && loop.contains(block); };
  for (BasicBlock* block : loop.blocks())
    for (Instruction& i : *block) {
      SmallVector<Use*, 4> handed;
      for (Use& use : i.uses()) {
        auto* user = cast<Instruction>(use.getUser());
        auto* phi = dyn_cast<PHINode>(user);
        if (!is_work(phi ? phi->getIncomingBlock(use) : user->getParent())) handed.push_back(&use);
      }
      if (handed.empty() || block == parted || (isa<PHINode>(i) && block == loop.getHeader())) continue;
      auto* phi = PHINode::Create(i.getType(), 1, i.getName(), parted->begin());
      phi->addIncoming(&i, latch);
      for (Use* use : handed) use->set(phi);
    }
  return parted;
}

using Blocks = SmallSetVector<BasicBlock*, 16>;

class QuotientVersions {
 public:
  QuotientVersions(Function& kernel, const GroupShape& group) : kernel_(kernel), group_(group) {}

  bool run() {
    for (unsigned analysed = 0; analysed < kMostAnalysed && has_candidates(); analysed += kernel_.getInstructionCount())
      if (!step()) break;
    return changed_;
  }

 private:
  bool may_gain(const Instruction& i) const {
    auto* division = dyn_cast<BinaryOperator>(&i);
    if (!division || done_.contains(&i) || division->getType()->getScalarSizeInBits() < QuotientRows::kLeastBits)
      return false;
    if (i.isShift() || i.getOpcode() == Instruction::And) return columns_.contains(i.getOperand(0));
    if (!division->isIntDivRem()) return false;
    return !wraps_neighbour(*division);
  }

  // Most kernels have none: no analysis for them.
  bool has_candidates() const {
    return group_.lanes > 1 && !kernel_.hasFnAttribute(kRowsElsewhere) &&
           any_of(instructions(kernel_), [&](Instruction& i) { return may_gain(i); });
  }

  // One piece at a time: what analyses know is gone then.
  bool step() {
    const DominatorTree dominators(kernel_);
    const LoopInfo loops(dominators);
    const Shapes shapes(kernel_, group_);
    for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&kernel_))
      for (Instruction& i : *block) {
        if (!may_gain(i)) continue;
        done_.insert(&i);
        if (!shapes[&i].is_varying() || !shapes[i.getOperand(0)].is_strided()) continue;
        if (part_from_turn(i, loops) || part_from_rest(i, dominators, loops)) {
          done_.erase(&i);
          return changed_ = true;
        }
        if (version(i, dominators, loops, shapes)) return changed_ = true;
      }
    return false;
  }

  // The end of a loop's turn gets a block of its own, which no copy has: loops with one way on are understood by who
  // comes later.
  bool part_from_turn(Instruction& division, const LoopInfo& loops) {
    const Loop* loop = loops.getLoopFor(division.getParent());
    BasicBlock* latch = loop ? loop->getLoopLatch() : nullptr;
    if (!latch || ends_.contains(latch)) return false;
    ends_.insert(part_end_of_turn(*loop));
    return true;
  }

  // Of code that is too much for a copy, or in which threads wait, as much as fits a walk gets its end where its ways
  // meet, behind an access.
  bool part_from_rest(Instruction& division, const DominatorTree& dominators, const LoopInfo& loops) {
    BasicBlock* start = division.getParent();
    if (ends_.contains(start->getSingleSuccessor())) return false;
    const Blocks all = behind(division, dominators, loops);
    const bool waits = any_of(make_range(division.getIterator(), start->end()), is_sync);
    if (!waits && size_of_piece(division, all) <= kLargest) return false;
    const PostDominatorTree ways(kernel_);
    Instruction* end = nullptr;
    Blocks piece;
    for (const DomTreeNode* node = ways.getNode(start); node; node = node->getIDom()) {
      BasicBlock* meet = node->getBlock();
      if (!meet || (meet != start && !all.contains(meet))) break;
      if (meet != start) piece = blocks_until(meet, start, all);
      if (size_of_piece(division, piece) > kLargestWalk) break;
      const auto from = meet == start ? division.getIterator() : meet->begin();
      const auto sync = find_if(make_range(from, meet->end()), is_sync);
      for (Instruction& i : make_range(from, sync))
        if (i.mayReadOrWriteMemory()) end = i.getNextNode();
      if (sync != meet->end()) break;
    }
    if (!end || end->getParent()->getTerminator() == end) return false;
    ends_.insert(SplitBlock(end->getParent(), end));
    return true;
  }

  static bool is_sync(Instruction& i) { return as_sync(i) != nullptr; }

  static Blocks blocks_until(BasicBlock* meet, BasicBlock* start, const Blocks& all) {
    Blocks blocks;
    SmallVector<BasicBlock*, 16> work(successors(start));
    while (!work.empty()) {
      BasicBlock* block = work.pop_back_val();
      if (block != meet && all.contains(block) && blocks.insert(block)) append_range(work, successors(block));
    }
    return blocks;
  }

  // Without end where threads wait.
  static size_t size_of_piece(Instruction& first, const Blocks& behind) {
    size_t size = std::distance(first.getIterator(), first.getParent()->end());
    for (BasicBlock* block : behind) {
      if (any_of(*block, is_sync)) return SIZE_MAX;
      size += block->size();
    }
    return size;
  }

  // What runs after the division in the same turn of its loop, and only after it.
  Blocks behind(Instruction& first, const DominatorTree& dominators, const LoopInfo& loops) const {
    Blocks blocks;
    BasicBlock* start = first.getParent();
    Loop* loop = loops.getLoopFor(start);
    SmallVector<BasicBlock*, 16> work(successors(start));
    while (!work.empty()) {
      BasicBlock* block = work.pop_back_val();
      if (block == start || !dominators.dominates(start, block) || (loop && !loop->contains(block)) ||
          ends_.contains(block) || !blocks.insert(block))
        continue;
      append_range(work, successors(block));
    }
    return blocks;
  }

  static bool may_be_copied(Instruction& i) {
    auto* call = dyn_cast<CallBase>(&i);
    return !as_sync(i) && !isa<AllocaInst>(i) && !(call && call->cannotDuplicate());
  }

  static bool may_run_early(Instruction& i) {
    auto* call = dyn_cast<CallBase>(&i);
    const bool is_base = call && call->doesNotAccessMemory() && call->willReturn() && !call->arg_size();
    return is_base || (!i.mayReadOrWriteMemory() && isSafeToSpeculativelyExecute(&i));
  }

  bool version(Instruction& first, const DominatorTree& dominators, const LoopInfo& loops, const Shapes& shapes) {
    BasicBlock* before = first.getParent();
    Blocks blocks = behind(first, dominators, loops);
    SmallVector<Instruction*, 64> code;
    for (Instruction& i : make_range(first.getIterator(), before->end())) code.push_back(&i);
    for (BasicBlock* block : ReversePostOrderTraversal<BasicBlock*>(before))
      if (blocks.contains(block))
        for (Instruction& i : *block) code.push_back(&i);
    if (code.size() > kLargest || grown_ + code.size() > kBudget) return false;
    const bool has_memory = any_of(code, [](Instruction* i) { return i->mayReadOrWriteMemory(); });
    if (!has_memory || !all_of(code, [](Instruction* i) { return may_be_copied(*i); })) return false;
    SmallPtrSet<Instruction*, 32> inside(code.begin(), code.end());
    auto stays_inside = [&](Instruction* i) {
      return all_of(i->uses(), [&](Use& use) {
        auto* phi = dyn_cast<PHINode>(use.getUser());
        return inside.contains(phi ? phi->getIncomingBlock(use)->getTerminator() : cast<Instruction>(use.getUser()));
      });
    };
    auto goes_before = [&](Instruction* i) {
      return !stays_inside(i) && may_run_early(*i) && i != &first &&
             none_of(i->operands(), [&](Value* v) { return inside.contains(dyn_cast<Instruction>(v)); });
    };
    erase_if(code, [&](Instruction* i) {
      if (!goes_before(i)) return false;
      i->moveBefore(&first);
      return inside.erase(i);
    });
    if (!all_of(code, stays_inside)) return false;
    QuotientRows rows(first, shapes, dominators, columns_);
    for (Instruction* i : code) rows.take(*i);
    if (!rows.all() || !rows.divisions().contains(&first)) return false;
    Walk walk;
    // Loops that lanes leave one by one would run once for each row.
    const bool may_walk = rows.has_rows() && code.size() <= kLargestWalk &&
                          none_of(blocks, [&](BasicBlock* block) { return shapes.is_left_apart(block); });
    BasicBlock* after = may_walk ? after_walk(before, blocks, inside) : nullptr;
    if (after) walk = begin_walk(rows.zeros_of_walk());
    std::optional<QuotientRows> walked;
    if (after) {
      walked.emplace(first, shapes, dominators, columns_, walk);
      for (Instruction* i : code) walked->take(*i);
    }
    BasicBlock* head = SplitBlock(before, &first);
    blocks.insert(head);
    BasicBlock* fast = copy(blocks, head, rows);
    before->getTerminator()->eraseFromParent();
    BasicBlock* other = after ? make_walk(blocks, head, rows.walks_far(), *walked, walk, after) : head;
    auto* choice = BranchInst::Create(fast, other, rows.all(), before);
    choice->setMetadata(LLVMContext::MD_prof, MDBuilder(kernel_.getContext()).createLikelyBranchWeights());
    done_.insert(code.begin(), code.end());
    grown_ += static_cast<unsigned>(code.size() * (after ? 2 : 1));
    return true;
  }

  // Where all ways out of the piece lead to, none of them with a value of its own; null: they do not. A return of the
  // piece's: a block that returns.
  BasicBlock* after_walk(BasicBlock* start, const Blocks& behind, const SmallPtrSetImpl<Instruction*>& inside) const {
    BasicBlock* after = nullptr;
    bool returns = false;
    for (BasicBlock* block : concat<BasicBlock* const>(behind, ArrayRef(start))) {
      returns |= isa<ReturnInst>(block->getTerminator());
      for (BasicBlock* exit : successors(block)) {
        if (behind.contains(exit)) continue;
        if (exit == start || (after && after != exit)) return nullptr;
        after = exit;
      }
    }
    if (!after) return returns ? make_end() : nullptr;
    if (returns && !isa<ReturnInst>(after->front())) return nullptr;
    for (PHINode& phi : after->phis()) {
      Value* only = nullptr;
      for (auto [value, block] : zip_equal(phi.incoming_values(), phi.blocks())) {
        if (block != start && !behind.contains(block)) continue;
        if ((only && only != value) || inside.contains(dyn_cast<Instruction>(value))) return nullptr;
        only = value;
      }
    }
    return after;
  }

  BasicBlock* make_end() const {
    auto* end = BasicBlock::Create(kernel_.getContext(), "walked", &kernel_);
    IRBuilder<>(end).CreateRetVoid();
    return end;
  }

  Walk begin_walk(unsigned zeros) const {
    Walk walk{BasicBlock::Create(kernel_.getContext(), "walk", &kernel_)};
    IRBuilder<> b(walk.head);
    walk.first = b.CreatePHI(b.getInt32Ty(), 2, "first");
    walk.zeros = std::min<unsigned>(zeros, Log2_32(group_.lanes));
    return walk;
  }

  // The block that asks whether there are few rows: then a turn does the lanes of one, otherwise the original all.
  BasicBlock* make_walk(const Blocks& blocks, BasicBlock* head, Value* walks_far, const QuotientRows& rows,
                        const Walk& walk, BasicBlock* after) {
    ValueToValueMapTy map;
    SmallVector<BasicBlock*, 16> copies = clone(blocks, ".walk", map);
    LLVMContext& c = kernel_.getContext();
    auto* asks = BasicBlock::Create(c, "far", &kernel_);
    auto* latch = BasicBlock::Create(c, "walk.next", &kernel_);
    for (BasicBlock* block : copies) {
      for (Instruction& i : *block) done_.insert(&i);
      Instruction* end = block->getTerminator();
      if (isa<ReturnInst>(end)) {
        IRBuilder<>(end).CreateBr(latch);
        end->eraseFromParent();
      } else if (after) {
        end->replaceSuccessorWith(after, latch);
      }
    }
    replace(rows, map, walk.first);
    IRBuilder<> b(walk.head);
    Value* lane = emit_lane(b);
    Value* in_row = b.CreateAnd(b.CreateICmpUGE(lane, walk.first), b.CreateICmpULT(lane, rows.end()));
    b.CreateCondBr(in_row, cast<BasicBlock>(map[head]), latch)
        ->setMetadata(kForSomeLanes, MDNode::get(kernel_.getContext(), {}));
    b.SetInsertPoint(latch);
    b.CreateCondBr(b.CreateICmpULT(rows.end(), b.getInt32(group_.lanes)), walk.head, after);
    b.SetInsertPoint(asks);
    b.CreateCondBr(walks_far ? walks_far : b.getTrue(), walk.head, head);
    walk.first->addIncoming(b.getInt32(0), asks);
    walk.first->addIncoming(rows.end(), latch);
    for (PHINode& phi : after->phis())
      for (BasicBlock* block : phi.blocks())
        if (blocks.contains(block)) {
          phi.addIncoming(phi.getIncomingValueForBlock(block), latch);
          break;
        }
    return asks;
  }

  SmallVector<BasicBlock*, 16> clone(const Blocks& blocks, const char* suffix, ValueToValueMapTy& map) {
    SmallVector<BasicBlock*, 16> copies;
    for (BasicBlock* block : blocks) {
      BasicBlock* copied = CloneBasicBlock(block, map, suffix, &kernel_);
      map[block] = copied;
      copies.push_back(copied);
    }
    remapInstructionsInBlocks(copies, map);
    return copies;
  }

  using Columns = SmallVector<std::pair<Value*, Value*>, 6>;

  // What is known of divisions, of lanes that count from `first`. The result: remainders, with the lengths of their
  // rows, which are above 0.
  Columns replace(const QuotientRows& rows, ValueToValueMapTy& map, Value* first) {
    Columns columns;
    for (const auto& [division, value] : rows.divisions()) {
      auto* copied = cast_or_null<Instruction>(map.lookup(division));
      if (!copied) continue;  // it stands in front of what is copied
      IRBuilder<> b(copied);
      Value* known = value_of_lanes(b, value, first);
      copied->replaceAllUsesWith(known);
      if (value.stride && value.part == Affine::Whole) {
        if (!first) columns_.try_emplace(known, value.is_unsigned);
        if (copied->getOpcode() == Instruction::SRem) columns.push_back({known, copied->getOperand(1)});
      }
      done_.erase(copied);
      copied->eraseFromParent();  // else it would be asked about again
    }
    for (const auto& [select, truth] : rows.guards()) {
      auto* copied = cast_or_null<SelectInst>(map.lookup(select));
      if (copied) copied->replaceAllUsesWith(truth ? copied->getTrueValue() : copied->getFalseValue());
    }
    return columns;
  }

  // Its head.
  BasicBlock* copy(const Blocks& blocks, BasicBlock* head, const QuotientRows& rows) {
    ValueToValueMapTy map;
    const SmallVector<BasicBlock*, 16> copies = clone(blocks, ".row", map);
    for (BasicBlock* block : blocks)
      for (BasicBlock* exit : successors(block))
        if (!blocks.contains(exit)) add_incoming(*exit, *block, map);
    const Columns columns = replace(rows, map, nullptr);
    fold_rings_of(columns, copies);
    for (auto [column, width] : columns) keep_backwards(column, unguarded_divisor(width));
    return cast<BasicBlock>(map[head]);
  }

  // (column + 1) % width; a width without a sign might be so large that the sum wraps.
  static void fold_rings_of(ArrayRef<std::pair<Value*, Value*>> columns, ArrayRef<BasicBlock*> blocks) {
    for (BasicBlock* block : blocks)
      for (Instruction& i : make_early_inc_range(*block)) {
        auto* remainder = dyn_cast<BinaryOperator>(&i);
        if (!remainder || remainder->getOpcode() != Instruction::SRem) continue;
        Value* divisor = remainder->getOperand(1);
        fold_ring(*remainder, [&](Value* index, Value*) { return is_contained(columns, std::pair(index, divisor)); });
      }
  }

  // width - 1 - column, also as LLVM writes it, width + ~column: below the width, and not negative.
  static void keep_backwards(Value* column, Value* width) {
    for (User* user : column->users()) {
      if (match(user, m_Sub(m_Add(m_Specific(width), m_AllOnes()), m_Specific(column))))
        cast<Instruction>(user)->setHasNoSignedWrap();
      if (!match(user, m_Not(m_Specific(column)))) continue;
      for (User* sum : user->users())
        if (match(sum, m_c_Add(m_Specific(user), m_Specific(width)))) cast<Instruction>(sum)->setHasNoSignedWrap();
    }
  }

  // An exit that several edges of the block lead to has an entry for each.
  static void add_incoming(BasicBlock& exit, BasicBlock& block, ValueToValueMapTy& map) {
    auto* copied = cast<BasicBlock>(map[&block]);
    for (PHINode& phi : exit.phis()) {
      Value* value = phi.getIncomingValueForBlock(&block);
      auto found = map.find(value);
      phi.addIncoming(found == map.end() ? value : static_cast<Value*>(found->second), copied);
    }
  }

  Function& kernel_;
  const GroupShape group_;
  SmallPtrSet<const Instruction*, 32> done_;
  QuotientRows::Columns columns_;
  SmallPtrSet<const BasicBlock*, 4> ends_;  ///< of turns, or behind a piece
  unsigned grown_ = 0;
  bool changed_ = false;
};

}  // namespace

bool version_quotients(Function& kernel, const GroupShape& group) { return QuotientVersions(kernel, group).run(); }

}  // namespace lanza::compiler
