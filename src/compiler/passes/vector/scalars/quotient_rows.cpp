#include "compiler/passes/vector/scalars/quotient_rows.hpp"

#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/scalars/fold_rings.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static constexpr int64_t kMostStride = 64;
// A row has at least two thirds of the group's lanes for a walk: more turns take longer than vectors that are divided.
static constexpr uint64_t kWalked = 2, kOfSpan = 3;

static bool is_signed(const BinaryOperator& i) {
  return i.getOpcode() == Instruction::SDiv || i.getOpcode() == Instruction::SRem;
}
static bool is_remainder(const BinaryOperator& i) {
  return i.getOpcode() == Instruction::SRem || i.getOpcode() == Instruction::URem;
}

Value* unguarded_divisor(Value* divisor) {
  Value* base;
  return match(divisor, m_Select(m_Value(), m_One(), m_Value(base))) ? base : divisor;
}

Value* steps_of_lanes(IRBuilder<>& b, Type* type, int64_t stride, Value* first) {
  Value* lane = b.CreateZExtOrTrunc(emit_lane(b), type);
  if (first) lane = b.CreateSub(lane, b.CreateZExtOrTrunc(first, type), "", /*HasNUW=*/true, /*HasNSW=*/true);
  return b.CreateMul(lane, ConstantInt::get(type, stride), "", /*HasNUW=*/true, /*HasNSW=*/true);
}

QuotientRows::QuotientRows(Instruction& at, const Shapes& shapes, const DominatorTree& dominators, Walk walk)
    : shapes_(shapes),
      copies_(&at, dominators),
      of_walk_(at.getContext()),
      b_(walk.head ? of_walk_ : copies_.builder),
      from_(walk.first) {
  if (walk.head) of_walk_.SetInsertPoint(walk.head);
}

void QuotientRows::take(Instruction& i) {
  if (auto* division = dyn_cast<BinaryOperator>(&i); division && division->isIntDivRem())
    take_division(*division);
  else if (auto* select = dyn_cast<SelectInst>(&i))
    take_guard(*select);
}

void QuotientRows::take_division(BinaryOperator& i) {
  Value *dividend = i.getOperand(0), *divisor = i.getOperand(1);
  if (i.getType()->getScalarSizeInBits() < 32 || !shapes_.is_uniform(divisor) || !copies_.can(divisor)) return;
  Row* row = find_row(dividend, divisor, is_signed(i));
  if (!row) {
    if (wraps_neighbour(i)) return;
    if (rows_.size() == kMostTests) return;
    const Affine index = affine(dividend);
    if (!index.first || index.stride <= 0 || index.stride > kMostStride) return;
    auto* number = dyn_cast<ConstantInt>(divisor);
    if (number && number->getValue().ule(static_cast<uint64_t>(index.stride) * shapes_.group().lanes)) return;
    row = ask(i, index);
  }
  divisions_[&i] = is_remainder(i) ? Affine{row->rest, row->stride} : Affine{row->quotient, 0};
}

QuotientRows::Row* QuotientRows::find_row(const Value* dividend, const Value* divisor, bool is_signed) {
  for (Row& row : rows_)
    if (row.dividend == dividend && row.divisor == divisor && row.is_signed == is_signed) return &row;
  return nullptr;
}

// first <= most - span and first % n < n - span: then no lane's index wraps, and all lie in one row. Of a rest of
// another row the former is known. With a sign: as numbers without one, first is not negative either.
QuotientRows::Row* QuotientRows::ask(BinaryOperator& division, Affine index) {
  const bool with_sign = is_signed(division);
  Type* type = division.getType();
  const unsigned bits = type->getScalarSizeInBits();
  const APInt span(bits, static_cast<uint64_t>(index.stride) * (shapes_.group().lanes - 1));
  const APInt most = with_sign ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  auto number = [&](const APInt& value) { return ConstantInt::get(type, value); };
  Value* base = copies_.copy(unguarded_divisor(division.getOperand(1)));
  Value* one = ConstantInt::get(type, 1);
  Value* divisor = b_.CreateBinaryIntrinsic(with_sign ? Intrinsic::smax : Intrinsic::umax, base, one);
  Value* quotient = with_sign ? b_.CreateSDiv(index.first, divisor) : b_.CreateUDiv(index.first, divisor);
  Value* rest = with_sign ? b_.CreateSRem(index.first, divisor) : b_.CreateURem(index.first, divisor);
  if (from_) {
    end_row(rest, divisor, index.stride, b_.CreateICmpULE(index.first, number(most - span)));
  } else {
    Value* room = b_.CreateBinaryIntrinsic(Intrinsic::usub_sat, divisor, number(span));
    ask(b_.CreateICmpULT(rest, room));
    if (none_of(rows_, [&](const Row& row) { return row.rest == index.first && row.is_signed == with_sign; }))
      ask(b_.CreateICmpULE(index.first, number(most - span)));
    ask_for_walk(b_.CreateICmpUGE(divisor, number(APInt(bits, kWalked * span.getZExtValue() / kOfSpan + 1))));
  }
  rows_.push_back({division.getOperand(0), division.getOperand(1), with_sign, quotient, rest, index.stride});
  return &rows_.back();
}

