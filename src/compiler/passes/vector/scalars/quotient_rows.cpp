#include "compiler/passes/vector/scalars/quotient_rows.hpp"

#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/guard_division.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/scalars/fold_rings.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static constexpr int64_t kMostStride = 64;
static constexpr unsigned kMostKnown = 6;  // low bits: no table of lanes has longer ones
// A row has at least two thirds of the group's lanes for a walk: more turns take longer than vectors that are divided.
static constexpr uint64_t kWalked = 2, kOfSpan = 3;

static bool is_signed(const BinaryOperator& i) {
  return i.getOpcode() == Instruction::SDiv || i.getOpcode() == Instruction::SRem;
}
static bool is_remainder(const BinaryOperator& i) {
  return i.getOpcode() == Instruction::SRem || i.getOpcode() == Instruction::URem;
}

static uint64_t low_bits(uint64_t value, unsigned bits) { return value & maskTrailingOnes<uint64_t>(bits); }

// The first lane's known bits and the steps are divided, and the rest of the first lane's value is. A walk's lane 0 may
// lie in front of its row: then its value is negative.
static Value* part_of_lanes(IRBuilder<>& b, const Affine& value, Value* first) {
  Type* type = value.first->getType();
  auto number = [&](uint64_t v) { return ConstantInt::get(type, v); };
  Value* lane = b.CreateZExtOrTrunc(emit_lane(b), type);
  Value* steps = b.CreateNUWAdd(b.CreateNUWMul(lane, number(value.stride)), number(low_bits(value.low, value.shift)));
  if (value.part == Affine::Rest) return b.CreateAnd(steps, number(maskTrailingOnes<uint64_t>(value.shift)));
  Value* lane_0 = value.first;
  if (first) lane_0 = b.CreateSub(lane_0, b.CreateMul(b.CreateZExtOrTrunc(first, type), number(value.stride)));
  Value* high = first ? b.CreateAShr(lane_0, value.shift) : b.CreateLShr(lane_0, value.shift);
  return b.CreateAdd(high, b.CreateLShr(steps, value.shift), "", /*HasNUW=*/!first, /*HasNSW=*/true);
}

Value* value_of_lanes(IRBuilder<>& b, const Affine& value, Value* first) {
  if (value.part != Affine::Whole) return part_of_lanes(b, value, first);
  if (!value.stride) return value.first;
  Type* type = value.first->getType();
  Value* lane = b.CreateZExtOrTrunc(emit_lane(b), type);
  if (first) lane = b.CreateSub(lane, b.CreateZExtOrTrunc(first, type), "", /*HasNUW=*/true, /*HasNSW=*/true);
  Value* steps = b.CreateMul(lane, ConstantInt::get(type, value.stride), "", /*HasNUW=*/true, /*HasNSW=*/true);
  return b.CreateAdd(value.first, steps, "", true, true);
}

QuotientRows::QuotientRows(Instruction& at, const Shapes& shapes, const DominatorTree& dominators,
                           const Columns& columns, Walk walk)
    : shapes_(shapes),
      columns_(columns),
      copies_(&at, dominators),
      of_walk_(at.getContext()),
      b_(walk.head ? of_walk_ : copies_.builder),
      from_(walk.first),
      zeros_of_walk_(walk.head ? walk.zeros : kMostKnown) {
  if (walk.head) of_walk_.SetInsertPoint(walk.head);
}

void QuotientRows::take(Instruction& i) {
  auto* binary = dyn_cast<BinaryOperator>(&i);
  if (binary && binary->isIntDivRem())
    take_division(*binary);
  else if (binary)
    take_bits(*binary);
  else if (auto* select = dyn_cast<SelectInst>(&i))
    take_guard(*select);
}

