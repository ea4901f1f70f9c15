// Members of records, one a lane: whole vectors of memory, taken apart or put together by shuffles.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/vector/widener.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

/// Vectors of `lanes` elements that follow each other in memory, from and to vectors of one unit of each record.
class Shuffles {
 public:
  Shuffles(IRBuilder<>& b, unsigned lanes) : b_(b), lanes_(lanes) {}

  /// Units `first`, `first` + `step`, ... lie side by side in `memory`; writes those that are wanted.
  void take_apart(ArrayRef<Value*> memory, unsigned first, unsigned step, MutableArrayRef<Value*> units,
                  const BitVector& wanted) {
    const unsigned count = memory.size();
    auto is_wanted = [&](unsigned k) { return wanted.test(first + k * step); };
    if (none_of(seq(0u, count), is_wanted)) return;
    if (count == 1) return void(units[first] = memory[0]);
    if (count % 2 == 0) {
      for (unsigned odd = 0; odd < 2; ++odd) {
        SmallVector<Value*, 8> half;
        for (unsigned q = 0; q < count; q += 2)
          half.push_back(b_.CreateShuffleVector(memory[q], memory[q + 1], createStrideMask(odd, 2, lanes_)));
        take_apart(half, first + odd * step, 2 * step, units, wanted);
      }
      return;
    }
    for (unsigned k = 0; k < count; ++k)
      if (is_wanted(k)) units[first + k * step] = pick(memory, [&](unsigned lane) { return lane * count + k; });
  }

  /// The inverse: returns as many vectors as there are units.
  SmallVector<Value*, 8> put_together(ArrayRef<Value*> units) {
    const unsigned count = units.size();
    SmallVector<Value*, 8> memory;
    if (count == 1) return {units[0]};
    if (count % 2) {
      for (unsigned q = 0; q < count; ++q)
        memory.push_back(pick(units, [&](unsigned at) {
          const unsigned element = q * lanes_ + at;
          return element % count * lanes_ + element / count;
        }));
      return memory;
    }
    SmallVector<Value*, 8> even, odd;
    for (unsigned k = 0; k < count; k += 2) even.push_back(units[k]), odd.push_back(units[k + 1]);
    even = put_together(even), odd = put_together(odd);
    for (unsigned q = 0; q < count; ++q) {
      SmallVector<int, 64> zip;
      for (unsigned at = 0; at < lanes_; ++at) zip.push_back(q % 2 * (lanes_ / 2) + at / 2 + (at % 2 ? lanes_ : 0));
      memory.push_back(b_.CreateShuffleVector(even[q / 2], odd[q / 2], zip));
    }
    return memory;
  }

 private:
  /// Element `from(lane)` of all vectors in a row, for each lane.
  Value* pick(ArrayRef<Value*> vectors, function_ref<unsigned(unsigned)> from) {
    Value* result = vectors[0];
    for (unsigned q = 1; q < vectors.size(); ++q) {
      SmallVector<int, 64> mask;
      for (unsigned lane = 0; lane < lanes_; ++lane) {
        const unsigned at = from(lane) % lanes_, vector = from(lane) / lanes_;
        mask.push_back(vector > q ? -1 : vector == q ? lanes_ + at : q == 1 ? at : lane);
      }
      result = b_.CreateShuffleVector(result, vectors[q], mask);
    }
    return result;
  }

  IRBuilder<>& b_;
  const unsigned lanes_;
};

Align least_align(const InterleavedAccesses& accesses) {
  Align least(8);
  for (const auto& member : accesses.members) least = std::min(least, getLoadStoreAlignment(member.access));
  return least;
}

