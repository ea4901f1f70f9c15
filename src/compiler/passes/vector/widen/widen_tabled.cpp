// Lanes that lie close together in memory in an order that is known: vectors of memory, put in order by shuffles.
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/widen/block_mask.hpp"
#include "compiler/passes/vector/widen/widener.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

/// Of a number of vectors in a row, for each element of the result: the vector and the element there. -1: any.
struct Source {
  int vector = -1;
  unsigned element = 0;
};

Value* pick(IRBuilder<>& b, ArrayRef<Value*> vectors, ArrayRef<Source> sources) {
  const auto count = static_cast<unsigned>(sources.size());
  Value* result = nullptr;
  for (unsigned k = 0; k < vectors.size(); ++k) {
    if (none_of(sources, [&](const Source& s) { return s.vector == static_cast<int>(k); })) continue;
    SmallVector<int, 64> mask;
    for (unsigned at = 0; at < count; ++at) {
      const int from = sources[at].vector;
      const bool first = !result;
      if (from == static_cast<int>(k))
        mask.push_back(static_cast<int>(sources[at].element + (first ? 0 : count)));
      else
        mask.push_back(!first && from >= 0 && from < static_cast<int>(k) ? static_cast<int>(at) : -1);
    }
    result = result ? b.CreateShuffleVector(result, vectors[k], mask) : b.CreateShuffleVector(vectors[k], mask);
  }
  return result ? result : PoisonValue::get(vectors.front()->getType());
}

Align least_align(const TabledAccesses& accesses) {
  Align least = getLoadStoreAlignment(accesses.place());
  for (const auto& member : accesses.members) least = std::min(least, getLoadStoreAlignment(member.access));
  const Type* type = getLoadStoreType(accesses.place());
  return commonAlignment(least, type->getPrimitiveSizeInBits() / 8);
}

constexpr unsigned kMostShared = 4;  // lanes that may ask for one element, where a mask says whether they do
constexpr unsigned kFew = 4;         // elements that any number of lanes may ask for

/// For each element, the lanes that access it, by whichever member.
using Takers = SmallVector<SmallVector<unsigned, 2>, 64>;

Takers takers_of(const TabledAccesses& accesses, const BitVector& lanes) {
  Takers takers(accesses.span);
  for (const auto& member : accesses.members)
    for (const unsigned lane : lanes.set_bits()) {
      auto& of = takers[member.elements[lane]];
      if (!is_contained(of, lane)) of.push_back(lane);
    }
  return takers;
}

// Of few elements that many lanes share: a question each.
Value* taken_by_many(IRBuilder<>& b, const Takers& takers, Value* active) {
  const unsigned lanes = cast<FixedVectorType>(active->getType())->getNumElements();
  Type* type = b.getIntNTy(lanes);
  Value *bits = b.CreateBitCast(active, type), *result = ConstantInt::get(type, 0);
  for (unsigned at = 0; at < takers.size(); ++at) {
    APInt wanted(lanes, 0);
    for (const unsigned lane : takers[at]) wanted.setBit(lane);
    Value* is_wanted = b.CreateIsNotNull(b.CreateAnd(bits, ConstantInt::get(type, wanted)));
    result = b.CreateOr(result, b.CreateShl(b.CreateZExt(is_wanted, type), at));
  }
  return b.CreateBitCast(result, active->getType());
}

bool has_many(const Takers& takers) {
  return any_of(takers, [](const auto& lanes) { return lanes.size() > kMostShared; });
}

// Which of `count` elements behind the first one an active lane accesses.
Value* taken(IRBuilder<>& b, const Takers& takers, unsigned first, unsigned count, Value* active) {
  if (has_many(takers)) return taken_by_many(b, takers, active);
  Value *none = Constant::getNullValue(active->getType()), *result = nullptr;
  const auto idle = static_cast<int>(cast<FixedVectorType>(active->getType())->getNumElements());
  for (unsigned k = 0; k < kMostShared; ++k) {
    SmallVector<int, 64> from;
    for (unsigned at = first; at < first + count; ++at)
      from.push_back(at < takers.size() && k < takers[at].size() ? static_cast<int>(takers[at][k]) : idle);
    if (all_of(from, [&](int lane) { return lane == idle; })) continue;
    Value* lanes = b.CreateShuffleVector(active, none, from);
    result = result ? b.CreateOr(result, lanes) : lanes;
  }
  return result ? result : none;
}