void QuotientRows::take_division(BinaryOperator& i) {
  Value *dividend = i.getOperand(0), *divisor = i.getOperand(1);
  if (i.getType()->getScalarSizeInBits() < kLeastBits || !shapes_.is_uniform(divisor) || !copies_.can(divisor)) return;
  Row* row = find_row(dividend, divisor, is_signed(i));
  if (!row) {
    if (take_beside(i)) return;
    auto* number = dyn_cast<ConstantInt>(divisor);
    if (number && number->getValue().isPowerOf2() && number->getValue().logBase2() <= kMostKnown &&
        take_part(i, is_remainder(i) ? Affine::Rest : Affine::Quotient, number->getValue().logBase2()))
      return;
    if (wraps_neighbour(i)) return;
    if (rows_.size() == kMostTests) return;
    const Affine index = affine(dividend);
    if (!index.first || index.stride <= 0 || index.stride > kMostStride) return;
    if (number && number->getValue().ule(static_cast<uint64_t>(index.stride) * shapes_.group().lanes)) return;
    row = find_rows_of_rows(i);
    if (!row) row = ask(i, index);
  }
  divisions_[&i] = is_remainder(i) ? row->rest : Affine{row->quotient};
}

// x >> 1, x & 1.
void QuotientRows::take_bits(BinaryOperator& i) {
  const APInt* number;
  if (!match(i.getOperand(1), m_APInt(number)) || i.getType()->isVectorTy()) return;
  if (i.getOpcode() == Instruction::And) {
    if (number->isMask() && number->countr_one() <= kMostKnown) take_part(i, Affine::Rest, number->countr_one());
  } else if ((i.getOpcode() == Instruction::LShr || i.getOpcode() == Instruction::AShr) && number->ule(kMostKnown)) {
    take_part(i, Affine::Quotient, static_cast<unsigned>(number->getZExtValue()));
  }
}

// By a power of two, of an index within a row. False: nothing is known.
bool QuotientRows::take_part(BinaryOperator& i, Affine::Part part, unsigned shift) {
  Affine index = affine(i.getOperand(0));
  if (index.is_unsigned && (is_signed(i) || i.getOpcode() == Instruction::AShr)) return false;
  if (!index.first || !index.never_negative || index.stride <= 0 || index.stride > kMostStride || shift == 0)
    return false;
  if (index.known < shift && index.column && !from_) {
    ask_for_phase(index.column, shift);
    index = affine(i.getOperand(0));
  }
  if (index.known < shift) return false;
  index.part = part;
  index.shift = shift;
  divisions_[&i] = index;
  return true;
}

// That the first lane is at a multiple of a power of two.
void QuotientRows::ask_for_phase(const Value* column, unsigned shift) {
  unsigned& known = phases_[column];
  if (known >= shift) return;
  known = shift;
  Value* first = affine(const_cast<Value*>(column)).first;
  Value* phase = b_.CreateAnd(first, ConstantInt::get(first->getType(), maskTrailingOnes<uint64_t>(shift)));
  ask(b_.CreateIsNull(phase));
}

QuotientRows::Row* QuotientRows::find_row(const Value* dividend, const Value* divisor, bool is_signed) {
  for (Row& row : rows_)
    if (row.dividend == dividend && row.divisor == divisor && row.is_signed == is_signed) return &row;
  return nullptr;
}

// Behind `index / n`, `(index + k) / n` of a thread's next elements: it was asked whether they lie in the same row. A
// walk's turns end with the first row that ends.
bool QuotientRows::take_beside(BinaryOperator& division) {
  Value* base;
  const APInt* distance;
  if (from_ || !match(division.getOperand(0), m_AddLike(m_Value(base), m_APInt(distance)))) return false;
  const Row* row = find_row(base, division.getOperand(1), is_signed(division));
  if (!row || distance->ugt(row->reach)) return false;
  Affine column = row->rest;
  column.first = b_.CreateAdd(column.first, ConstantInt::get(division.getType(), *distance), "", /*HasNUW=*/true,
                              /*HasNSW=*/row->is_signed);
  column.low = low_bits(column.low + distance->getZExtValue(), column.known);
  zeros_of_walk_ = 0;
  divisions_[&division] = is_remainder(division) ? column : Affine{row->quotient};
  return true;
}

// How far behind its index others are divided alike. Not further than the lanes reach: lanes that lie in a row and
// whose elements do each lie in one all lie in the same.
uint64_t QuotientRows::find_reach(BinaryOperator& division, uint64_t span) {
  uint64_t reach = 0;
  auto divides_alike = [&](const User* user) {
    auto* other = dyn_cast<BinaryOperator>(user);
    return other && other->isIntDivRem() && other->getOperand(1) == division.getOperand(1) &&
           other->getParent() == division.getParent() && is_signed(*other) == is_signed(division);
  };
  for (User* user : division.getOperand(0)->users()) {
    const APInt* distance;
    if (!match(user, m_AddLike(m_Specific(division.getOperand(0)), m_APInt(distance))) || distance->ugt(span)) continue;
    if (any_of(user->users(), divides_alike)) reach = std::max(reach, distance->getZExtValue());
  }
  return reach;
}

