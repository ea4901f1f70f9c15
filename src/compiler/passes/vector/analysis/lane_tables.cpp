#include "compiler/passes/vector/analysis/lane_tables.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/groups/whole_rows.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static constexpr unsigned kAll = 64;

static uint64_t low_bits(uint64_t value, unsigned bits) { return value & maskTrailingOnes<uint64_t>(bits); }

// How many bits from there on are known to be 0.
static unsigned zeros_above(unsigned bit, const LaneTable& table) {
  if (table.known <= bit) return 0;
  return std::min(static_cast<unsigned>(countr_zero(table.low >> bit)), table.known - bit);
}

bool LaneTable::fits() const {
  return all_of(offsets, [&](int64_t offset) {
    const int64_t at = static_cast<int64_t>(low) + offset;
    return at >= 0 && (known >= kAll - 1 || at < int64_t{1} << known);
  });
}

const LaneTable* LaneTables::of(const Value* value) {
  const auto known = tables_.find(value);
  if (known != tables_.end()) return known->second.get();
  Table made = make(value);
  return (tables_[value] = made ? std::make_unique<LaneTable>(std::move(*made)) : nullptr).get();
}

bool LaneTables::keeps_high_bits(const Value* value) {
  if (!value->getType()->isIntegerTy() || !shapes_[value].is_varying()) return false;
  const LaneTable* table = of(value);
  if (!table || !table->fits() || table->known >= value->getType()->getIntegerBitWidth()) return false;
  auto* sum = dyn_cast<BinaryOperator>(value);
  auto* constant = sum && sum->getOpcode() == Instruction::Add ? dyn_cast<ConstantInt>(sum->getOperand(1)) : nullptr;
  if (!constant) return true;
  const LaneTable* part = of(sum->getOperand(0));
  return part->known == table->known && part->low + constant->getZExtValue() == table->low;
}

LaneTables::Table LaneTables::make(const Value* value) {
  Type* type = value->getType();
  if (!type->isPointerTy() && (!type->isIntegerTy() || type->getIntegerBitWidth() > kAll)) return {};
  const Shape shape = shapes_[value];
  if (shape.kind == Shape::Strided) {
    LaneTable table;
    for (unsigned lane = 0; lane < shapes_.group().lanes; ++lane) table.offsets.push_back(lane * shape.stride);
    if (type->isPointerTy()) return table;
    if (shape.is_uniform()) {
      const KnownBits bits = computeKnownBits(value, layout_);
      table.known = (bits.Zero | bits.One).countr_one();
      table.low = low_bits(bits.One.getZExtValue(), table.known);
    } else {
      table.known = shape.zeros;
    }
    table.known = std::min(table.known, kAll - 1);
    // `8 * t + 7`: how its lowest bits begin.
    auto* binary = shape.is_strided() ? dyn_cast<BinaryOperator>(value) : nullptr;
    const Table odd = binary ? of_binary(*binary) : Table{};
    return odd && odd->known > table.known ? odd : table;
  }
  if (auto* clamp = dyn_cast<MinMaxIntrinsic>(value)) return of_extremum(*clamp);
  if (auto* call = dyn_cast<CallInst>(value)) return of_index(*call);
  if (auto* binary = dyn_cast<BinaryOperator>(value)) return of_binary(*binary);
  if (auto* cast = dyn_cast<CastInst>(value)) return of_cast(*cast);
  if (auto* address = dyn_cast<GetElementPtrInst>(value)) return of_address(*address);
  if (auto* phi = dyn_cast<PHINode>(value)) return of_counter(*phi);
  return {};
}

LaneTables::Table LaneTables::of_index(const CallInst& call) const {
  const Intrinsic::ID id = call.getIntrinsicID();
  if (id < Intrinsic::nvvm_read_ptx_sreg_tid_x || id > Intrinsic::nvvm_read_ptx_sreg_tid_z) return {};
  const unsigned axis = id - Intrinsic::nvvm_read_ptx_sreg_tid_x;
  const GroupShape& group = shapes_.group();
  LaneTable table;
  for (unsigned lane = 0; lane < group.lanes; ++lane) table.offsets.push_back(group.offset(axis, lane));
  table.known = group.starts_at_zero(axis) ? kAll - 1 : static_cast<unsigned>(countr_zero(group.extent[axis]));
  return table;
}

