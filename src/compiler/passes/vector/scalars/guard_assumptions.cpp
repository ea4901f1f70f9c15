#include "compiler/passes/vector/scalars/guard_assumptions.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/guard_division.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/scalars/fold_rings.hpp"
#include "compiler/passes/vector/scalars/index_questions.hpp"
#include "compiler/passes/vector/scalars/strided_loop.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static constexpr unsigned kMostTests = 24;
static constexpr int64_t kLargestRing = 1 << 30;

GuardAssumptions::GuardAssumptions(const GuardedPiece& piece, const Shapes& shapes, const LoopInfo& loops,
                                   const DominatorTree& dominators)
    : shapes_(shapes),
      loops_(loops),
      dominators_(dominators),
      copies_(piece.guard, dominators),
      lasts_(piece.guard, dominators),
      counters_(shapes, copies_, lasts_),
      piece_(piece) {
  counters_.find(piece.blocks.getArrayRef(), loops);
}

bool GuardAssumptions::take_guard() { return take_condition(piece_.guard->getCondition(), piece_.when); }

void GuardAssumptions::take_edges() {
  for (BasicBlock* block : ReversePostOrderTraversal<BasicBlock*>(piece_.head)) {
    if (!piece_.blocks.contains(block)) continue;
    for (Instruction& i : make_early_inc_range(*block)) {
      if (bounds_.size() >= kMostTests) return;
      if (auto* branch = dyn_cast<BranchInst>(&i); branch && branch->isConditional())
        take_inner_guard(*branch);
      else if (auto* clamp = dyn_cast<MinMaxIntrinsic>(&i))
        take_clamp(*clamp);
      else if (match(&i, m_Intrinsic<Intrinsic::abs>()))
        take_mirror(cast<IntrinsicInst>(i));
      else if (auto* select = dyn_cast<SelectInst>(&i))
        take_wrap(*select);
      else if (i.getOpcode() == Instruction::URem || i.getOpcode() == Instruction::SRem)
        take_remainder(cast<BinaryOperator>(i));
      else if (i.getOpcode() == Instruction::And && i.getType()->isIntegerTy() && !i.getType()->isIntegerTy(1))
        take_mask(cast<BinaryOperator>(i));
      else if (isa<SExtInst, ZExtInst>(i) && i.getOperand(0)->getType()->isIntegerTy(1))
        take_step(cast<CastInst>(i));
    }
  }
}

Value* GuardAssumptions::all() {
  IRBuilder<>& b = copies_.builder;
  for (const Bound& bound : bounds_) {
    Value* low = bound.low ? counters_.greatest(bound.low, bound.extension) : nullptr;
    Value* high = bound.high ? counters_.least(bound.high, bound.extension) : b.getInt64(0);
    Value* offset = b.getInt64(bound.offset);
    ask(b.CreateICmpSLE(low ? b.CreateNSWAdd(low, offset) : offset, high), bound.low, bound.high);
  }
  bounds_.clear();
  if (windows_) ask(counters_.have_turns(), nullptr, nullptr);
  return all_;
}

bool GuardAssumptions::settles(const Value* condition) const {
  const Value *a, *b;
  if (match(condition, m_Not(m_Value(a)))) return settles(a);
  if (match(condition, m_CombineOr(m_LogicalAnd(m_Value(a), m_Value(b)), m_LogicalOr(m_Value(a), m_Value(b)))))
    return settles(a) && settles(b);
  return any_of(known, [&](const Known& k) { return k.condition == condition; });
}

bool GuardAssumptions::can_ask(const ICmpInst& compare) const {
  if (!copies_.can(&compare)) return false;
  Value *a = compare.getOperand(0), *b = compare.getOperand(1);
  if (!counters_.has(a) && !counters_.has(b)) return true;
  const bool has_ends = !compare.isEquality() || match(b, m_Zero());  // as LLVM asks `y + k > 0`, where that is no less
  return has_ends && (strides(a) || strides(b) || asks_for_row(compare)) && counters_.is_between(a) &&
         counters_.is_between(b);
}

