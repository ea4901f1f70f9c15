#include "compiler/passes/vector/groups/end_grid_loop.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/thread_context.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostDepth = 8;

Value* without_extension(Value* v) {
  Value* inner;
  return match(v, m_ZExtOrSExt(m_Value(inner))) ? inner : v;
}

// By the constant, also as a shift.
bool is_times(Value* v, Intrinsic::ID id, unsigned size) {
  Value* number;
  const APInt* by;
  v = without_extension(v);
  if (match(v, m_Shl(m_Value(number), m_APInt(by))))
    return by->ult(32) && uint64_t{1} << by->getZExtValue() == size && is_times(number, id, 1);
  if (match(v, m_Mul(m_Value(number), m_APInt(by)))) return *by == size && is_times(number, id, 1);
  auto* call = dyn_cast<IntrinsicInst>(v);
  return size == 1 && call && call->getIntrinsicID() == id;
}

// i = blockIdx.x * blockDim.x + threadIdx.x
bool is_index(Value* v, unsigned size) {
  Value *x, *y;
  v = without_extension(v);
  if (!match(v, m_Add(m_Value(x), m_Value(y))) && !match(v, m_DisjointOr(m_Value(x), m_Value(y)))) return false;
  auto is = [&](Value* block, Value* thread) {
    return is_times(block, Intrinsic::nvvm_read_ptx_sreg_ctaid_x, size) &&
           is_times(thread, Intrinsic::nvvm_read_ptx_sreg_tid_x, 1);
  };
  return is(x, y) || is(y, x);
}

bool is_read(const Instruction& i) {
  auto* call = dyn_cast<CallBase>(&i);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName().starts_with("llvm.nvvm.read");
}

// What is made of it on the way there, and of nothing else than constants, is of no other use.
bool leads_only_to(const Instruction& i, const Value* end) {
  return all_of(i.users(), [&](const User* user) {
    if (user == end) return true;
    auto* made = cast<Instruction>(user);
    const bool is_factor = made->getOpcode() == Instruction::Mul || made->getOpcode() == Instruction::Shl;
    return (isa<CastInst>(made) || is_factor) && leads_only_to(*made, end);
  });
}

class Search {
 public:
  Search(Function& kernel, unsigned block_size) : kernel_(kernel), size_(block_size) {}

  std::optional<GridLoop> find(const LoopInfo& loops) {
    if (loops.getTopLevelLoops().size() != 1) return {};
    loop_ = loops.getTopLevelLoops().front();
    if (!find_turns() || !is_known_by_index() || !shows_inside_only()) return {};
    return GridLoop{index_, count_};
  }

 private:
  bool find_turns() {
    BasicBlock *head = loop_->getHeader(), *latch = loop_->getLoopLatch(), *before = loop_->getLoopPreheader();
    if (!latch || !before || loop_->getExitingBlock() != latch || !loop_->getExitBlock()) return false;
    if (range_size(head->phis()) != 1) return false;
    index_ = &*head->phis().begin();
    next_ = dyn_cast<Instruction>(index_->getIncomingValueForBlock(latch));
    Value* step;
    if (!next_ || !match(next_, m_c_Add(m_Specific(index_), m_Value(step)))) return false;
    if (!is_times(step, Intrinsic::nvvm_read_ptx_sreg_nctaid_x, size_)) return false;
    if (!is_index(index_->getIncomingValueForBlock(before), size_)) return false;
    auto* branch = cast<BranchInst>(latch->getTerminator());
    ICmpInst::Predicate predicate;
    Value* asked;
    if (!match(branch->getCondition(), m_ICmp(predicate, m_Value(asked), m_Value(count_)))) return false;
    if (branch->getSuccessor(0) != head) predicate = ICmpInst::getInversePredicate(predicate);
    if (asked != next_) {
      std::swap(asked, count_);
      predicate = ICmpInst::getSwappedPredicate(predicate);
    }
    const bool is_below = predicate == ICmpInst::ICMP_SLT || predicate == ICmpInst::ICMP_ULT;
    return asked == next_ && is_below && is_made_of_arguments(count_);
  }

  // The index where a thread begins is compared in front of the loop, and the grid's size is a step.
  bool is_known_by_index() const {
    auto* start = cast<Instruction>(without_extension(index_->getIncomingValueForBlock(loop_->getLoopPreheader())));
    auto is_for_loop = [&](const Instruction& of, const auto& self) -> bool {
      return all_of(of.users(), [&](const User* user) {
        auto* i = cast<Instruction>(user);
        return i == index_ || (isa<ICmpInst>(i) && !loop_->contains(i)) || (isa<CastInst>(i) && self(*i, self));
      });
    };
    return is_for_loop(*start, is_for_loop) && all_of(instructions(kernel_), [&](const Instruction& i) {
             return !is_read(i) ||
                    leads_only_to(i, is_times(const_cast<Instruction*>(&i), kGridSize, 1) ? next_ : start);
           });
  }

  bool shows_inside_only() const {
    return all_of(instructions(kernel_), [&](const Instruction& i) {
      if (!loop_->contains(&i)) return !i.mayWriteToMemory();
      return all_of(i.users(), [&](const User* user) { return loop_->contains(cast<Instruction>(user)); });
    });
  }

  static constexpr Intrinsic::ID kGridSize = Intrinsic::nvvm_read_ptx_sreg_nctaid_x;

  Function& kernel_;
  const unsigned size_;
  Loop* loop_ = nullptr;
  PHINode* index_ = nullptr;
  Instruction* next_ = nullptr;
  Value* count_ = nullptr;
};

}  // namespace

bool is_made_of_arguments(const Value* v, unsigned depth) {
  if (isa<ConstantInt, Argument>(v)) return v->getType()->isIntegerTy();
  auto* i = dyn_cast<Instruction>(v);
  if (!i || depth == kMostDepth || !i->getType()->isIntegerTy()) return false;
  if (loaded_member(*i)) return true;
  const bool is_one = isa<BinaryOperator, SExtInst, ZExtInst, TruncInst, FreezeInst>(i);
  return is_one && all_of(i->operands(), [&](const Value* of) { return is_made_of_arguments(of, depth + 1); });
}

std::optional<GridLoop> find_grid_loop(Function& kernel, unsigned block_size) {
  const LoopInfo loops{DominatorTree(kernel)};
  return Search(kernel, block_size).find(loops);
}

Value* end_grid_loop(Function& kernel, unsigned block_size) {
  const LoopInfo loops{DominatorTree(kernel)};
  const auto turns = Search(kernel, block_size).find(loops);
  if (!turns) return nullptr;
  const Loop& loop = *loops.getTopLevelLoops().front();
  BasicBlock *latch = loop.getLoopLatch(), *exit = loop.getExitBlock();
  Value* start = turns->index->getIncomingValueForBlock(loop.getLoopPreheader());
  loop.getHeader()->removePredecessor(latch, /*KeepOneInputPHIs=*/true);
  latch->getTerminator()->eraseFromParent();
  IRBuilder<>(latch).CreateBr(exit);
  turns->index->replaceAllUsesWith(start);
  turns->index->eraseFromParent();
  return turns->count;
}

}  // namespace lanza::compiler
