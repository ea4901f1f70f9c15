// Members of records, one a lane: whole vectors of memory, taken apart or put together by shuffles.
#include "compiler/passes/vector/cost_notes.hpp"
#include "compiler/passes/vector/widen/alike_members.hpp"
#include "compiler/passes/vector/widen/lane_distances.hpp"
#include "compiler/passes/vector/widen/record_shuffles.hpp"
#include "compiler/passes/vector/widen/widener.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

Align least_align(const InterleavedAccesses& accesses) {
  Align least(8);
  for (const auto& member : accesses.members) least = std::min(least, getLoadStoreAlignment(member.access));
  return least;
}

unsigned size_of(const InterleavedAccesses::Member& member) {
  return static_cast<unsigned>(member.access->getDataLayout().getTypeStoreSize(getLoadStoreType(member.access)));
}

// Which units of a record its members access; bytes, where of some units they access parts only.
BitVector accessed_in(const InterleavedAccesses& accesses) {
  BitVector bytes(accesses.records * accesses.unit), units(accesses.records);
  for (const auto& member : accesses.members) {
    const auto at = static_cast<unsigned>(member.offset - accesses.origin);
    bytes.set(at, at + size_of(member));
    units.set(accesses.unit_of(member));
  }
  return bytes.count() == units.count() * accesses.unit ? units : bytes;
}

// Which of so many elements of a record its members write, or the thread writes with what they hold.
BitVector written_or_kept(const InterleavedAccesses& accesses, BitVector written) {
  const int64_t size = int64_t{accesses.records} * accesses.unit / written.size();
  for (unsigned at = 0; at < written.size(); ++at) {
    const int64_t begin = accesses.origin + at * size;
    if (any_of(accesses.kept, [&](auto& kept) { return kept.begin <= begin && begin + size <= kept.end; }))
      written.set(at);
  }
  return written;
}

// Of which elements of a record's `q`th vector that is so.
Constant* elements_of(LLVMContext& context, const BitVector& record, unsigned q, unsigned elements) {
  SmallVector<Constant*, 64> mask;
  for (unsigned at = 0; at < elements; ++at)
    mask.push_back(ConstantInt::getBool(context, record.test((q * elements + at) % record.size())));
  return ConstantVector::get(mask);
}

Type* unit_type(const InterleavedAccesses& accesses) {
  Type* type = getLoadStoreType(accesses.place());
  Type* integer = IntegerType::get(type->getContext(), accesses.unit * 8);
  return all_of(accesses.members, [&](auto& member) { return getLoadStoreType(member.access) == type; }) &&
                 type->getPrimitiveSizeInBits() == uint64_t{accesses.unit} * 8
             ? type
             : integer;
}

Value* element(IRBuilder<>& b, Type* type, Value* base, uint64_t index) {
  return index ? b.CreateConstGEP1_64(type, base, index) : base;
}

}  // namespace

// What of a unit is the member's.
Value* Widener::part_of_unit(const InterleavedAccesses& accesses, const InterleavedAccesses::Member& member,
                             Value* unit) {
  Type* type = wide(getLoadStoreType(member.access));
  const unsigned bits = type->getScalarSizeInBits(), shift = (member.offset - accesses.origin) % accesses.unit * 8;
  if (bits && bits < accesses.unit * 8) {
    if (shift) unit = b_.CreateLShr(unit, shift);
    unit = b_.CreateTrunc(unit, wide(b_.getIntNTy(bits)));
  }
  return b_.CreateBitOrPointerCast(unit, type);
}

Value* Widener::unit_with(const InterleavedAccesses& accesses, unsigned unit, Type* type) {
  Value* result = nullptr;
  for (const auto& member : accesses.members) {
    if (accesses.unit_of(member) != unit) continue;
    Value* value = vector(cast<StoreInst>(member.access)->getValueOperand());
    const unsigned bits = value->getType()->getScalarSizeInBits();
    if (!bits || bits == accesses.unit * 8) return b_.CreateBitOrPointerCast(value, wide(type));
    value = b_.CreateZExt(b_.CreateBitCast(value, wide(b_.getIntNTy(bits))), wide(type));
    if (const unsigned shift = (member.offset - accesses.origin) % accesses.unit * 8)
      value = b_.CreateShl(value, shift);
    result = result ? b_.CreateOr(result, value) : value;
  }
  return result ? result : PoisonValue::get(wide(type));
}

Value* Widener::offset_from_place(const InterleavedAccesses& accesses, Value* address, int64_t offset) {
  for (const auto& member : accesses.members)
    if (member.access == accesses.place()) offset -= member.offset;
  return offset ? b_.CreateGEP(b_.getInt8Ty(), address, b_.getInt64(offset)) : address;
}

// Of all lanes' records the first in memory.
Value* Widener::first_record(const InterleavedAccesses& accesses) {
  Value* base = offset_from_place(accesses, scalar(getLoadStorePointerOperand(accesses.place())), accesses.origin);
  const int64_t record = int64_t{accesses.records} * accesses.unit;
  return accesses.backwards ? b_.CreateConstGEP1_64(b_.getInt8Ty(), base, -record * (lanes_ - 1)) : base;
}

