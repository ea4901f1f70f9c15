#include "compiler/passes/vector/groups/index_planes.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallVectorExtras.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/guard_division.hpp"
#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/retarget.hpp"
#include "compiler/passes/vector/groups/end_grid_loop.hpp"
#include "compiler/passes/vector/groups/index_spans.hpp"
#include "compiler/passes/vector/groups/part_growth.hpp"
#include "compiler/passes/vector/groups/whole_rows.hpp"
#include "compiler/passes/vector/scalars/prepare_scalars.hpp"
#include "compiler/passes/vector/scalars/quotient_rows.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostDepth = 8;

bool is_register(const Value* v, Intrinsic::ID id) {
  auto* call = dyn_cast<IntrinsicInst>(v);
  return call && call->getIntrinsicID() == id;
}

bool is_thread(const Value* v) { return is_register(v, Intrinsic::nvvm_read_ptx_sreg_tid_x); }

// Of which end_grid_loop() makes nothing.
bool is_grid_size(const Instruction& i) { return is_register(&i, Intrinsic::nvvm_read_ptx_sreg_nctaid_x); }

using Factors = IndexPlanes::Factors;

/// Who runs first does not show, and nobody asks who it is but by x.
bool is_plain(const Instruction& i) {
  if (auto* load = dyn_cast<LoadInst>(&i)) return load->isSimple();
  if (auto* store = dyn_cast<StoreInst>(&i)) return store->isSimple();
  if (isa<AllocaInst>(i)) return false;
  auto* call = dyn_cast<IntrinsicInst>(&i);
  if (auto* base = dyn_cast<CallInst>(&i); base && !call && base->getCalledFunction())
    return base->getCalledFunction()->getName() == kGlobalsBase;
  if (!call) return !i.mayReadOrWriteMemory() && !isa<CallBase>(i);
  if (call->getCalledFunction()->getName().starts_with("llvm.nvvm.read"))
    return is_thread(call) || is_register(call, Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
  return !call->mayHaveSideEffects() || isa<AssumeInst>(i);
}

/// By how much a value grows with x and with y; nothing: not by a constant.
struct Growth {
  std::optional<int64_t> x = 0, y = 0;
  bool is_none() const { return x == 0 && y == 0; }
};

std::optional<int64_t> sum(std::optional<int64_t> a, std::optional<int64_t> b, int64_t factor) {
  return a && b ? std::optional(*a + *b * factor) : std::nullopt;
}

Growth operator+(const Growth& a, const Growth& b) { return {sum(a.x, b.x, 1), sum(a.y, b.y, 1)}; }
Growth times(const Growth& a, int64_t factor) { return {sum(0, a.x, factor), sum(0, a.y, factor)}; }
// Anything is made of it: what does not grow at all still does not.
Growth unknown(const Growth& a) {
  auto keep = [](std::optional<int64_t> by) { return by == 0 ? by : std::nullopt; };
  return {keep(a.x), keep(a.y)};
}

class PlaneSearch {
 public:
  PlaneSearch(Function& kernel, const GroupShape& group, IndexPlanes& planes)
      : kernel_(kernel), group_(group), planes_(planes), parts_(planes.parts) {}

  bool find() {
    planes_.threads = end_grid_loop(kernel_, group_.block[0]);
    const bool is_loop = planes_.threads;
    if (!drop_guards() || (is_loop && !planes_.threads)) return false;
    if (!find_indices()) return false;
    find_spans();
    ask_for_rows();
    const SmallVector<Factors, 8> widths = find_widths();
    const bool in_columns = any_of(widths, [&](const Factors& width) { return take_apart(width) && has_columns(); });
    planes_.in_rows = !in_columns && any_of(widths, [&](const Factors& width) {
      return may_be_row(width) && take_apart(width) && !planes_.has_parts_of_columns();
    });
    if (!in_columns && !planes_.in_rows) return false;
    if (is_loop) find_order();
    bound_divisors();
    return true;
  }

 private:
  using Part = IndexPlanes::Part;
  using Place = IndexPlanes::Place;
  bool drop_guards();
  bool find_indices();
  void find_spans();
  bool is_index(const Value* v) const;
  void ask_for_rows();
  SmallVector<Factors, 8> find_widths() const;
  Factors find_height() const;
  Factors find_steps() const;
  bool take_apart(const Factors& width);
  bool take(const IndexDivision& division);
  std::optional<Place> place_of(const IndexSpan& span) const;
  std::optional<Place> place_in_row(const IndexSpan& span) const;
  bool has_columns() const;
  static bool may_be_row(const Factors& width);
  void find_order();
  void bound_divisors();
  Growth growth(Value* v, unsigned depth = 0) const;
  Function& kernel_;
  const GroupShape group_;
  IndexPlanes& planes_;
  MapVector<Instruction*, Place>& parts_;
  SmallSetVector<Instruction*, 4> indices_;
  MapVector<Instruction*, IndexSpan> spans_;
};

void settle_comparison(ICmpInst& compare, const Value* of, const ConstantRange& range) {
  const APInt* number;
  if (compare.getOperand(0) != of || !match(compare.getOperand(1), m_APInt(number))) return;
  const ConstantRange other(*number);
  const bool holds = range.icmp(compare.getPredicate(), other);
  if (!holds && !range.icmp(compare.getInversePredicate(), other)) return;
  compare.replaceAllUsesWith(ConstantInt::getBool(compare.getContext(), holds));
}

// LLVM asks whether x is the number that makes a multiple of it 0 or -1. Of what is out of the range it is none.
void settle_multiple(Value* multiple, const ConstantRange& range) {
  Value* x;
  const APInt *by, *number;
  const bool is_shift = match(multiple, m_Shl(m_Value(x), m_APInt(by)));
  if (!is_shift && !match(multiple, m_Mul(m_Value(x), m_APInt(by)))) return;
  for (User* user : make_early_inc_range(x->users())) {
    auto* compare = dyn_cast<ICmpInst>(user);
    if (!compare || !compare->isEquality() || !match(compare->getOperand(1), m_APInt(number))) continue;
    if (range.contains(is_shift ? number->shl(*by) : *number * *by)) continue;
    compare->replaceAllUsesWith(
        ConstantInt::getBool(compare->getContext(), compare->getPredicate() == ICmpInst::ICMP_NE));
  }
}

// Comparisons that are known where a value lies in the range, also of what it is made of.
void settle(Value* v, const ConstantRange& range) {
  for (User* user : make_early_inc_range(v->users())) {
    auto* compare = dyn_cast<ICmpInst>(user);
    const APInt* number;
    if (match(user, m_Add(m_Specific(v), m_APInt(number)))) {
      const ConstantRange sums = range.add(ConstantRange(*number));
      for (User* of_sum : make_early_inc_range(user->users()))
        if (auto* compares = dyn_cast<ICmpInst>(of_sum)) settle_comparison(*compares, user, sums);
    } else if (compare) {
      settle_comparison(*compare, v, range);
    }
  }
  settle_multiple(v, range);
  const APInt* divisor;
  Value* dividend;
  // LLVM asks about W where code asks about W / 2.
  if (match(v, m_SDiv(m_Value(dividend), m_APInt(divisor))) && divisor->isStrictlyPositive()) {
    const APInt least = range.getSignedMin().smul_sat(*divisor);
    if (least.isStrictlyPositive())
      settle(dividend, ConstantRange(least, APInt::getSignedMinValue(least.getBitWidth())));
  }
}

// As launches ask about divisors, comparisons with them that are known then go. Only then others are seen, which are
// quotients themselves: the rows of an image that is made with a stride.
bool PlaneSearch::drop_guards() {
  SmallVector<WeakTrackingVH, 8> divisors;
  auto find = [&] {
    for (Instruction& i : instructions(kernel_)) {
      const auto division = as_index_division(i);
      if (division && !isa<ConstantInt>(division->divisor) && !is_contained(divisors, division->divisor))
        divisors.emplace_back(division->divisor);
    }
    return divisors.size();
  };
  size_t settled = 0;
  do {
    for (const size_t all = find(); settled < all; ++settled) {
      const unsigned bits = divisors[settled]->getType()->getScalarSizeInBits();
      settle(divisors[settled], ConstantRange(APInt(bits, 1), APInt(bits, uint64_t{1} << 31)));
    }
    PassRunner(nullptr).run(kernel_, kTidyScalars);
    // Of one that is gone a launch could not ask what was made use of.
    if (is_contained(divisors, nullptr)) return false;
  } while (settled < find());
  planes_.divisors.assign(divisors.begin(), divisors.end());
  return true;
}

bool PlaneSearch::find_indices() {
  if (!all_of(instructions(kernel_), is_plain) || !can_take_whole_rows(kernel_, group_)) return false;
  auto add = [&](Instruction& thread, auto& self) -> bool {
    return all_of(thread.users(), [&](User* user) {
      if (isa<ZExtInst, SExtInst>(user)) return self(*cast<Instruction>(user), self);
      auto* sum = cast<Instruction>(user);
      if (sum->getOpcode() != Instruction::Add && !match(sum, m_DisjointOr(m_Value(), m_Value()))) return false;
      indices_.insert(sum);
      return true;
    });
  };
  for (Instruction& i : instructions(kernel_))
    if (is_thread(&i) && !add(i, add)) return false;
  return !indices_.empty();
}

// The same number in another type: the index is one of 31 bits.
bool is_same_number(const Instruction& i) {
  return isa<CastInst, FreezeInst>(i) && i.getType()->isIntegerTy() && i.getType()->getIntegerBitWidth() >= 32;
}

void PlaneSearch::find_spans() {
  for (Instruction* index : indices_) spans_[index] = {};
  for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&kernel_))
    for (Instruction& i : *block) {
      const auto division = as_index_division(i);
      if (!division && !is_same_number(i)) continue;
      auto found = spans_.find(dyn_cast<Instruction>(i.getOperand(0)));
      if (found == spans_.end()) continue;
      const IndexSpan of = found->second;
      const auto span = division ? of.part(index_factors(division->divisor), division->is_remainder) : of;
      if (span) spans_[&i] = *span;
    }
}