// A counter of an idle lane may be anything, and lane 0 may be idle.
bool has_counter(const Value* v, const Shapes& shapes) {
  auto* i = dyn_cast<Instruction>(v);
  if (!i || !shapes[v].is_varying()) return false;
  return isa<PHINode>(i) || any_of(i->operands(), [&](const Use& operand) { return has_counter(operand, shapes); });
}

bool may_be_masked(const TabledAccesses& accesses, const BitVector& lanes, const Shapes& shapes) {
  const Takers takers = takers_of(accesses, lanes);
  const bool may_ask = accesses.stores ? all_of(takers, [](const auto& lanes) { return lanes.size() <= 1; })
                                       : accesses.span <= kFew || !has_many(takers);
  return may_ask && none_of(accesses.members, [&](const auto& member) {
           return has_counter(getLoadStorePointerOperand(member.access), shapes);
         });
}

Constant* lanes_below(IRBuilder<>& b, unsigned count, unsigned lanes) {
  SmallVector<Constant*, 64> mask;
  for (unsigned lane = 0; lane < lanes; ++lane) mask.push_back(b.getInt1(lane < count));
  return ConstantVector::get(mask);
}

}  // namespace

// Also of values that vary, where arithmetic on the group's index gives it.
Value* Widener::first_lane(Value* value) {
  if (!shapes_[value].is_varying()) return scalar(value);
  auto* i = cast<Instruction>(value);
  if (auto* call = dyn_cast<CallInst>(i); call && !isa<MinMaxIntrinsic>(i))
    return emit_group_index(b_, call->getIntrinsicID() - Intrinsic::nvvm_read_ptx_sreg_tid_x);
  if (isa<PHINode>(i)) return b_.CreateExtractElement(vector(i), uint64_t{0});
  if (isa<SExtInst, ZExtInst>(i))
    return first_extended(i->getOperand(0), i->getType(), LaneTables::extends_as_signed(*cast<CastInst>(i)));
  Instruction* copy = i->clone();
  copy->dropPoisonGeneratingAnnotations();
  for (Use& operand : copy->operands())
    if (!isa<Function>(operand)) operand.set(first_lane(operand));
  b_.Insert(copy);
  copy->setDebugLoc(i->getDebugLoc());
  return copy;
}

Value* Widener::first_extended(Value* value, Type* type, bool is_signed) {
  if (!tables_.extends_by_parts(value, is_signed))
    return is_signed ? b_.CreateSExt(first_lane(value), type) : b_.CreateZExt(first_lane(value), type);
  auto* sum = cast<BinaryOperator>(value);
  Value* parts[] = {first_extended(sum->getOperand(0), type, is_signed),
                    first_extended(sum->getOperand(1), type, is_signed)};
  return sum->getOpcode() == Instruction::Sub ? b_.CreateSub(parts[0], parts[1]) : b_.CreateAdd(parts[0], parts[1]);
}

// Of questions about known bits of a lane's number (`i % 8 == 0`) it is known which lanes say yes.
Widener::Lanes Widener::lanes_that_pass(const Value* condition) {
  using namespace PatternMatch;
  const Value *a, *b;
  if (match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))) {
    Lanes both = lanes_that_pass(a);
    const Lanes others = lanes_that_pass(b);
    both.may_be &= others.may_be;
    both.are_known &= others.are_known;
    return both;
  }
  Lanes result{BitVector(lanes_, true), false};
  auto* compare = dyn_cast<ICmpInst>(condition);
  const LaneTable* table =
      compare && shapes_[compare->getOperand(0)].is_varying() ? tables_.of(compare->getOperand(0)) : nullptr;
  auto* with = compare ? dyn_cast<ConstantInt>(compare->getOperand(1)) : nullptr;
  if (!table || !with || table->known < with->getBitWidth()) return result;
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    const APInt number(with->getBitWidth(), table->part(lane));
    result.may_be[lane] = ICmpInst::compare(number, with->getValue(), compare->getPredicate());
  }
  result.are_known = true;
  return result;
}

