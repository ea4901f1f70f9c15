#include "compiler/passes/vector/scalars/version_strides.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/block_uniformity.hpp"
#include "compiler/passes/vector/analysis/shared_strides.hpp"
#include "compiler/passes/vector/scalars/copied_blocks.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kLargest = 150;   // instructions of a piece of code that is copied
constexpr unsigned kBudget = 1500;   // of all copies of a kernel
constexpr unsigned kMostFactor = 4;  // beyond it lanes are too far from each other

/// Single entry `head`, and single way out, to `exit`: no other block leads there.
struct Piece : SharedStride {
  bool is_region = false;  ///< all that follows a barrier
  BasicBlock *head = nullptr, *exit = nullptr;
  SmallSetVector<BasicBlock*, 8> blocks;
};

class StrideVersions {
 public:
  StrideVersions(Function& kernel, const GroupShape& group) : kernel_(kernel), group_(group) {}

  bool run() {
    while (has_candidates() && step()) {
    }
    return changed_;
  }

 private:
  // Most kernels have none: no analysis for them.
  bool has_candidates() const { return any_of(instructions(kernel_), may_meet_stride); }

  // One piece at a time: what analyses know is gone then.
  bool step() {
    const Shapes shapes(kernel_, group_);
    LaneTables tables(shapes, kernel_.getParent()->getDataLayout());
    for (BasicBlock& block : kernel_)
      for (Instruction& i : block) {
        const Value* address = getLoadStorePointerOperand(&i);
        if (!address || !shapes[address].is_varying() || done_.contains(&i)) continue;
        done_.insert(&i);
        const auto stride = shared_stride(address, shapes, tables);
        Piece piece;
        if (stride && stride->is_argument) find_lane_factors(shapes);
        if (!stride || (!cut_region(i, *stride, piece) && !cut_out(i, {*stride, false}, piece))) continue;
        version(piece);
        return changed_ = true;
      }
    return false;
  }

  // From the barrier in front of it, where all threads come together and know the stride. What is asked there is asked
  // once for the block, and each copy has a loop over groups of its own, as a region.
  bool cut_region(Instruction& access, const SharedStride& stride, Piece& piece) {
    if (!has_sync(kernel_)) return false;
    const DominatorTree before(kernel_);
    Instruction* point = nullptr;
    for (Instruction& i : instructions(kernel_))
      if (as_block_sync(i) && before.dominates(&i, stride.first) && (!point || before.dominates(point, &i))) point = &i;
    if (!point || sync_kind(*as_block_sync(*point)) != LANZA_SYNC_BARRIER || !before.dominates(stride.stride, point) ||
        !BlockUniformity(kernel_).is_uniform(*stride.stride))
      return false;
    Instruction* first = point->getNextNode();
    if (first->isTerminator() && first->getNumSuccessors() == 1 && first->getSuccessor(0)->getSinglePredecessor())
      first = first->getSuccessor(0)->getFirstNonPHI();
    const SharedStride whole{stride.stride, first, stride.multiplies, stride.is_argument};
    return cut_out(access, {whole, /*is_region=*/true}, piece);
  }

  // From where the stride meets the index to where all ways meet again, or to the next synchronisation point; the
  // access lies between.
  bool cut_out(Instruction& access, const Piece& start, Piece& piece) {
    piece = start;
    BasicBlock* block = piece.first->getParent();
    Instruction* end = block->getTerminator();
    for (Instruction* i = piece.first; i; i = i->getNextNode())
      if (as_sync(*i)) {
        end = i;
        break;
      }
    const bool meets_later = !block->getSingleSuccessor() || (piece.is_argument && access.getParent() != block);
    if (end->isTerminator() && meets_later && !succ_empty(block)) {
      if (find_join(access, piece)) return true;
      piece = start;
    }
    const auto size = static_cast<size_t>(std::distance(piece.first->getIterator(), end->getIterator()));
    if (access.getParent() != block || !access.comesBefore(end) || !fits(size, piece)) return false;
    piece.head = SplitBlock(block, hoist_others(end, piece));
    piece.exit = SplitBlock(piece.head, end);
    piece.blocks.insert(piece.head);
    return true;
  }