// As it is, in any type.
bool PlaneSearch::is_index(const Value* v) const {
  auto found = spans_.find(dyn_cast<Instruction>(const_cast<Value*>(v)));
  return found != spans_.end() && found->second.below.empty() && !found->second.size;
}

// LLVM asks whether an index is below the width where code asks for the first row (`i / width == 0`).
void PlaneSearch::ask_for_rows() {
  SmallSetVector<Value*, 8> divisors;
  for (auto& [i, span] : spans_)
    if (auto division = as_index_division(*i)) divisors.insert(division->divisor);
  for (Instruction& i : make_early_inc_range(instructions(kernel_))) {
    auto* compare = dyn_cast<ICmpInst>(&i);
    if (!compare || !compare->isRelational()) continue;
    if (divisors.contains(without_division_guard(compare->getOperand(0)))) compare->swapOperands();
    auto of = spans_.find(dyn_cast<Instruction>(compare->getOperand(0)));
    const auto asked = compare->getPredicate();
    const auto predicate = ICmpInst::isSigned(asked) ? ICmpInst::getUnsignedPredicate(asked) : asked;
    const bool is_below = predicate == ICmpInst::ICMP_ULT;
    if (of == spans_.end() || (!is_below && predicate != ICmpInst::ICMP_UGE)) continue;
    Value* divisor = without_division_guard(compare->getOperand(1));
    const auto span = of->second.part(index_factors(divisor), /*is_remainder=*/false);
    if (!span || !divisors.contains(divisor)) continue;
    IRBuilder<> b(compare);
    auto* row = cast<Instruction>(b.CreateUDiv(compare->getOperand(0), compare->getOperand(1)));
    compare->replaceAllUsesWith(is_below ? b.CreateIsNull(row) : b.CreateIsNotNull(row));
    compare->eraseFromParent();
    spans_[row] = *span;
  }
}