// first <= most - span and first % n < n - span: then no lane's index wraps, and all lie in one row. Of a rest of
// another row the former is known. With a sign: as numbers without one, first is not negative either.
QuotientRows::Row* QuotientRows::ask(BinaryOperator& division, Affine index) {
  const bool with_sign = is_signed(division);
  Type* type = division.getType();
  const unsigned bits = type->getScalarSizeInBits();
  const uint64_t steps = static_cast<uint64_t>(index.stride) * (shapes_.group().lanes - 1);
  const uint64_t reach = from_ ? 0 : find_reach(division, steps);
  const APInt span(bits, steps + reach);
  const APInt most = with_sign ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  auto number = [&](const APInt& value) { return ConstantInt::get(type, value); };
  Value* base = copies_.copy(unguarded_divisor(division.getOperand(1)));
  Value* one = ConstantInt::get(type, 1);
  Value* divisor = b_.CreateBinaryIntrinsic(with_sign ? Intrinsic::smax : Intrinsic::umax, base, one);
  Value* quotient = with_sign ? b_.CreateSDiv(index.first, divisor) : b_.CreateUDiv(index.first, divisor);
  Value* rest = with_sign ? b_.CreateSRem(index.first, divisor) : b_.CreateURem(index.first, divisor);
  // Of all lanes, wherever a walk is.
  const bool is_linear = shapes_[division.getOperand(0)].is_strided() || any_of(rows_, [&](const Row& row) {
                           return row.rest.first == index.first && row.is_signed == with_sign;
                         });
  Affine column{rest, index.stride};
  if (index.low == 0)
    column.known = std::min(index.known, shapes_.low_zeros(unguarded_divisor(division.getOperand(1))));
  // A walk whose turns are to begin at multiples asks for all of its indices at once.
  const bool asks_once = is_linear && (from_ ? zeros_of_walk_ : column.known) > 0;
  column.never_negative = asks_once || !from_;
  column.is_unsigned = !with_sign;
  zeros_of_walk_ = std::min(zeros_of_walk_, is_linear && index.stride == 1 ? column.known : 0);
  if (from_) {
    end_row(rest, divisor, index.stride, asks_once ? nullptr : b_.CreateICmpULE(index.first, number(most - span)));
  } else {
    Value* room = b_.CreateBinaryIntrinsic(Intrinsic::usub_sat, divisor, number(span));
    ask(b_.CreateICmpULT(rest, room));
    const bool is_rest = any_of(rows_, [&](const Row& row) {
      return row.rest.first == index.first && row.is_signed == with_sign && row.reach >= reach;
    });
    if (!is_rest) {
      Value* lies_inside = b_.CreateICmpULE(index.first, number(most - span));
      ask(lies_inside);
      if (asks_once) ask_for_walk(lies_inside);
    }
    ask_for_walk(b_.CreateICmpSGE(divisor, number(APInt(bits, kWalked * steps / kOfSpan + 1))));
  }
  rows_.push_back({division.getOperand(0), division.getOperand(1), with_sign, quotient, column, reach});
  return &rows_.back();
}