LaneTables::Table LaneTables::of_binary(const BinaryOperator& i) {
  const LaneTable *first = of(i.getOperand(0)), *b = first ? of(i.getOperand(1)) : nullptr;
  if (!b) return {};
  const LaneTable& a = *first;
  const unsigned width = i.getType()->getIntegerBitWidth();
  LaneTable result;
  result.known = std::min(a.known, b->known);
  auto each = [&](auto&& operation) -> Table {
    result.low = low_bits(operation(a.low, b->low), result.known);
    for (unsigned lane = 0; lane < a.offsets.size(); ++lane)
      result.offsets.push_back(SignExtend64(operation(a.offsets[lane], b->offsets[lane]), width));
    return result;
  };
  switch (i.getOpcode()) {
    case Instruction::Add:
      return each([](uint64_t x, uint64_t y) { return x + y; });
    case Instruction::Sub:
      return each([](uint64_t x, uint64_t y) { return x - y; });
    case Instruction::Mul:
    case Instruction::Shl: {
      auto* constant = dyn_cast<ConstantInt>(i.getOperand(1));
      const bool shifts = i.getOpcode() == Instruction::Shl;
      if (!constant || (shifts && constant->getValue().uge(width))) return {};
      const uint64_t factor = shifts ? uint64_t{1} << constant->getZExtValue() : constant->getSExtValue();
      if (factor == 0) return {};
      result.known = std::min(a.known + static_cast<unsigned>(countr_zero(factor)), kAll - 1);
      return each([&](uint64_t x, uint64_t) { return x * factor; });
    }
    case Instruction::LShr:
    case Instruction::AShr:
      if (Table shifted = of_shift(i, a)) return shifted;
      [[fallthrough]];
    default:
      return of_bits(i, a, *b);
  }
}

// Also where lane 0 is idle: no lane's number is below its own.
bool LaneTables::wraps_nowhere(const Value* value, bool is_signed) const {
  if (shapes_.crosses_no_wrap(value)) return true;
  const Value* index = nullptr;
  const APInt* behind = nullptr;
  if (!match(value, m_Add(m_Value(index), m_APInt(behind))) || behind->isNegative()) return false;
  auto* in_row = dyn_cast<Instruction>(index);
  if (in_row && in_row->hasMetadata(kIndexInRow) && behind->ule(kBehindRow)) return true;
  auto* sum = cast<OverflowingBinaryOperator>(value);
  return (is_signed ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap()) && shapes_.crosses_no_wrap(index) &&
         shapes_[index].stride >= 0;
}

// (x + 1) >> 1: what the lanes add to the known bits may go into those above, where nothing wraps.
LaneTables::Table LaneTables::of_shift(const BinaryOperator& i, const LaneTable& a) const {
  auto* by = dyn_cast<ConstantInt>(i.getOperand(1));
  if (!by || by->getValue().uge(a.known)) return {};
  if (a.known >= kAll - 1 || !wraps_nowhere(i.getOperand(0), i.getOpcode() == Instruction::AShr)) return {};
  const auto shift = static_cast<unsigned>(by->getZExtValue());
  LaneTable result{{}, a.known - shift, a.low >> shift};
  for (const int64_t offset : a.offsets)
    result.offsets.push_back(((static_cast<int64_t>(a.low) + offset) >> shift) - static_cast<int64_t>(result.low));
  return result;
}

// All lanes' are far from where numbers wrap.
bool LaneTables::is_whole_quotient(const Value* value, bool is_signed) const {
  auto* i = dyn_cast<BinaryOperator>(value);
  const APInt* by = nullptr;
  if (!i || !match(i->getOperand(1), m_APInt(by)) || by->isZero() || by->uge(by->getBitWidth())) return false;
  if (i->getOpcode() == Instruction::LShr) return wraps_nowhere(i->getOperand(0), false);
  return i->getOpcode() == Instruction::AShr && is_signed && wraps_nowhere(i->getOperand(0), true);
}