// `y + k < height` of a tap, for lanes of one row.
bool GuardAssumptions::asks_for_row(const ICmpInst& compare) const {
  return shapes_.is_uniform(&compare) && (is_of_place(compare.getOperand(0)) || is_of_place(compare.getOperand(1)));
}

bool GuardAssumptions::is_index_test(const ICmpInst& compare) const { return asks_for_index(compare, shapes_); }

// `(i & k) == 0`: as many groups say so as do not, and it is no edge.
bool GuardAssumptions::asks_for_bits(const ICmpInst& compare) {
  return compare.isEquality() && match(compare.getOperand(0), m_And(m_Value(), m_Value())) &&
         !isa<Constant>(cast<Instruction>(compare.getOperand(0))->getOperand(1));
}

// Conjunctions apart: each has its own test.
bool GuardAssumptions::take_condition(Value* condition, bool truth) {
  Value *a, *b;
  if (match(condition, m_Not(m_Value(a)))) return take_condition(a, !truth);
  const bool both = truth ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
                          : match(condition, m_LogicalOr(m_Value(a), m_Value(b)));
  if (both) return take_condition(a, truth) && take_condition(b, truth);
  auto* compare = dyn_cast<ICmpInst>(condition);
  if (!compare || !is_index_test(*compare) || !can_ask(*compare)) return false;
  if (holds_for_one(*compare, truth, shapes_) || leaves_out_first(*compare, truth, shapes_)) return false;
  if (alternates(*compare, shapes_) || asks_for_bits(*compare)) return false;
  const auto predicate = truth ? compare->getPredicate() : compare->getInversePredicate();
  if (predicate == ICmpInst::ICMP_EQ && counters_.has(compare)) return false;
  if (!take_order(predicate, compare->getOperand(0), compare->getOperand(1))) return false;
  known.push_back({condition, truth});
  return true;
}

// Of counters as signed numbers: a number without a sign is below another if it is not negative and below it so.
bool GuardAssumptions::take_order(ICmpInst::Predicate predicate, Value* a, Value* b) {
  const bool in_window = counters_.has(a) || counters_.has(b);
  windows_ |= in_window;
  if (in_window && ICmpInst::isUnsigned(predicate)) {
    if (ICmpInst::isGT(predicate) || ICmpInst::isGE(predicate)) {
      std::swap(a, b);
      predicate = ICmpInst::getSwappedPredicate(predicate);
    }
    // LLVM asks `x + k > 6` for `x + k - 7 >= 0` where x + k is never negative: what is above 6 with a sign is so, too.
    if (counters_.has(b) && !match(a, m_NonNegative())) return false;
    if (!counters_.has(b)) test(ICmpInst::ICMP_SGE, a, ConstantInt::get(a->getType(), 0));
    predicate = ICmpInst::getSignedPredicate(predicate);
  }
  test(predicate, a, b);
  return true;
}

// Signed or unsigned order becomes a bound, so that of x - 2 >= 0, x - 1 >= 0 and x >= 0 one is left.
void GuardAssumptions::test(ICmpInst::Predicate predicate, Value* a, Value* b) {
  if (predicate == ICmpInst::ICMP_NE) predicate = order_at_edge(a, b);
  if (ICmpInst::isGT(predicate) || ICmpInst::isGE(predicate)) {
    std::swap(a, b);
    predicate = ICmpInst::getSwappedPredicate(predicate);
  }
  const Extension extension = ICmpInst::isUnsigned(predicate) ? Extension::Zero : Extension::Sign;
  if (ICmpInst::isEquality(predicate) || a->getType()->getIntegerBitWidth() > 32) {
    const bool wide = a->getType()->getIntegerBitWidth() <= 32;
    Value* left = wide ? copies_.wide(a, extension) : copies_.copy(a);
    Value* right = wide ? copies_.wide(b, extension) : copies_.copy(b);
    return ask(copies_.builder.CreateICmp(predicate, left, right), a, b);
  }
  const Recomputer::Sum low = counters_.lasts().split(a, extension), high = copies_.split(b, extension);
  const int64_t offset = low.offset - high.offset + ICmpInst::isLT(predicate);
  for (Bound& bound : bounds_) {
    if (bound.low != low.base || bound.high != high.base || bound.extension != extension) continue;
    bound.offset = std::max(bound.offset, offset);
    return;
  }
  bounds_.push_back({low.base, high.base, offset, extension});
}