  // What the copies would share stays in front of them, but not in front of regions. Returns the first instruction that
  // does not.
  Instruction* hoist_others(Instruction* end, const Piece& piece) const {
    if (piece.is_region) return piece.first;
    SmallPtrSet<const Value*, 16> kept{piece.stride};
    for (User* user : piece.stride->users())
      if (step_to_stride(user) == piece.stride) kept.insert(user);
    Instruction* first = end;
    for (Instruction& i : make_early_inc_range(make_range(piece.first->getIterator(), end->getIterator()))) {
      const bool needs_kept = any_of(i.operands(), [&](const Use& operand) { return kept.contains(operand); }) ||
                              (piece.is_argument && lane_factors_.contains(&i));
      if (needs_kept || i.mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(&i)) {
        kept.insert(&i);
        if (first == end) first = &i;
      } else if (first != end) {
        i.moveBefore(first);
      }
    }
    return first;
  }

  bool find_join(Instruction& access, Piece& piece) {
    BasicBlock& block = *piece.first->getParent();
    const PostDominatorTree after(kernel_);
    const DominatorTree before(kernel_);
    BasicBlock* join = join_of(block, *access.getParent(), after);
    if (!join || before.dominates(join, &block)) return false;
    auto size = static_cast<size_t>(std::distance(piece.first->getIterator(), block.end()));
    SmallVector<BasicBlock*, 8> work(successors(&block));
    while (!work.empty()) {
      BasicBlock* next = work.pop_back_val();
      if (next == join || !piece.blocks.insert(next)) continue;
      if (next == &block || !before.dominates(&block, next) || may_not_be_copied(*next)) return false;
      size += next->sizeWithoutDebug();
      append_range(work, successors(next));
    }
    if (!fits(size, piece) || (!piece.is_argument && loops(piece.blocks)) || is_entered_elsewhere(piece.blocks, block))
      return false;
    if (access.getParent() != &block && !piece.blocks.contains(access.getParent())) return false;
    piece.head = SplitBlock(&block, hoist_others(block.getTerminator(), piece));
    piece.blocks.insert(piece.head);
    SmallSetVector<BasicBlock*, 4> ends;
    for (BasicBlock* from : predecessors(join))
      if (piece.blocks.contains(from)) ends.insert(from);
    piece.exit = SplitBlockPredecessors(join, ends.getArrayRef(), ".together");
    return piece.exit != nullptr;
  }

  // Where all ways from the block meet behind the access: behind the loops that it is in.
  static BasicBlock* join_of(BasicBlock& block, BasicBlock& access, const PostDominatorTree& after) {
    auto* node = after.getNode(&block);
    while (node && node->getBlock() &&
           (node->getBlock() == &block || !after.dominates(node->getBlock(), &access) || node->getBlock() == &access))
      node = node->getIDom();
    return node ? node->getBlock() : nullptr;
  }

  // Of what is reached from one block, itself not among them: what no order can bring behind all that leads to it.
  static bool loops(const SmallSetVector<BasicBlock*, 8>& blocks) {
    SmallPtrSet<BasicBlock*, 8> ordered;
    for (bool any = true; any;) {
      any = false;
      for (BasicBlock* block : blocks) {
        if (ordered.contains(block)) continue;
        if (any_of(predecessors(block), [&](BasicBlock* p) { return blocks.contains(p) && !ordered.contains(p); }))
          continue;
        ordered.insert(block);
        any = true;
      }
    }
    return ordered.size() != blocks.size();
  }

  // As a block of a loop with two entries is, from behind.
  static bool is_entered_elsewhere(const SmallSetVector<BasicBlock*, 8>& blocks, const BasicBlock& head) {
    return any_of(blocks, [&](BasicBlock* block) {
      return any_of(predecessors(block), [&](BasicBlock* p) { return p != &head && !blocks.contains(p); });
    });
  }