// Rows of others than the factors themselves: a square's rows are as many as it has columns.
bool is_of_others(const Factors& rows, const Factors& factors) {
  return any_of(rows, [&](Value* factor) { return !without_factors(factors, {factor}); });
}

// Of shorter rows first: within those nothing is divided. Where there are others, not what parts of the index are
// divided by as well as rows: an image that is enlarged by as much in both directions.
SmallVector<Factors, 8> PlaneSearch::find_widths() const {
  SmallSetVector<Value*, 8> divisors, of_parts, of_rows;
  for (auto& [i, span] : spans_)
    if (auto division = as_index_division(*i)) {
      const IndexSpan& of = spans_.find(dyn_cast<Instruction>(i->getOperand(0)))->second;
      if (of.below.empty())
        divisors.insert(division->divisor);
      else if (is_of_others(of.below, index_factors(division->divisor)))
        of_rows.insert(division->divisor);
      if (of.below.empty() && of.size) of_parts.insert(division->divisor);
    }
  auto is_step = [&](Value* divisor) { return of_parts.contains(divisor) && of_rows.contains(divisor); };
  SmallVector<Value*, 8> rows = divisors.takeVector();
  if (!all_of(rows, is_step)) erase_if(rows, is_step);
  SmallVector<Factors, 8> widths = map_to_vector<8>(rows, [](Value* divisor) { return index_factors(divisor); });
  stable_sort(widths, [](const Factors& a, const Factors& b) { return a.size() < b.size(); });
  return widths;
}