// An index that is not 0 is taken to be above it; one that is below n, and not n - 1, is below that: what asks for
// less than the copy needs would be one more question to every lane.
ICmpInst::Predicate GuardAssumptions::order_at_edge(Value* index, Value* edge) const {
  if (index->getType()->getIntegerBitWidth() > 32) return ICmpInst::ICMP_NE;
  if (match(edge, m_Zero())) return ICmpInst::ICMP_SGT;
  const Recomputer::Sum low = copies_.split(index, Extension::Sign), high = copies_.split(edge, Extension::Sign);
  const bool is_last = any_of(bounds_, [&](const Bound& bound) {
    return bound.extension == Extension::Sign && bound.low == low.base && bound.high == high.base &&
           bound.offset >= low.offset - high.offset;
  });
  return is_last ? ICmpInst::ICMP_SLT : ICmpInst::ICMP_NE;
}

void GuardAssumptions::ask(Value* holds, const Value* a, const Value* b) {
  const bool uniform = (!a || shapes_.is_uniform(a)) && (!b || shapes_.is_uniform(b));
  if (!uniform) holds = emit_collective(copies_.builder, kAll, holds);
  all_ = all_ ? copies_.builder.CreateAnd(all_, holds) : holds;
}

// The side that works, where the other one does nothing or much less; of a comparison for equality the side of the
// many, and of a border the side of those inside.
void GuardAssumptions::take_inner_guard(BranchInst& branch) {
  if (!shapes_.is_divergent(&branch) && !counters_.has(branch.getCondition())) return;
  if (!is_whole_index_test(branch.getCondition())) return;
  ICmpInst::Predicate predicate;
  bool truth;
  BasicBlock *yes = branch.getSuccessor(0), *no = branch.getSuccessor(1);
  if (match(branch.getCondition(), m_ICmp(predicate, m_Value(), m_Value())) && ICmpInst::isEquality(predicate))
    truth = predicate == ICmpInst::ICMP_NE;
  else if (works(*yes, *no))
    truth = true;
  else if (works(*no, *yes))
    truth = false;
  else if (const auto inside = answer_inside(branch.getCondition(), shapes_))
    truth = *inside;
  else
    return;
  if (is_loop_guard(truth ? yes : no, truth ? no : yes, loops_, shapes_)) return;
  if (take_condition(branch.getCondition(), truth)) edges_ = true;
}

bool GuardAssumptions::works(BasicBlock& side, BasicBlock& other) const {
  return side.getSinglePredecessor() && (!other.getSinglePredecessor() || outweighs(side, other, loops_, dominators_));
}

bool GuardAssumptions::is_whole_index_test(Value* condition) const {
  Value *a, *b;
  if (match(condition, m_Not(m_Value(a)))) return is_whole_index_test(a);
  if (match(condition, m_LogicalAnd(m_Value(a), m_Value(b))) || match(condition, m_LogicalOr(m_Value(a), m_Value(b))))
    return is_whole_index_test(a) && is_whole_index_test(b);
  auto* compare = dyn_cast<ICmpInst>(condition);
  return compare && is_index_test(*compare) && can_ask(*compare);
}