// The last vector ends with the last lane's record.
SmallVector<Value*, 8> Widener::load_records(const InterleavedAccesses& accesses, Value* base) {
  Type *type = unit_type(accesses), *vectors = wide(type);
  const unsigned units = (lanes_ - 1) * accesses.records + accesses.span;
  const Align align = least_align(accesses);
  SmallVector<Value*, 8> memory;
  for (unsigned q = 0; q < accesses.records; ++q) {
    const unsigned first = q * lanes_;
    const unsigned behind = first + lanes_ > units ? std::min(first + lanes_ - units, lanes_) : 0;
    if (behind == lanes_) {
      memory.push_back(PoisonValue::get(vectors));
      continue;
    }
    Value* loaded = b_.CreateAlignedLoad(vectors, element(b_, type, base, first - behind), align);
    if (behind) {
      SmallVector<int, 64> back;
      for (unsigned lane = 0; lane < lanes_; ++lane) back.push_back(lane + behind < lanes_ ? lane + behind : -1);
      loaded = b_.CreateShuffleVector(loaded, back);
    }
    memory.push_back(loaded);
  }
  return memory;
}

// Which elements of a record's `q`th vector are wanted of active lanes; `wanted` tells of each element of a record.
Value* Widener::active_elements(unsigned q, unsigned elements, const BitVector& wanted, Value* active) {
  SmallVector<int, 64> from;
  for (unsigned at = q * elements; at < (q + 1) * elements; ++at)
    from.push_back(static_cast<int>(wanted.test(at % wanted.size()) ? at / wanted.size() : lanes_));
  return b_.CreateShuffleVector(active, Constant::getNullValue(active->getType()), from);
}

// Nothing but the members of active lanes is touched.
SmallVector<Value*, 8> Widener::load_members(const InterleavedAccesses& accesses, Value* base, const BitVector& wanted,
                                             Value* active) {
  Type *type = unit_type(accesses), *vectors = wide(type);
  SmallVector<Value*, 8> memory;
  for (unsigned q = 0; q < accesses.records; ++q)
    memory.push_back(b_.CreateMaskedLoad(vectors, element(b_, type, base, uint64_t{q} * lanes_), least_align(accesses),
                                         active_elements(q, lanes_, wanted, active), Constant::getNullValue(vectors)));
  return memory;
}

// Bytes of words, up to the last member of the last record.
SmallVector<Value*, 8> Widener::load_parts(const InterleavedAccesses& accesses, Value* base, Value* active) {
  const BitVector bytes = accessed_in(accesses);
  const unsigned elements = lanes_ * accesses.unit, end = (lanes_ - 1) * bytes.size() + bytes.find_last() + 1;
  auto* type = FixedVectorType::get(b_.getInt8Ty(), elements);
  SmallVector<Value*, 8> memory;
  for (unsigned q = 0; q < accesses.records; ++q) {
    SmallVector<Constant*, 64> there;
    for (unsigned at = 0; at < elements; ++at) there.push_back(b_.getInt1(q * elements + at < end));
    Value* mask = active ? active_elements(q, elements, bytes, active) : ConstantVector::get(there);
    Value* loaded = b_.CreateMaskedLoad(type, element(b_, b_.getInt8Ty(), base, uint64_t{q} * elements),
                                        least_align(accesses), mask, Constant::getNullValue(type));
    memory.push_back(b_.CreateBitCast(loaded, wide(unit_type(accesses))));
  }
  return memory;
}

void Widener::load_interleaved(const InterleavedAccesses& accesses, Value* active) {
  Value* base = first_record(accesses);
  if (active && accesses.backwards) active = reversed(active);
  BitVector wanted(accesses.records);
  for (const auto& member : accesses.members) wanted.set(accesses.unit_of(member));
  const SmallVector<Value*, 8> memory = accesses.ends_early ? load_parts(accesses, base, active)
                                        : active            ? load_members(accesses, base, wanted, active)
                                                            : load_records(accesses, base);
  SmallVector<Value*, 16> units(accesses.records, memory[0]);
  if (CallInst* apart = memory.size() > 1 ? emit_take_apart(b_, memory) : nullptr)
    for (unsigned unit : wanted.set_bits()) units[unit] = b_.CreateExtractValue(apart, unit);
  if (accesses.backwards)
    for (unsigned unit : wanted.set_bits()) units[unit] = reversed(units[unit]);
  for (const auto& member : accesses.members)
    set(*member.access, part_of_unit(accesses, member, units[accesses.unit_of(member)]));
}