// Two rows that share something (y / 2) are no plane, if there are larger ones.
bool is_few(const Factors& rows) {
  const APInt* number;
  return rows.size() == 1 && match(rows[0], m_APInt(number)) && number->ult(kLeastPlaneHeight);
}

// What columns are divided by: a step from pixel to pixel, or of an image that is enlarged.
Factors PlaneSearch::find_steps() const {
  Factors steps;
  for (Instruction& i : instructions(kernel_)) {
    const auto division = as_index_division(i);
    auto of = division ? spans_.find(dyn_cast<Instruction>(i.getOperand(0))) : spans_.end();
    if (of == spans_.end() || !of->second.below.empty() || !of->second.size) continue;
    const std::optional<Factors> more = without_factors(planes_.width, *of->second.size);
    if (more && more->empty()) steps.append(index_factors(division->divisor));
  }
  return steps;
}

// Of all that is taken of rows the least. Steps are no heights: few rows would be all of a block's.
Factors PlaneSearch::find_height() const {
  Factors least;
  const Factors steps = find_steps();
  auto add = [&](const Factors& threads) {
    const std::optional<Factors> rows = without_factors(threads, planes_.width);
    if (!rows || rows->empty() || without_factors(steps, *rows)) return;
    const auto rank = [](const Factors& of) { return std::pair(is_few(of), of.size()); };
    if (least.empty() || rank(*rows) < rank(least)) least = *rows;
  };
  for (auto& [i, span] : spans_) {
    add(span.below);
    if (span.size) add(factor_product(span.below, *span.size));
  }
  return least;
}