// Strided, or would be but for clamps that are known not to act.
bool GuardAssumptions::strides(const Value* v, unsigned depth) const {
  if (shapes_[v].is_strided()) return true;
  auto* i = dyn_cast<Instruction>(v);
  if (!i || depth == 0) return false;
  if (any_of(replaced, [&](const Replaced& r) { return r.edge == i; })) return true;
  if (!isa<BinaryOperator, CastInst>(i)) return false;
  bool any = false;
  for (const Use& operand : i->operands()) {
    if (shapes_.is_uniform(operand)) continue;
    if (!strides(operand, depth - 1)) return false;
    any = true;
  }
  return any;
}

void GuardAssumptions::take_clamp(MinMaxIntrinsic& clamp) {
  if (clamp.getType()->isVectorTy()) return;
  const bool is_of_row = shapes_.is_uniform(&clamp);
  if (is_of_row && !counters_.has(&clamp)) return;
  for (unsigned k = 0; k < 2; ++k) {
    Value *index = clamp.getArgOperand(k), *bound = clamp.getArgOperand(1 - k);
    if (is_of_row ? !is_of_place(index) || counters_.has(bound) : !strides(index) || !shapes_.is_uniform(bound))
      continue;
    if (take_range(index, ICmpInst::getNonStrictPredicate(clamp.getPredicate()), bound)) replace(clamp, index);
    return;
  }
}

// index `predicate` bound, at the guard.
bool GuardAssumptions::take_range(Value* index, ICmpInst::Predicate predicate, Value* bound) {
  if (!copies_.can(index) || !copies_.can(bound) || !counters_.is_between(index) || counters_.has(bound)) return false;
  return take_order(predicate, index, bound);
}

void GuardAssumptions::replace(Instruction& edge, Value* index) {
  replaced.push_back({&edge, index});
  counters_.replace(&edge, index);
  edges_ = true;
}

Value* GuardAssumptions::inside(Value* v) const {
  const auto edge = find_if(replaced, [&](const Replaced& r) { return r.edge == v; });
  return edge == replaced.end() ? v : edge->index;
}

// Of an index that was one of an edge before: `x = x > 0 ? x - 1 : 1; x < n ? x : 2 * n - 2 - x`.
bool GuardAssumptions::asks_inside(const ICmpInst& compare) const {
  if (is_index_test(compare)) return true;
  return all_of(compare.operands(), [&](const Use& v) {
    return shapes_.is_uniform(v) || any_of(replaced, [&](const Replaced& r) { return r.edge == v; });
  });
}

// x == 0 ? n - 1 : x - 1, or n == 0 ? -1 : x, or of addresses: the side that goes with the threads. Where both do, as
// in x < n ? x : 2 * n - 1 - x, or neither, as in p[x > 0 ? 1 : 0]: the side of the many.
void GuardAssumptions::take_wrap(SelectInst& select) {
  if (!select.getType()->isIntOrPtrTy() || select.getType()->isIntegerTy(1)) return;
  auto* compare = dyn_cast<ICmpInst>(select.getCondition());
  if (!compare || !asks_inside(*compare) || counters_.has(compare)) return;
  Value *index = inside(compare->getOperand(0)), *bound = inside(compare->getOperand(1));
  if (!copies_.can(index) || !copies_.can(bound)) return;
  Value *yes = select.getTrueValue(), *no = select.getFalseValue();
  bool truth = strides(yes);
  if (truth == strides(no)) {
    const bool is_distance = shapes_.is_uniform(yes) && shapes_.is_uniform(no) &&
                             any_of(select.users(), [](const User* user) { return isa<GetElementPtrInst>(user); });
    if (shapes_.is_uniform(compare) || (!truth && !is_distance)) return;
    truth = holds_for_many(*compare, shapes_);
  } else if (!shapes_.is_uniform(truth ? no : yes)) {
    return;
  }
  auto predicate = truth ? compare->getPredicate() : compare->getInversePredicate();
  if (index != compare->getOperand(0) && predicate == ICmpInst::ICMP_ULT) {
    test(ICmpInst::ICMP_SGE, index, ConstantInt::get(index->getType(), 0));  // as it is inside
    predicate = ICmpInst::ICMP_SLT;
  }
  test(predicate, index, bound);
  replace(select, truth ? yes : no);
}