// What the part's divisor is multiplied by to be the other, maybe of fewer bits; null: it is not seen.
static Value* find_ratio(Value* divisor, Value* part, bool with_sign) {
  Value *whole = unguarded_divisor(divisor), *base = unguarded_divisor(part), *a, *c;
  if (auto *number = dyn_cast<ConstantInt>(whole), *of = dyn_cast<ConstantInt>(base); number && of) {
    const APInt &n = number->getValue(), &d = of->getValue();
    const bool is_multiple = d.isStrictlyPositive() && n.sgt(d) && n.srem(d).isZero();
    return is_multiple ? ConstantInt::get(number->getType(), n.sdiv(d)) : nullptr;
  }
  if (auto* cast = dyn_cast<CastInst>(whole)) {
    auto* narrow = dyn_cast<CastInst>(base);
    auto* product = dyn_cast<OverflowingBinaryOperator>(cast->getOperand(0));
    if (!narrow || !product || cast->getOpcode() != narrow->getOpcode()) return nullptr;
    if (cast->getOpcode() != (with_sign ? Instruction::SExt : Instruction::ZExt)) return nullptr;
    if (!(with_sign ? product->hasNoSignedWrap() : product->hasNoUnsignedWrap())) return nullptr;
    whole = product;
    base = narrow->getOperand(0);
  }
  const APInt* shift;
  if (match(whole, m_Shl(m_Specific(base), m_APInt(shift))) && shift->ult(shift->getBitWidth() - 1))
    return ConstantInt::get(base->getType(), APInt::getOneBitSet(shift->getBitWidth(), shift->getZExtValue()));
  if (!match(whole, m_Mul(m_Value(a), m_Value(c)))) return nullptr;
  return a == base ? c : c == base ? a : nullptr;
}

// i / (width * height), where i / width is asked about, too: rows of that end where rows of this do.
QuotientRows::Row* QuotientRows::find_rows_of_rows(BinaryOperator& division) {
  Value* dividend = division.getOperand(0);
  for (User* user : dividend->users()) {
    auto* part = dyn_cast<BinaryOperator>(user);
    if (!part || part == &division || !part->isIntDivRem() || part->getOperand(0) != dividend ||
        part->getParent() != division.getParent() || is_signed(*part) != is_signed(division))
      continue;
    Value* times = find_ratio(division.getOperand(1), part->getOperand(1), is_signed(division));
    if (!times || !shapes_.is_uniform(times) || !copies_.can(times)) continue;
    if (!divisions_.contains(part)) take_division(*part);
    if (Row* row = ask_multiple(division, *part, times)) return row;
  }
  return nullptr;
}

// Null: nothing is known of the part.
QuotientRows::Row* QuotientRows::ask_multiple(BinaryOperator& division, const BinaryOperator& part, Value* times) {
  const bool with_sign = is_signed(division);
  const Row* row = find_row(part.getOperand(0), part.getOperand(1), with_sign);
  if (!row || rows_.size() == kMostTests) return nullptr;
  Type* type = division.getType();
  Value* divisor = copies_.copy(unguarded_divisor(part.getOperand(1)));
  Value* ratio = b_.CreateIntCast(copies_.copy(times), type, with_sign);
  if (!from_) {
    const Intrinsic::ID product = with_sign ? Intrinsic::smul_with_overflow : Intrinsic::umul_with_overflow;
    Value* wraps = b_.CreateExtractValue(b_.CreateBinaryIntrinsic(product, divisor, ratio), 1);
    Value* is_positive = with_sign ? b_.CreateICmpSGT(ratio, ConstantInt::get(type, 0)) : b_.CreateIsNotNull(ratio);
    Value* holds = b_.CreateAnd(is_positive, b_.CreateNot(wraps));
    ask(holds);
    ask_for_walk(holds);
  }
  ratio = b_.CreateBinaryIntrinsic(with_sign ? Intrinsic::smax : Intrinsic::umax, ratio, ConstantInt::get(type, 1));
  Value* quotient = with_sign ? b_.CreateSDiv(row->quotient, ratio) : b_.CreateUDiv(row->quotient, ratio);
  Value* rest = with_sign ? b_.CreateSRem(row->quotient, ratio) : b_.CreateURem(row->quotient, ratio);
  Affine column = row->rest;
  column.first = b_.CreateAdd(b_.CreateMul(rest, divisor), column.first);
  rows_.push_back({division.getOperand(0), division.getOperand(1), with_sign, quotient, column, row->reach});
  return &rows_.back();
}