// Of a place in the block, as in `tile[ty][min(tx + 1, 15)]`.
LaneTables::Table LaneTables::of_extremum(const MinMaxIntrinsic& i) {
  const LaneTable *first = of(i.getLHS()), *b = first ? of(i.getRHS()) : nullptr;
  if (!b) return {};
  const LaneTable& a = *first;
  const unsigned width = i.getType()->getIntegerBitWidth();
  if (a.known < width || b->known < width) return {};
  auto number = [&](const LaneTable& table, unsigned lane) { return APInt(width, low_bits(table.part(lane), width)); };
  auto at = [&](unsigned lane) {
    const APInt x = number(a, lane), y = number(*b, lane);
    return (ICmpInst::compare(x, y, i.getPredicate()) ? x : y).getZExtValue();
  };
  LaneTable result{{}, width, at(0)};
  for (unsigned lane = 0; lane < a.offsets.size(); ++lane)
    result.offsets.push_back(SignExtend64(at(lane) - result.low, width));
  return result;
}

// (x + 1) & 1: no others are left, whatever the lanes add to those above.
static std::optional<LaneTable> of_low_bits(const LaneTable& a, const LaneTable& pattern, unsigned width) {
  const unsigned all = std::min(width, kAll - 1);
  const bool is_uniform = all_of(pattern.offsets, [](int64_t offset) { return offset == 0; });
  if (!is_uniform || pattern.known < all || pattern.low >> std::min(a.known, kAll - 1) != 0) return {};
  LaneTable result{{}, all, a.low & pattern.low};
  for (unsigned lane = 0; lane < a.offsets.size(); ++lane)
    result.offsets.push_back(static_cast<int64_t>((a.part(lane) & pattern.low) - result.low));
  return result;
}

// On the known bits alone: those above are the same for all lanes before and after.
LaneTables::Table LaneTables::of_bits(const BinaryOperator& i, const LaneTable& a, const LaneTable& b) const {
  const unsigned width = i.getType()->getIntegerBitWidth(), known = std::min({a.known, b.known, width});
  if (i.getOpcode() == Instruction::And)
    if (Table low = of_low_bits(a, b, width)) return low;
  if (!a.fits() || !b.fits()) return {};
  LaneTable result{{}, known, 0};
  for (unsigned lane = 0; lane < a.offsets.size(); ++lane)
    if (a.part(lane) >> known != a.low >> known || b.part(lane) >> known != b.low >> known) return {};
  auto each = [&](auto&& operation) -> Table {
    auto at = [&](unsigned lane) { return operation(low_bits(a.part(lane), known), low_bits(b.part(lane), known)); };
    result.low = at(0);
    for (unsigned lane = 0; lane < a.offsets.size(); ++lane)
      result.offsets.push_back(static_cast<int64_t>(at(lane) - result.low));
    return result;
  };
  switch (i.getOpcode()) {
    case Instruction::And:
      result.known += zeros_above(known, b);
      return each([](uint64_t x, uint64_t y) { return x & y; });
    case Instruction::Or:
      return each([](uint64_t x, uint64_t y) { return x | y; });
    case Instruction::Xor:
      return each([](uint64_t x, uint64_t y) { return x ^ y; });
    case Instruction::AShr:  // above the known bits all lanes have the same
    case Instruction::LShr: {
      auto* by = dyn_cast<ConstantInt>(i.getOperand(1));
      if (!by || by->getValue().uge(width)) return {};
      if (i.getOpcode() == Instruction::AShr && known == width) return {};  // signs might differ
      const auto shift = static_cast<unsigned>(by->getZExtValue());
      result.known -= std::min(shift, known);
      return each([&](uint64_t x, uint64_t) { return x >> shift; });
    }
    default:
      return {};
  }
}