void Widener::find_tabled(BasicBlock& block) {
  tabled_.clear();
  tabled_of_.clear();
  if (lanes_ == 1) return;
  CallInst* mask = mask_of(block);
  tabled_lanes_ = mask ? lanes_that_pass(mask->getArgOperand(0)) : Lanes{BitVector(lanes_, true), true};
  tabled_ = find_tabled_accesses(block, shapes_, tables_);
  erase_if(tabled_, [&](const TabledAccesses& accesses) {
    // Rows are loaded with all lanes alone.
    if (mask) return !may_be_masked(accesses, tabled_lanes_.may_be, shapes_);
    return any_of(accesses.members, [&](auto& member) { return is_row_of_lanes(member.access); });
  });
  for (const TabledAccesses& accesses : tabled_)
    for (const auto& member : accesses.members) tabled_of_[member.access] = &accesses;
}

void Widener::widen_tabled(const TabledAccesses& accesses) {
  Value* base = first_lane(getLoadStorePointerOperand(accesses.place()));
  if (accesses.origin) base = b_.CreateGEP(b_.getInt8Ty(), base, b_.getInt64(accesses.origin));
  accesses.stores ? store_tabled(accesses, base) : load_tabled(accesses, base);
}

// The last vector ends with the highest element.
void Widener::load_tabled(const TabledAccesses& accesses, Value* base) {
  Type *type = getLoadStoreType(accesses.place()), *vectors = wide(type);
  const Align align = least_align(accesses);
  const unsigned last = accesses.span > lanes_ ? accesses.span - lanes_ : 0;
  Value* active = mask();
  const Takers takers = takers_of(accesses, tabled_lanes_.may_be);
  SmallVector<Value*, 4> memory;
  for (unsigned first = 0; first < accesses.span; first += lanes_) {
    const unsigned begin = std::min(first, last);
    Value *address = b_.CreateConstGEP1_64(type, base, begin), *wanted = nullptr;
    if (active)
      wanted = taken(b_, takers, begin, lanes_, active);
    else if (accesses.span < lanes_)
      wanted = lanes_below(b_, accesses.span, lanes_);
    memory.push_back(wanted ? static_cast<Value*>(
                                  b_.CreateMaskedLoad(vectors, address, align, wanted, Constant::getNullValue(vectors)))
                            : b_.CreateAlignedLoad(vectors, address, align));
  }
  for (const auto& member : accesses.members) {
    SmallVector<Source, 64> sources;
    for (const unsigned element : member.elements) {
      const unsigned vector = element / lanes_, first = std::min(vector * lanes_, last);
      sources.push_back({static_cast<int>(vector), element - first});
    }
    set(*member.access, pick(b_, memory, sources));
  }
}

// In the order of the code and of lanes: the last one has the last word.
void Widener::store_tabled(const TabledAccesses& accesses, Value* base) {
  Type* type = getLoadStoreType(accesses.place());
  const Align align = least_align(accesses);
  Value* active = tabled_lanes_.are_known ? nullptr : mask();
  const Takers takers = takers_of(accesses, tabled_lanes_.may_be);
  SmallVector<Value*, 4> values;
  std::vector<Source> sources(alignTo(accesses.span, lanes_));
  for (const auto& member : accesses.members) {
    for (const unsigned lane : tabled_lanes_.may_be.set_bits())
      sources[member.elements[lane]] = {static_cast<int>(values.size()), lane};
    values.push_back(vector(cast<StoreInst>(member.access)->getValueOperand()));
  }
  for (unsigned first = 0; first < accesses.span; first += lanes_) {
    const auto part = ArrayRef(sources).slice(first, lanes_);
    SmallVector<Constant*, 64> written;
    for (const Source& source : part) written.push_back(b_.getInt1(source.vector >= 0));
    Constant* all = ConstantVector::get(written);
    if (all->isNullValue()) continue;
    Value *memory = pick(b_, values, part), *address = b_.CreateConstGEP1_64(type, base, first);
    if (active)
      b_.CreateMaskedStore(memory, address, align, taken(b_, takers, first, lanes_, active));
    else if (all->isAllOnesValue())
      b_.CreateAlignedStore(memory, address, align);
    else
      b_.CreateMaskedStore(memory, address, align, all);
  }
}

}  // namespace lanza::compiler
