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
#include "compiler/passes/vector/analysis/lane_tables.hpp"
#include "compiler/passes/vector/scalars/copied_blocks.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kLargest = 150;  // instructions of a piece of code that is copied
constexpr unsigned kBudget = 1500;  // of all copies of a kernel
constexpr unsigned kMostDepth = 10;

/// Single entry `head`, and single way out, to `exit`: no other block leads there.
struct Piece {
  Value* stride = nullptr;
  Instruction* first = nullptr;  ///< of an index and the stride
  BasicBlock *head = nullptr, *exit = nullptr;
  SmallSetVector<BasicBlock*, 8> blocks;
};

bool works_on_bits(const Instruction& i) {
  if (auto* sum = dyn_cast<PossiblyDisjointInst>(&i)) return !sum->isDisjoint();
  switch (i.getOpcode()) {
    case Instruction::And:
    case Instruction::Xor:
    case Instruction::URem:
    case Instruction::UDiv:
    case Instruction::SRem:
    case Instruction::SDiv:
      return true;
    default:
      return false;
  }
}

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
  bool has_candidates() const {
    return any_of(instructions(kernel_), [](Instruction& i) {
      return works_on_bits(i) && i.getType()->isIntegerTy() && !isa<Constant>(i.getOperand(1));
    });
  }

  // One piece at a time: what analyses know is gone then.
  bool step() {
    const Shapes shapes(kernel_, group_);
    LaneTables tables(shapes, kernel_.getParent()->getDataLayout());
    for (BasicBlock& block : kernel_)
      for (Instruction& i : block) {
        const Value* address = getLoadStorePointerOperand(&i);
        if (!address || !shapes[address].is_varying() || done_.contains(&i)) continue;
        done_.insert(&i);
        Piece piece;
        if (!find_stride(address, shapes, tables, piece) || !cut_out(i, piece)) continue;
        version(piece);
        return changed_ = true;
      }
    return false;
  }

  // What the bits of a lane's index meet on the way to the address.
  static bool find_stride(const Value* value, const Shapes& shapes, LaneTables& tables, Piece& piece,
                          unsigned depth = 0) {
    auto* i = dyn_cast<Instruction>(const_cast<Value*>(value));
    if (!i || depth == kMostDepth || !shapes[value].is_varying()) return false;
    if (!isa<BinaryOperator, CastInst, GetElementPtrInst>(i)) return false;
    for (unsigned k = 0; works_on_bits(*i) && k < 2; ++k) {
      const Value* index = i->getOperand(1 - k);
      if (!shapes.is_uniform(i->getOperand(k)) || shapes.is_uniform(index) || !tables.of(index)) continue;
      Value* root = root_of(i->getOperand(k));
      if (!root || root->getType()->getIntegerBitWidth() < 32) continue;
      piece.stride = root;
      piece.first = i;
      return true;
    }
    return any_of(i->operands(),
                  [&](const Use& operand) { return find_stride(operand, shapes, tables, piece, depth + 1); });
  }

  // s of s - 1, ~s, -s and the guarded divisor; null: a constant.
  static Value* root_of(Value* v) {
    while (Value* x = step_to_root(v)) v = x;
    return isa<Constant>(v) ? nullptr : v;
  }

  static Value* step_to_root(Value* v) {
    Value* x;
    const bool known = match(v, m_Add(m_Value(x), m_ConstantInt())) || match(v, m_Not(m_Value(x))) ||
                       match(v, m_Neg(m_Value(x))) || match(v, m_Select(m_Value(), m_One(), m_Value(x)));
    return known ? x : nullptr;
  }

  // From where the stride meets the index to where all ways meet again, or to the next synchronisation point; the
  // access lies between.
  bool cut_out(Instruction& access, Piece& piece) {
    BasicBlock* block = piece.first->getParent();
    Instruction* end = block->getTerminator();
    for (Instruction* i = piece.first; i; i = i->getNextNode())
      if (as_sync(*i)) {
        end = i;
        break;
      }
    if (end->isTerminator() && !block->getSingleSuccessor() && !succ_empty(block)) return find_join(access, piece);
    const auto size = static_cast<size_t>(std::distance(piece.first->getIterator(), end->getIterator()));
    if (access.getParent() != block || !access.comesBefore(end) || !fits(size)) return false;
    piece.head = SplitBlock(block, hoist_others(end, piece));
    piece.exit = SplitBlock(piece.head, end);
    piece.blocks.insert(piece.head);
    return true;
  }

  // What the copies would share stays in front of them. Returns the first instruction that does not.
  static Instruction* hoist_others(Instruction* end, const Piece& piece) {
    SmallPtrSet<const Value*, 16> kept{piece.stride};
    for (User* user : piece.stride->users())
      if (step_to_root(user) == piece.stride) kept.insert(user);
    Instruction* first = end;
    for (Instruction& i : make_early_inc_range(make_range(piece.first->getIterator(), end->getIterator()))) {
      const bool needs_kept = any_of(i.operands(), [&](const Use& operand) { return kept.contains(operand); });
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
    auto* node = after.getNode(&block);
    BasicBlock* join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
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
    if (!fits(size) || loops(piece.blocks) || is_entered_elsewhere(piece.blocks, block)) return false;
    if (access.getParent() != &block && !piece.blocks.contains(access.getParent())) return false;
    piece.head = SplitBlock(&block, hoist_others(block.getTerminator(), piece));
    piece.blocks.insert(piece.head);
    SmallSetVector<BasicBlock*, 4> ends;
    for (BasicBlock* from : predecessors(join))
      if (piece.blocks.contains(from)) ends.insert(from);
    piece.exit = SplitBlockPredecessors(join, ends.getArrayRef(), ".together");
    return piece.exit != nullptr;
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

  bool fits(size_t size) const { return size <= kLargest && grown_ + size * copies() <= kBudget; }
  unsigned copies() const { return Log2_32(group_.lanes) + 1; }

  // What follows from the stride in front of the piece is computed there once more.
  static void recompute_steps(const Piece& piece) {
    for (User* user : SmallVector<User*, 8>(piece.stride->users())) {
      auto* before = cast<Instruction>(user);
      if (step_to_root(before) != piece.stride || piece.blocks.contains(before->getParent())) continue;
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
    auto* many = BasicBlock::Create(kernel_.getContext(), "stride", &kernel_, piece.head);
    before->getTerminator()->eraseFromParent();
    IRBuilder<> b(before);
    auto* type = cast<IntegerType>(piece.stride->getType());
    SwitchInst* choice = b.CreateSwitch(piece.stride, many);
    for (unsigned stride = 1; stride < group_.lanes; stride *= 2) {
      ConstantInt* number = ConstantInt::get(type, stride);
      choice->addCase(number, copy(piece, number));
    }
    b.SetInsertPoint(many);
    const unsigned bits = Log2_32(group_.lanes);
    Value* whole = b.CreateShl(b.CreateLShr(piece.stride, bits), bits);
    Value* is_whole = b.CreateICmpEQ(whole, piece.stride);
    b.CreateCondBr(is_whole, copy(piece, whole), piece.head);
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

  // The head of a copy in which the stride is that.
  BasicBlock* copy(const Piece& piece, Value* stride) {
    CopiedBlocks copied(piece.blocks.getArrayRef(), ".stride");
    copied.replace(piece.stride, stride);
    copied.join_exits();
    for (BasicBlock* block : copied.blocks())
      for (Instruction& i : *block) done_.insert(&i);
    return copied.of(piece.head);
  }

  Function& kernel_;
  const GroupShape group_;
  SmallPtrSet<Instruction*, 16> done_;
  unsigned grown_ = 0;
  bool changed_ = false;
};

}  // namespace

bool version_strides(Function& kernel, const GroupShape& group) { return StrideVersions(kernel, group).run(); }

}  // namespace lanza::compiler