// Lanes begin together, and go on by the same step.
LaneTables::Table LaneTables::of_counter(const PHINode& phi) {
  if (phi.getNumIncomingValues() != 2 || !phi.getType()->isIntegerTy()) return {};
  for (unsigned k = 0; k < 2; ++k) {
    const Value* step = nullptr;
    if (!match(phi.getIncomingValue(k), m_c_Add(m_Specific(&phi), m_Value(step))) || !shapes_.is_uniform(step))
      continue;
    const LaneTable* start = of(phi.getIncomingValue(1 - k));
    if (!start) return {};
    LaneTable result = *start;
    result.known = std::min(result.known, computeKnownBits(step, layout_).countMinTrailingZeros());
    result.low = low_bits(result.low, result.known);
    return result;
  }
  return {};
}

LaneTables::Table LaneTables::of_cast(const CastInst& i) {
  if (!isa<SExtInst, ZExtInst, TruncInst>(i)) return {};
  if (!isa<TruncInst>(i)) return of_extended(i.getOperand(0), extends_as_signed(i));
  const LaneTable* a = of(i.getOperand(0));
  if (!a) return {};
  LaneTable result = *a;
  const unsigned width = i.getType()->getIntegerBitWidth();
  for (int64_t& offset : result.offsets) offset = SignExtend64(offset, width);
  result.known = std::min(result.known, width);
  result.low = low_bits(result.low, result.known);
  return result;
}

bool LaneTables::extends_as_signed(const CastInst& i) { return isa<SExtInst>(i) || i.hasNonNeg(); }

bool LaneTables::extends_by_parts(const Value* value, bool is_signed) {
  if (shapes_.is_uniform(value) || of_extended_whole(value, is_signed)) return false;
  auto* sum = dyn_cast<BinaryOperator>(value);
  if (!sum) return false;
  if (sum->getOpcode() == Instruction::Or) return cast<PossiblyDisjointInst>(sum)->isDisjoint();
  if (sum->getOpcode() != Instruction::Add && sum->getOpcode() != Instruction::Sub) return false;
  return is_signed ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap();
}

// Lanes differ in known bits, and not in the sign.
LaneTables::Table LaneTables::of_extended_whole(const Value* value, bool is_signed) {
  const LaneTable* a = of(value);
  if (!a) return {};
  LaneTable result = *a;
  result.known = std::min(result.known, value->getType()->getIntegerBitWidth() - 1);
  result.low = low_bits(result.low, result.known);
  if (result.low != a->low || !(result.fits() || is_whole_quotient(value, is_signed))) return {};
  return result;
}

LaneTables::Table LaneTables::of_extended(const Value* value, bool is_signed) {
  if (Table whole = of_extended_whole(value, is_signed)) return whole;
  LaneTable result;
  if (shapes_.is_uniform(value)) {
    result.offsets.assign(shapes_.group().lanes, 0);
    return result;
  }
  if (!extends_by_parts(value, is_signed)) return {};
  auto* sum = cast<BinaryOperator>(value);
  const Table a = of_extended(sum->getOperand(0), is_signed), b = of_extended(sum->getOperand(1), is_signed);
  if (!a || !b) return {};
  const int64_t sign = sum->getOpcode() == Instruction::Sub ? -1 : 1;
  for (unsigned lane = 0; lane < a->offsets.size(); ++lane)
    result.offsets.push_back(a->offsets[lane] + sign * b->offsets[lane]);
  return result;
}

LaneTables::Table LaneTables::of_address(const GetElementPtrInst& i) {
  const LaneTable* base = of(i.getPointerOperand());
  if (!base) return {};
  LaneTable result{base->offsets, 0, 0};
  for (auto type = gep_type_begin(i); type != gep_type_end(i); ++type) {
    if (shapes_.is_uniform(type.getOperand())) continue;
    const LaneTable* index = of(type.getOperand());
    if (!index || !type.isSequential() || !type.getOperand()->getType()->isIntegerTy(64)) return {};
    const auto size = static_cast<int64_t>(type.getSequentialElementStride(layout_).getFixedValue());
    for (unsigned lane = 0; lane < result.offsets.size(); ++lane) result.offsets[lane] += index->offsets[lane] * size;
  }
  return result;
}

}  // namespace lanza::compiler