// Says of each value which part of the index it is. False: it is not taken apart by rows of this width.
bool PlaneSearch::take_apart(const Factors& width) {
  planes_.width = width;
  planes_.height = find_height();
  parts_.clear();
  planes_.of_columns.clear();
  for (Instruction* index : indices_) parts_[index] = {Part::Index, {}, {}};
  for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&kernel_))
    for (Instruction& i : *block) {
      if (const auto division = as_index_division(i)) {
        if (!take(*division)) return false;
      } else if (is_same_number(i)) {
        auto part = parts_.find(dyn_cast<Instruction>(i.getOperand(0)));
        if (part == parts_.end()) continue;
        const Place same = part->second;
        parts_[&i] = same;
      }
    }
  return any_of(parts_, [](auto& part) { return part.second.part == Part::X || part.second.part == Part::Row; });
}

bool PlaneSearch::take(const IndexDivision& division) {
  auto found = parts_.find(dyn_cast<Instruction>(division.operation->getOperand(0)));
  const auto of = found == parts_.end() ? std::nullopt : std::optional(found->second.part);
  if (of == Part::X && !found->second.is_divided()) {
    if (can_be_real(division)) planes_.of_columns.push_back(division.operation);
    return true;
  }
  if (auto span = spans_.find(division.operation); span != spans_.end())
    if (const std::optional<Place> place = place_of(span->second)) {
      parts_[division.operation] = *place;
      return true;
    }
  if (of != Part::Index && of != Part::InPlane) return true;    // others are the same for a whole row
  return all_of(division.operation->users(), [&](User* user) {  // a step on the way to parts of columns
    auto part = spans_.find(cast<Instruction>(user));
    return part != spans_.end() && place_of(part->second);
  });
}

std::optional<IndexPlanes::Place> PlaneSearch::place_of(const IndexSpan& span) const {
  const bool is_in_row = span.below.empty();
  if (is_in_row && !span.size) return Place{Part::Index, {}, {}};
  const std::optional<Factors> rows = without_factors(is_in_row ? *span.size : span.below, planes_.width);
  if (!rows) return place_in_row(span);
  if (rows->empty() && is_in_row) return Place{Part::X, {}, {}};
  if (rows->empty() && !span.size) return Place{Part::Row, {}, {}};
  const std::optional<Factors> layers = without_factors(rows->empty() ? *span.size : *rows, planes_.height);
  if (!layers || (planes_.height.empty() && !layers->empty())) return {};
  if (is_in_row) return layers->empty() ? Place{Part::InPlane, {}, {}} : Place{Part::Index, {}, *layers};
  if (rows->empty()) return layers->empty() ? Place{Part::Y, {}, {}} : Place{Part::Row, {}, *layers};
  return Place{Part::Z, *layers, span.size.value_or(Factors())};
}

// Of rows that are divided by the index's own divisions.
std::optional<IndexPlanes::Place> PlaneSearch::place_in_row(const IndexSpan& span) const {
  if (!span.size) return {};
  const std::optional<Factors> above = without_factors(planes_.width, factor_product(span.below, *span.size));
  if (!above) return {};
  return Place{Part::X, span.below, above->empty() ? Factors() : *span.size};
}

// By powers of two code for flat indices shifts, and rows shorter than a group are not worth one.
bool PlaneSearch::may_be_row(const Factors& width) {
  const APInt* number;
  return width.size() > 1 || !match(width[0], m_APInt(number)) || (!number->isPowerOf2() && number->uge(kLeastRow));
}

// Some access goes down columns, and none would become slower.
bool PlaneSearch::has_columns() const {
  const DataLayout& layout = kernel_.getDataLayout();
  bool has = false;
  for (Instruction& i : instructions(kernel_)) {
    Value* address = getLoadStorePointerOperand(&i);
    if (!address) continue;
    const auto size = static_cast<int64_t>(layout.getTypeStoreSize(getLoadStoreType(&i)).getFixedValue());
    const Growth by = growth(address);
    const bool is_column = !by.x && by.y && std::abs(*by.y) == size;
    if (!by.x && !is_column) return false;
    has |= is_column;
  }
  return has;
}