  static bool may_not_be_copied(BasicBlock& block) {
    return any_of(block, [](Instruction& i) {
      auto* call = dyn_cast<CallBase>(&i);
      return as_sync(i) || isa<AllocaInst>(i) || (call && call->cannotDuplicate());
    });
  }

  bool fits(size_t size, const Piece& piece) const {
    return size <= kLargest && grown_ + size * (piece.is_argument ? 1 : copies()) <= kBudget;
  }
  unsigned copies() const { return Log2_32(group_.lanes) + 1; }

  // What follows from the stride in front of the piece is computed there once more.
  static void recompute_steps(const Piece& piece) {
    for (User* user : SmallVector<User*, 8>(piece.stride->users())) {
      auto* before = cast<Instruction>(user);
      if (step_to_stride(before) != piece.stride || piece.blocks.contains(before->getParent())) continue;
      Instruction* again = before->clone();
      again->insertBefore(piece.head->getFirstNonPHI());
      before->replaceUsesWithIf(again, [&](const Use& use) {
        auto* i = cast<Instruction>(use.getUser());
        return piece.blocks.contains(i->getParent());
      });
    }
  }

  void version(Piece& piece) {
    recompute_steps(piece);
    join_values(piece);
    for (BasicBlock* block : piece.blocks) {
      grown_ += static_cast<unsigned>(block->size()) * copies();
      for (Instruction& i : *block) done_.insert(&i);
    }
    BasicBlock* before = piece.head->getSinglePredecessor();
    if (piece.is_argument) return version_arguments(piece, *before);
    auto* many = BasicBlock::Create(kernel_.getContext(), "stride", &kernel_, piece.head);
    before->getTerminator()->eraseFromParent();
    IRBuilder<> b(before);
    auto* type = cast<IntegerType>(piece.stride->getType());
    SwitchInst* choice = b.CreateSwitch(piece.stride, many);
    for (unsigned stride = 1; stride < (piece.multiplies ? kMostFactor : group_.lanes); stride *= 2) {
      ConstantInt* number = ConstantInt::get(type, stride);
      choice->addCase(number, copy(piece, number));
    }
    b.SetInsertPoint(many);
    if (piece.multiplies) {  // lanes that are a whole group from each other gain nothing
      b.CreateBr(piece.head);
    } else {
      const unsigned bits = Log2_32(group_.lanes);
      Value* whole = b.CreateShl(b.CreateLShr(piece.stride, bits), bits);
      Value* is_whole = b.CreateICmpEQ(whole, piece.stride);
      b.CreateCondBr(is_whole, copy(piece, whole), piece.head);
    }
    end_region(piece, {});
  }

  static void end_region(const Piece& piece, ArrayRef<BasicBlock*> copies) {
    if (!piece.is_region) return;
    emit_own_barrier(piece.head->getFirstNonPHI());
    for (BasicBlock* copy : copies) emit_own_barrier(copy->getFirstNonPHI());
    // What follows is no part of each copy's loop.
    if (!begins_with_barrier(*piece.exit)) emit_own_barrier(piece.exit->getFirstNonPHI());
  }

  // Rows are as far from each other as they are.
  void find_lane_factors(const Shapes& shapes) {
    lane_factors_.clear();
    for (Instruction& i : instructions(kernel_))
      if (i.getOpcode() == Instruction::Mul && !shapes.is_uniform(&i))
        if (Value* factor = argument_factor(i)) lane_factors_[&i] = factor;
  }

  static Value* argument_factor(const Instruction& i) {
    for (Value* factor : i.operands())
      if (argument_stride(factor)) return factor;
    return nullptr;
  }