// As many lanes as there is room in the row; one, if those behind it might wrap, or it has a sign.
void QuotientRows::end_row(Value* rest, Value* divisor, int64_t stride, Value* has_room) {
  Type* type = rest->getType();
  Value* room = b_.CreateSub(divisor, rest);
  if (stride != 1)
    room = b_.CreateUDiv(b_.CreateAdd(room, ConstantInt::get(type, stride - 1)), ConstantInt::get(type, stride));
  Value* lanes = ConstantInt::get(type, shapes_.group().lanes);
  room = b_.CreateSelect(has_room, b_.CreateBinaryIntrinsic(Intrinsic::umin, room, lanes), ConstantInt::get(type, 1));
  Value* end = b_.CreateAdd(from_, b_.CreateZExtOrTrunc(room, from_->getType()));
  if (!end_) end_ = b_.getInt32(shapes_.group().lanes);
  end_ = b_.CreateBinaryIntrinsic(Intrinsic::umin, end_, end);
}

void QuotientRows::ask(Value* holds) { all_ = all_ ? b_.CreateAnd(all_, holds) : holds; }

void QuotientRows::ask_for_walk(Value* holds) {
  if (auto* known = dyn_cast<ConstantInt>(holds); known && known->isOne()) return;
  walks_far_ = walks_far_ ? b_.CreateAnd(walks_far_, holds) : holds;
}

Affine QuotientRows::affine(Value* v, unsigned depth) {
  auto* i = dyn_cast<Instruction>(v);
  if (auto found = divisions_.find(i); i && found != divisions_.end()) return found->second;
  if (Value* side = taken_side(v); side != v) return depth ? affine(side, depth - 1) : Affine{};
  const Shape shape = shapes_[v];
  if (shape.kind == Shape::Strided && copies_.can(v)) return of_strided(copies_.copy(v), shape.stride);
  if (!i || depth == 0) return {};
  if (isa<SExtInst, ZExtInst>(i)) return of_extension(*cast<CastInst>(i));
  if (i->getOpcode() != Instruction::Add && i->getOpcode() != Instruction::Sub) return {};
  const Affine a = affine(i->getOperand(0), depth - 1), c = affine(i->getOperand(1), depth - 1);
  if (!a.first || !c.first) return {};
  if (i->getOpcode() == Instruction::Sub) return {b_.CreateSub(a.first, c.first), a.stride - c.stride};
  return {b_.CreateAdd(a.first, c.first), a.stride + c.stride};
}

Affine QuotientRows::of_strided(Value* v, int64_t stride) {
  if (stride == 0) return {v, 0};
  if (stride < 0 || stride > kMostStride || !v->getType()->isIntegerTy()) return {};
  IRBuilder<>& b = copies_.builder;
  Value* first = b.CreateSub(v, steps_of_lanes(b, v->getType(), stride, nullptr));
  if (from_)
    first = b_.CreateAdd(
        first, b_.CreateMul(b_.CreateZExtOrTrunc(from_, v->getType()), ConstantInt::get(v->getType(), stride)));
  return {first, stride};
}

// Of remainders and quotients, which are not negative, but where a lane walks alone.
Affine QuotientRows::of_extension(CastInst& cast) {
  auto* part = dyn_cast<BinaryOperator>(taken_side(cast.getOperand(0)));
  auto found = divisions_.find(part);
  if (!part || found == divisions_.end() || !(is_signed(*part) || isa<ZExtInst>(cast))) return {};
  Value* first = found->second.first;
  return {from_ ? b_.CreateCast(cast.getOpcode(), first, cast.getType()) : b_.CreateZExt(first, cast.getType()),
          found->second.stride};
}

// n == 0 ? ... : i / n. Simplification may have made any question to what n is made of from that.
void QuotientRows::take_guard(SelectInst& select) {
  auto is_row = [&](Value* v) { return divisions_.contains(dyn_cast<Instruction>(taken_side(v))); };
  Value* condition = select.getCondition();
  if (is_excluded(condition)) {
    guards_[&select] = false;
    return;
  }
  const bool truth = is_row(select.getTrueValue());
  if (truth == is_row(select.getFalseValue())) return;
  if (!shapes_.is_uniform(condition) || !copies_.can(condition)) return;
  guards_[&select] = truth;
  if (from_) return;
  Value* holds = copies_.copy(condition);
  if (!truth) holds = b_.CreateNot(holds);
  ask(holds);
  ask_for_walk(holds);
}

// A divisor of 0 or -1: there is room for two lanes in a row.
bool QuotientRows::is_excluded(Value* condition) const {
  ICmpInst::Predicate predicate;
  Value* divisor;
  const APInt* number;
  if (!match(condition, m_ICmp(predicate, m_Value(divisor), m_APInt(number)))) return false;
  if (predicate != ICmpInst::ICMP_EQ || !(number->isZero() || number->isAllOnes())) return false;
  return any_of(rows_, [&](const Row& row) {
    return unguarded_divisor(row.divisor) == divisor && (row.is_signed || number->isZero());
  });
}

Value* QuotientRows::taken_side(Value* v) const {
  for (auto* select = dyn_cast<SelectInst>(v); select; select = dyn_cast<SelectInst>(v)) {
    auto found = guards_.find(select);
    if (found == guards_.end()) return v;
    v = found->second ? select->getTrueValue() : select->getFalseValue();
  }
  return v;
}

}  // namespace lanza::compiler