// What is read has to have an end that a launch can compute.
void PlaneSearch::find_order() {
  auto apart = independent_turns(kernel_, [&](const Value* v) { return is_index(v); });
  planes_.in_any_order = apart && all_of(*apart, [&](const ApartArrays& arrays) {
                           const auto place = array_place(*arrays.other);
                           return place && !place->first.isNegative() && all_of(place->steps, [&](auto& step) {
                                    return step.second.isStrictlyPositive() && grows_with_parts(step.first, planes_);
                                  });
                         });
  if (planes_.in_any_order) planes_.apart = std::move(*apart);
}

// As launches ask about them: so what is the same for all lanes may be divided in front of loops, whoever needs it
// there. Divisors that are quotients stay as launches compute them.
void PlaneSearch::bound_divisors() {
  for (Instruction& i : instructions(kernel_))
    if (auto division = as_index_division(i);
        division && i.isIntDivRem() && !isa<Constant>(division->divisor) && !is_made_of_arguments(&i)) {
      IRBuilder<> b(&i);
      Value* divisor = b.CreateSExt(division->divisor, i.getType());
      i.setOperand(1, b.CreateBinaryIntrinsic(Intrinsic::smax, divisor, ConstantInt::get(i.getType(), 1)));
    }
}

Growth PlaneSearch::growth(Value* v, unsigned depth) const {
  if (auto part = parts_.find(dyn_cast<Instruction>(v)); part != parts_.end()) switch (part->second.part) {
      case Part::Index:
      case Part::InPlane:
        return {1, std::nullopt};
      case Part::Row:
      case Part::Y:
        return {0, 1};
      case Part::X:
        return part->second.is_divided() ? Growth{std::nullopt, 0} : Growth{1, 0};
      case Part::Z:
        return {};
    }
  auto* i = dyn_cast<Instruction>(v);
  if (!i) return {};
  if (depth == 2 * kMostDepth || isa<PHINode>(i)) return {std::nullopt, std::nullopt};
  auto of = [&](unsigned k) { return growth(i->getOperand(k), depth + 1); };
  const APInt* number;
  if (isa<CastInst, FreezeInst>(i)) return of(0);
  if (i->getOpcode() == Instruction::Add || match(i, m_DisjointOr(m_Value(), m_Value()))) return of(0) + of(1);
  if (i->getOpcode() == Instruction::Sub) return of(0) + times(of(1), -1);
  if (match(i, m_Mul(m_Value(), m_APInt(number))) && number->isSignedIntN(32))
    return times(of(0), number->getSExtValue());
  if (match(i, m_Shl(m_Value(), m_APInt(number))) && number->ult(32))
    return times(of(0), int64_t{1} << number->getZExtValue());
  Growth all;
  if (auto* address = dyn_cast<GetElementPtrInst>(i)) {
    all = of(0);
    for (auto type = gep_type_begin(address); type != gep_type_end(address); ++type)
      if (type.isSequential())
        all = all + times(growth(type.getOperand(), depth + 1),
                          static_cast<int64_t>(type.getSequentialElementStride(kernel_.getDataLayout())));
    return all;
  }
  for (Value* operand : i->operands()) all = all + unknown(growth(operand, depth + 1));
  return all;
}

}  // namespace

bool may_have_index_planes(Function& kernel, const GroupShape& group) {
  if (group.lane_axis != 0 || group.block[0] == 1 || group.block[1] * group.block[2] != 1) return false;
  if (none_of(instructions(kernel),
              [](Instruction& i) {
                const auto division = as_index_division(i);
                return division && division->operation->isIntDivRem();
              }) ||
      !all_of(instructions(kernel), [](const Instruction& i) { return is_plain(i) || is_grid_size(i); }))
    return false;
  return can_take_whole_rows(kernel, group);
}

bool find_index_planes(Function& kernel, const GroupShape& group, IndexPlanes& found) {
  return PlaneSearch(kernel, group, found).find();
}

}  // namespace lanza::compiler