// As many lanes as there is room in the row; one, if it is not known that those behind it do not wrap or are negative.
void QuotientRows::end_row(Value* rest, Value* divisor, int64_t stride, Value* has_room) {
  Type* type = rest->getType();
  Value* room = b_.CreateSub(divisor, rest);
  if (stride != 1)
    room = b_.CreateUDiv(b_.CreateAdd(room, ConstantInt::get(type, stride - 1)), ConstantInt::get(type, stride));
  Value* lanes = ConstantInt::get(type, shapes_.group().lanes);
  room = b_.CreateBinaryIntrinsic(Intrinsic::umin, room, lanes);
  if (has_room) room = b_.CreateSelect(has_room, room, ConstantInt::get(type, 1));
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
  if (auto found = divisions_.find(i); i && found != divisions_.end())
    return found->second.part == Affine::Whole ? found->second : Affine{};
  if (Value* side = taken_side(v); side != v) return depth ? affine(side, depth - 1) : Affine{};
  const Shape shape = shapes_[v];
  const bool is_sum = i && (i->getOpcode() == Instruction::Add || i->getOpcode() == Instruction::Sub);
  const bool is_column = columns_.contains(v);
  if (is_sum && !is_column && !columns_.empty() && depth) {
    if (Affine sum = of_sum(*i, depth); sum.column) return sum;
  }
  if (shape.kind == Shape::Strided && copies_.can(v)) return of_strided(v, shape);
  if (!i || depth == 0) return {};
  if (isa<SExtInst, ZExtInst>(i)) return of_extension(*cast<CastInst>(i));
  return is_sum ? of_sum(*i, depth) : Affine{};
}

Affine QuotientRows::of_sum(Instruction& sum, unsigned depth) {
  const Affine a = affine(sum.getOperand(0), depth - 1), c = affine(sum.getOperand(1), depth - 1);
  if (!a.first || !c.first) return {};
  const bool takes = sum.getOpcode() == Instruction::Sub;
  Affine result{takes ? b_.CreateSub(a.first, c.first) : b_.CreateAdd(a.first, c.first),
                takes ? a.stride - c.stride : a.stride + c.stride, std::min(a.known, c.known)};
  result.low = low_bits(takes ? a.low - c.low : a.low + c.low, result.known);
  result.never_negative = !takes && a.never_negative && c.never_negative && sum.hasNoSignedWrap();
  result.is_unsigned = a.is_unsigned || c.is_unsigned;
  result.column = a.column ? a.column : c.column;
  return result;
}

Affine QuotientRows::of_strided(Value* v, const Shape& shape) {
  if (shape.stride < 0 || shape.stride > kMostStride || (shape.stride && !v->getType()->isIntegerTy())) return {};
  Affine result{copies_.copy(v), shape.stride, std::min(shapes_.low_zeros(v), kMostKnown)};
  if (auto* number = dyn_cast<ConstantInt>(v)) {
    result.known = kMostKnown;
    result.low = low_bits(number->getZExtValue(), kMostKnown);
    result.never_negative = !number->isNegative();
  }
  if (shape.stride == 0) return result;
  IRBuilder<>& b = copies_.builder;
  Type* type = v->getType();
  Value* lane = b.CreateZExtOrTrunc(emit_lane(b), type);
  Value* steps = b.CreateMul(lane, ConstantInt::get(type, shape.stride), "", /*HasNUW=*/true, /*HasNSW=*/true);
  result.first = b.CreateSub(result.first, steps);
  if (columns_.contains(v)) {
    result.column = v;
    result.never_negative = true;
    result.is_unsigned = columns_.lookup(v);
    result.known = std::max(result.known, phases_.lookup(v));
  }
  if (!from_) return result;
  result.known = std::min(result.known, zeros_of_walk_);
  Value* turn = b_.CreateMul(b_.CreateZExtOrTrunc(from_, type), ConstantInt::get(type, shape.stride));
  result.first = b_.CreateAdd(result.first, turn);
  return result;
}

// Of remainders and quotients, which are not negative, but where a lane walks alone.
Affine QuotientRows::of_extension(CastInst& cast) {
  auto* part = dyn_cast<BinaryOperator>(taken_side(cast.getOperand(0)));
  auto found = divisions_.find(part);
  if (!part || found == divisions_.end() || !(is_signed(*part) || isa<ZExtInst>(cast))) return {};
  Affine result = found->second;
  if (result.part != Affine::Whole || !part->isIntDivRem()) return {};
  result.is_unsigned = false;
  result.first = from_ ? b_.CreateCast(cast.getOpcode(), result.first, cast.getType())
                       : b_.CreateZExt(result.first, cast.getType());
  return result;
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
