#include "compiler/passes/vector/scalars/inner_counters.hpp"

#include <optional>

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

/// Where first <= end - 1, or first <= end for `i <= end`, as signed numbers, the counter is none but these.
struct Range {
  PHINode* counter;
  Value *first, *end;
  bool is_inclusive;
};

// Asked at the loop's end, about this turn or the next.
std::optional<Range> range_of(const Loop& loop) {
  const BasicBlock *before = loop.getLoopPreheader(), *latch = loop.getLoopLatch();
  auto* branch = before && latch ? dyn_cast<BranchInst>(latch->getTerminator()) : nullptr;
  if (!branch || !branch->isConditional() || loop.getExitingBlock() != latch) return {};
  ICmpInst::Predicate predicate;
  Value *asked, *end, *counter;
  if (!match(branch->getCondition(), m_ICmp(predicate, m_Value(asked), m_Value(end)))) return {};
  if (branch->getSuccessor(0) != loop.getHeader()) predicate = ICmpInst::getInversePredicate(predicate);
  if (predicate != ICmpInst::ICMP_NE && predicate != ICmpInst::ICMP_SLT) return {};
  if (!match(asked, m_Add(m_Value(counter), m_One()))) counter = asked;
  auto* phi = dyn_cast<PHINode>(counter);
  if (!phi || phi->getParent() != loop.getHeader() || !loop.isLoopInvariant(end)) return {};
  if (phi->getType()->getScalarSizeInBits() > 32) return {};
  if (!match(phi->getIncomingValueForBlock(latch), m_Add(m_Specific(phi), m_One()))) return {};
  return Range{phi, phi->getIncomingValueForBlock(before), end, counter == asked};
}

}  // namespace

void InnerCounters::find(ArrayRef<BasicBlock*> piece, const LoopInfo& loops) {
  for (BasicBlock* block : piece) {
    const auto range = loops.isLoopHeader(block) ? range_of(*loops.getLoopFor(block)) : std::nullopt;
    if (!range || !shapes_.is_uniform(range->first) || !shapes_.is_uniform(range->end)) continue;
    if (has(range->first) || has(range->end) || !firsts_.can(range->first) || !firsts_.can(range->end)) continue;
    Value *first = firsts_.copy(range->first), *last = firsts_.copy(range->end);
    if (!range->is_inclusive) last = firsts_.builder.CreateSub(last, ConstantInt::get(last->getType(), 1));
    firsts_.replace(range->counter, first);
    lasts_.replace(range->counter, last);
    counters_.insert(range->counter);
    turns_.push_back({first, last});
  }
}

bool InnerCounters::has(const Value* value, unsigned depth) const {
  if (Value* index = replaced_.lookup(value)) value = index;
  auto* i = dyn_cast<Instruction>(value);
  if (!i || counters_.empty()) return false;
  if (depth == 0 || isa<PHINode>(i)) return depth == 0 || counters_.contains(i);
  return any_of(i->operands(), [&](const Use& operand) { return has(operand, depth - 1); });
}

bool InnerCounters::grows(const Value* value) const {
  if (Value* index = replaced_.lookup(value)) value = index;
  if (!has(value) || counters_.contains(value)) return true;
  if (value->getType()->getScalarSizeInBits() > 32) return false;
  auto* i = cast<Instruction>(value);
  if (auto* clamp = dyn_cast<MinMaxIntrinsic>(i))
    return clamp->isSigned() && grows(clamp->getLHS()) && grows(clamp->getRHS());
  if (!keeps_sum(*i, Recomputer::Extension::Sign)) return false;
  if (i->getOpcode() == Instruction::Sub) return grows(i->getOperand(0)) && !has(i->getOperand(1));
  if (i->getOpcode() == Instruction::Mul)
    return match(i->getOperand(1), m_StrictlyPositive()) && grows(i->getOperand(0));
  return i->getOpcode() != Instruction::Shl && grows(i->getOperand(0)) && grows(i->getOperand(1));
}

static bool is_sum(const Instruction& i) {
  const bool adds = i.getOpcode() == Instruction::Add || i.getOpcode() == Instruction::Sub;
  return adds && keeps_sum(i, Recomputer::Extension::Sign);
}

bool InnerCounters::is_between(const Value* value) const {
  if (grows(value)) return true;
  if (Value* index = replaced_.lookup(value)) value = index;
  auto* i = dyn_cast<Instruction>(value);
  if (!i || i->getType()->getScalarSizeInBits() > 32) return false;
  return is_sum(*i) && is_between(i->getOperand(0)) && is_between(i->getOperand(1));
}

Value* InnerCounters::end(Value* value, Recomputer::Extension extension, bool greatest) {
  while (Value* index = replaced_.lookup(value)) value = index;
  if (grows(value)) return (greatest && has(value) ? lasts_ : firsts_).wide(value, extension);
  auto* i = cast<Instruction>(value);
  const bool subtracts = i->getOpcode() == Instruction::Sub;
  Value* left = end(i->getOperand(0), extension, greatest);
  Value* right = end(i->getOperand(1), extension, greatest != subtracts);
  IRBuilder<>& b = firsts_.builder;
  return subtracts ? b.CreateSub(left, right) : b.CreateAdd(left, right);
}

void InnerCounters::replace(Instruction* edge, Value* index) {
  replaced_[edge] = index;
  firsts_.replace(edge, index);
  lasts_.replace(edge, index);
}

Value* InnerCounters::have_turns() {
  IRBuilder<>& b = firsts_.builder;
  Value* all = b.getTrue();
  for (const auto& [first, last] : turns_) all = b.CreateAnd(all, b.CreateICmpSLE(first, last));
  return all;
}

}  // namespace lanza::compiler