  // One copy, for all that multiply there being 1.
  void version_arguments(Piece& piece, BasicBlock& before) {
    SmallSetVector<Value*, 4> factors;
    factors.insert(piece.stride);
    for (BasicBlock* block : piece.blocks)
      for (Instruction& i : *block)
        if (auto found = lane_factors_.find(&i); found != lane_factors_.end()) factors.insert(found->second);
    IRBuilder<> b(before.getTerminator());
    Value* are_one = b.getTrue();
    for (Value* factor : factors) {
      Value* argument = argument_stride(factor);
      are_one = b.CreateAnd(are_one, b.CreateICmpEQ(argument, ConstantInt::get(argument->getType(), 1)));
    }
    CopiedBlocks copied(piece.blocks.getArrayRef(), ".neighbours");
    for (Value* factor : factors) copied.replace(factor, ConstantInt::get(factor->getType(), 1));
    copied.join_exits();
    for (BasicBlock* block : copied.blocks())
      for (Instruction& i : *block) done_.insert(&i);
    b.CreateCondBr(are_one, copied.of(piece.head), piece.head);
    before.getTerminator()->eraseFromParent();
    end_region(piece, {copied.of(piece.head)});
  }

  static bool begins_with_barrier(BasicBlock& block) {
    Instruction* first = block.getFirstNonPHI();
    if (first->isTerminator() && block.getSingleSuccessor()) first = block.getSingleSuccessor()->getFirstNonPHI();
    return as_block_sync(*first) != nullptr;
  }

  // What is used behind the piece comes through phis at its exit.
  static void join_values(const Piece& piece) {
    SmallVector<BasicBlock*, 4> ends(predecessors(piece.exit));
    for (BasicBlock* block : piece.blocks)
      for (Instruction& i : *block) {
        SmallVector<Use*, 8> outside;
        for (Use& use : i.uses()) {
          auto* user = cast<Instruction>(use.getUser());
          const bool at_exit = isa<PHINode>(user) && user->getParent() == piece.exit;
          if (!at_exit && !piece.blocks.contains(user->getParent())) outside.push_back(&use);
        }
        if (outside.empty()) continue;
        PHINode* phi = PHINode::Create(i.getType(), ends.size(), i.getName(), piece.exit->begin());
        for (BasicBlock* end : ends) phi->addIncoming(&i, end);
        for (Use* use : outside) use->set(phi);
      }
  }

  // `i < (i ^ 4)` is `(i & 4) == 0`: of bits it is known which lanes have them.
  static bool ask_for_bit(ICmpInst& compare) {
    Value *index = compare.getOperand(0), *other = compare.getOperand(1);
    ICmpInst::Predicate predicate = compare.getPredicate();
    const APInt* stride;
    if (match(index, m_Xor(m_Specific(other), m_APInt(stride)))) {
      std::swap(index, other);
      predicate = compare.getSwappedPredicate();
    }
    if (!compare.isRelational() || !match(other, m_Xor(m_Specific(index), m_APInt(stride)))) return false;
    if (stride->isZero() || (compare.isSigned() && stride->isNegative())) return false;
    IRBuilder<> b(&compare);
    Value* bit = b.CreateAnd(index, APInt::getOneBitSet(stride->getBitWidth(), stride->logBase2()));
    compare.replaceAllUsesWith(ICmpInst::isLT(predicate) || ICmpInst::isLE(predicate) ? b.CreateIsNull(bit)
                                                                                      : b.CreateIsNotNull(bit));
    compare.eraseFromParent();
    return true;
  }

  // The head of a copy in which the stride is that.
  BasicBlock* copy(const Piece& piece, Value* stride) {
    CopiedBlocks copied(piece.blocks.getArrayRef(), ".stride");
    copied.replace(piece.stride, stride);
    copied.join_exits();
    for (BasicBlock* block : copied.blocks())
      for (Instruction& i : make_early_inc_range(*block)) {
        auto* compare = dyn_cast<ICmpInst>(&i);
        if (!compare || !ask_for_bit(*compare)) done_.insert(&i);
      }
    if (piece.is_region) emit_own_barrier(copied.of(piece.head)->getFirstNonPHI());
    return copied.of(piece.head);
  }

  Function& kernel_;
  const GroupShape group_;
  SmallPtrSet<Instruction*, 16> done_;
  DenseMap<const Instruction*, Value*> lane_factors_;  ///< arguments that multiply what lanes differ by
  unsigned grown_ = 0;
  bool changed_ = false;
};

}  // namespace

bool version_strides(Function& kernel, const GroupShape& group) { return StrideVersions(kernel, group).run(); }

}  // namespace lanza::compiler