Type* unit_type(const InterleavedAccesses& accesses) {
  Type* type = getLoadStoreType(accesses.place());
  Type* integer = IntegerType::get(type->getContext(), accesses.unit * 8);
  return all_of(accesses.members, [&](auto& member) { return getLoadStoreType(member.access) == type; }) &&
                 type->getPrimitiveSizeInBits() == accesses.unit * 8
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

void Widener::load_interleaved(const InterleavedAccesses& accesses) {
  Value* base = offset_from_place(accesses, scalar(getLoadStorePointerOperand(accesses.place())), accesses.origin);
  BitVector wanted(accesses.records);
  for (const auto& member : accesses.members) wanted.set(accesses.unit_of(member));
  SmallVector<Value*, 16> units(accesses.records);
  Shuffles(b_, lanes_).take_apart(load_records(accesses, base), 0, 1, units, wanted);
  for (const auto& member : accesses.members)
    set(*member.access, part_of_unit(accesses, member, units[accesses.unit_of(member)]));
}

// Members that are not written stay as they are in memory.
void Widener::store_interleaved(const InterleavedAccesses& accesses) {
  Value* base = offset_from_place(accesses, scalar(getLoadStorePointerOperand(accesses.place())), accesses.origin);
  Type* type = unit_type(accesses);
  BitVector written(accesses.records);
  for (const auto& member : accesses.members) written.set(accesses.unit_of(member));
  SmallVector<Value*, 16> units;
  for (unsigned unit = 0; unit < accesses.records; ++unit) units.push_back(unit_with(accesses, unit, type));
  const SmallVector<Value*, 8> memory = Shuffles(b_, lanes_).put_together(units);
  const Align align = least_align(accesses);
  for (unsigned q = 0; q < accesses.records; ++q) {
    Value* address = element(b_, type, base, q * lanes_);
    if (written.all()) {
      b_.CreateAlignedStore(memory[q], address, align);
      continue;
    }
    SmallVector<Constant*, 64> mask;
    for (unsigned at = 0; at < lanes_; ++at)
      mask.push_back(b_.getInt1(written.test((q * lanes_ + at) % accesses.records)));
    b_.CreateMaskedStore(memory[q], address, align, ConstantVector::get(mask));
  }
}

// What lies between the records of active lanes is an inactive lane's.
void Widener::widen_interleaved(const InterleavedAccesses& accesses) {
  auto at_once = [&] { accesses.stores ? store_interleaved(accesses) : load_interleaved(accesses); };
  if (!mask()) return at_once();
  const auto known = here_;
  const auto [whole, partly, after] = branch_on_all_active();
  at_once();
  b_.CreateBr(after);

  here_ = known;
  b_.SetInsertPoint(partly);
  Value* addresses = vector(getLoadStorePointerOperand(accesses.place()));
  SmallVector<Value*, 8> gathered;
  for (const auto& member : accesses.members) {
    Value* at = offset_from_place(accesses, addresses, member.offset);
    const Align align = getLoadStoreAlignment(member.access);
    if (accesses.stores)
      b_.CreateMaskedScatter(vector(cast<StoreInst>(member.access)->getValueOperand()), at, align, mask());
    else {
      Type* type = wide(getLoadStoreType(member.access));  // zeros for idle lanes: see widen_load()
      gathered.push_back(b_.CreateMaskedGather(type, at, align, mask(), Constant::getNullValue(type)));
    }
  }
  b_.CreateBr(after);
  here_ = known;
  b_.SetInsertPoint(after);
  for (auto [member, value] : zip(accesses.members, gathered)) {
    PHINode* either = b_.CreatePHI(value->getType(), 2);
    either->addIncoming(vectors_.lookup(member.access), whole);
    either->addIncoming(value, partly);
    set(*member.access, either);
  }
}

void Widener::find_interleaved(BasicBlock& block) {
  interleaved_ = find_interleaved_accesses(block, shapes_);
  interleaved_of_.clear();
  for (const InterleavedAccesses& accesses : interleaved_)
    for (const auto& member : accesses.members) interleaved_of_[member.access] = &accesses;
}

}  // namespace lanza::compiler