// Members that are not written stay as they are in memory; where the thread may write them, with what they hold.
void Widener::store_interleaved(const InterleavedAccesses& accesses, Value* active) {
  Value* base = first_record(accesses);
  if (active && accesses.backwards) active = reversed(active);
  Type* type = unit_type(accesses);
  SmallVector<Value*, 16> units;
  for (unsigned unit = 0; unit < accesses.records; ++unit) {
    Value* lanes = unit_with(accesses, unit, type);
    units.push_back(accesses.backwards ? reversed(lanes) : lanes);
  }
  if (units.size() > 1) {
    CallInst* together = emit_put_together(b_, units);
    for (unsigned q = 0; q < accesses.records; ++q) units[q] = b_.CreateExtractValue(together, q);
  }
  const Align align = least_align(accesses);
  const BitVector written = accessed_in(accesses), whole = written_or_kept(accesses, written);
  const unsigned elements = lanes_ * written.size() / accesses.records;
  for (unsigned q = 0; q < accesses.records; ++q) {
    Value* address = element(b_, type, base, uint64_t{q} * lanes_);
    Value* all = units[q];
    if (elements != lanes_) all = b_.CreateBitCast(all, FixedVectorType::get(b_.getInt8Ty(), elements));
    if (active) {
      b_.CreateMaskedStore(all, address, align, active_elements(q, elements, written, active));
      continue;
    }
    Constant* mask = elements_of(b_.getContext(), written, q, elements);
    if (mask->isNullValue()) continue;
    if (elements_of(b_.getContext(), whole, q, elements)->isAllOnesValue()) {
      if (!mask->isAllOnesValue())
        all = b_.CreateSelect(mask, all, b_.CreateAlignedLoad(all->getType(), address, align));
      b_.CreateAlignedStore(all, address, align);
      continue;
    }
    CallInst* part = b_.CreateMaskedStore(all, address, align, mask);
    note_cost(*part, kPartCost,
              "members that are not written lie between those that are: masks leave them out; an array for each member "
              "would need none");
  }
}

// For some lanes only: whole vectors under masks, which take some instructions each, instead of a gather for each
// member.
static bool has_masks_for_few(const InterleavedAccesses& accesses) {
  SmallDenseSet<unsigned, 16> units;
  for (const auto& member : accesses.members) units.insert(accesses.unit_of(member));
  return accesses.records <= 4 * units.size() && accesses.records <= 8;
}

// What lies between the records of active lanes is an inactive lane's.
void Widener::widen_interleaved(const InterleavedAccesses& accesses) {
  auto at_once = [&](Value* active) {
    accesses.stores ? store_interleaved(accesses, active) : load_interleaved(accesses, active);
  };
  if (!mask()) return at_once(nullptr);
  const auto known = here_;
  const auto [whole, partly, after] = branch_on_all_active();
  at_once(nullptr);
  b_.CreateBr(after);
  SmallVector<Value*, 8> of_all;
  if (!accesses.stores)
    for (const auto& member : accesses.members) of_all.push_back(vectors_.lookup(member.access));

  here_ = known;
  b_.SetInsertPoint(partly);
  SmallVector<Value*, 8> gathered;
  if (has_masks_for_few(accesses)) {
    at_once(mask());
    if (!accesses.stores)
      for (const auto& member : accesses.members) gathered.push_back(vectors_.lookup(member.access));
  } else {
    gathered = gather_or_scatter(accesses);
  }
  b_.CreateBr(after);
  here_ = known;
  b_.SetInsertPoint(after);
  for (auto [member, all, value] : zip(accesses.members, of_all, gathered)) {
    PHINode* either = b_.CreatePHI(value->getType(), 2);
    either->addIncoming(all, whole);
    either->addIncoming(value, partly);
    set(*member.access, either);
  }
}

SmallVector<Value*, 8> Widener::gather_or_scatter(const InterleavedAccesses& accesses) {
  Value* addresses = vector(getLoadStorePointerOperand(accesses.place()));
  SmallVector<Value*, 8> gathered;
  for (const auto& member : accesses.members) {
    Value* at = offset_from_place(accesses, addresses, member.offset);
    const Align align = getLoadStoreAlignment(member.access);
    if (accesses.stores) {
      Value* lanes = vector(cast<StoreInst>(member.access)->getValueOperand());
      CallInst* scatter = b_.CreateMaskedScatter(lanes, at, align, mask());
      mark_edge(*scatter, *member.access);
      note_cost(*scatter, kScatterCost, why_apart(shapes_, getLoadStorePointerOperand(member.access)));
    } else {
      Type* type = wide(getLoadStoreType(member.access));  // zeros for idle lanes: see widen_load()
      CallInst* gather = b_.CreateMaskedGather(type, at, align, mask(), Constant::getNullValue(type));
      mark_edge(*gather, *member.access);
      note_cost(*gather, kGatherCost, why_apart(shapes_, getLoadStorePointerOperand(member.access)));
      gathered.push_back(gather);
    }
  }
  return gathered;
}

void Widener::find_interleaved(BasicBlock& block) {
  if (!alike_members_) alike_members_ = find_alike_members(kernel_, shapes_);
  interleaved_ = find_interleaved_accesses(block, shapes_, *alike_members_);
  interleaved_of_.clear();
  for (const InterleavedAccesses& accesses : interleaved_)
    for (const auto& member : accesses.members) interleaved_of_[member.access] = &accesses;
}

}  // namespace lanza::compiler