// (x + 1) & (n - 1), n being a power of two that the launch knows; not x & (n - 1), of which few are x, nor what asks
// for bits.
void GuardAssumptions::take_mask(BinaryOperator& masked) {
  Value *index = masked.getOperand(0), *mask = masked.getOperand(1);
  if (shapes_.is_uniform(index)) std::swap(index, mask);
  if (shapes_[&masked].kind == Shape::Strided || isa<Constant>(mask) || !shapes_.is_uniform(mask)) return;
  if (!match(index, m_Add(m_Value(), m_Value())) || !strides(index)) return;
  if (all_of(masked.users(), [](const User* user) { return isa<ICmpInst>(user); })) return;
  if (!copies_.can(index) || !copies_.can(mask) || counters_.has(&masked)) return;
  IRBuilder<>& b = copies_.builder;
  Value* beyond = b.CreateAnd(copies_.copy(index), b.CreateNot(copies_.copy(mask)));
  ask(b.CreateIsNull(beyond), index, mask);
  replace(masked, index);
}

// Mirrored at 0: abs(x - 1).
void GuardAssumptions::take_mirror(IntrinsicInst& mirror) {
  Value* index = mirror.getArgOperand(0);
  if (shapes_.is_uniform(&mirror) || mirror.getType()->isVectorTy() || !strides(index)) return;
  if (take_range(index, ICmpInst::ICMP_SGE, ConstantInt::get(index->getType(), 0))) replace(mirror, index);
}

// x + (x < n - 1), as simplification writes x < n - 1 ? x + 1 : x.
void GuardAssumptions::take_step(CastInst& step) {
  auto* compare = dyn_cast<ICmpInst>(step.getOperand(0));
  if (!compare || shapes_.is_uniform(compare) || !is_index_test(*compare)) return;
  if (none_of(step.users(), [](const User* user) { return isa<BinaryOperator>(user); })) return;
  if (take_condition(compare, holds_for_many(*compare, shapes_))) edges_ = true;
}

// (x + 1) % n and (x + n - 1) % n for 0 <= x < n
void GuardAssumptions::take_remainder(BinaryOperator& remainder) {
  Value *index = remainder.getOperand(0), *bound = remainder.getOperand(1);
  if (!wraps_neighbour(remainder) || counters_.has(&remainder)) return;
  if (auto* n = dyn_cast<ConstantInt>(bound); n && n->getValue().ule(shapes_.group().lanes)) return;  // no room: `% 2`
  if (!strides(index) || !shapes_.is_uniform(bound) || shapes_[&remainder].kind == Shape::Strided) return;
  bool is_signed = remainder.getOpcode() == Instruction::SRem;
  Value* n = unguarded_divisor(bound);
  if (Value* rest = without_addend(index, n, is_signed, remainder)) {
    index = rest;
  } else if (Value* part = without_addend_modulo(index, n, remainder)) {
    index = part;
    if (!copies_.can(bound) || !copies_.can(index)) return;
    // Then n + index wraps in no sense, and neither does the sum that the index is.
    test(ICmpInst::ICMP_SGE, bound, ConstantInt::get(bound->getType(), 0));
    test(ICmpInst::ICMP_SLE, bound, ConstantInt::get(bound->getType(), kLargestRing));
    is_signed = true;
  }
  if (!take_range(index, is_signed ? ICmpInst::ICMP_SLT : ICmpInst::ICMP_ULT, bound)) return;
  if (is_signed) take_range(index, ICmpInst::ICMP_SGE, ConstantInt::get(index->getType(), 0));
  replace(remainder, index);
}

}  // namespace lanza::compiler
