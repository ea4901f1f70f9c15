// Lanes that lie close together in memory in an order that is known: vectors of memory, put in order by shuffles.
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/widen/linearise.hpp"
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

bool is_mask(const Instruction& i) {
  auto* call = dyn_cast<CallInst>(&i);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == kMask;
}

Align least_align(const TabledAccesses& accesses) {
  Align least = getLoadStoreAlignment(accesses.place());
  for (const auto& member : accesses.members) least = std::min(least, getLoadStoreAlignment(member.access));
  const Type* type = getLoadStoreType(accesses.place());
  return commonAlignment(least, type->getPrimitiveSizeInBits() / 8);
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
  if (auto* call = dyn_cast<CallInst>(i))
    return emit_group_index(b_, call->getIntrinsicID() - Intrinsic::nvvm_read_ptx_sreg_tid_x);
  if (isa<PHINode>(i)) return b_.CreateExtractElement(vector(i), uint64_t{0});
  Instruction* copy = i->clone();
  copy->dropPoisonGeneratingAnnotations();
  for (Use& operand : copy->operands()) operand.set(first_lane(operand));
  b_.Insert(copy);
  copy->setDebugLoc(i->getDebugLoc());
  return copy;
}

void Widener::find_tabled(BasicBlock& block) {
  tabled_.clear();
  tabled_of_.clear();
  if (lanes_ == 1 || any_of(block, [](Instruction& i) { return is_mask(i); })) return;
  tabled_ = find_tabled_accesses(block, shapes_, tables_);
  erase_if(tabled_, [&](const TabledAccesses& accesses) {
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
  SmallVector<Value*, 4> memory;
  for (unsigned first = 0; first < accesses.span; first += lanes_) {
    Value* address = b_.CreateConstGEP1_64(type, base, std::min(first, last));
    memory.push_back(accesses.span < lanes_ ? static_cast<Value*>(b_.CreateMaskedLoad(
                                                  vectors, address, align, lanes_below(b_, accesses.span, lanes_),
                                                  Constant::getNullValue(vectors)))
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
  SmallVector<Value*, 4> values;
  std::vector<Source> sources(alignTo(accesses.span, lanes_));
  for (const auto& member : accesses.members) {
    for (unsigned lane = 0; lane < lanes_; ++lane)
      sources[member.elements[lane]] = {static_cast<int>(values.size()), lane};
    values.push_back(vector(cast<StoreInst>(member.access)->getValueOperand()));
  }
  for (unsigned first = 0; first < accesses.span; first += lanes_) {
    const auto part = ArrayRef(sources).slice(first, lanes_);
    SmallVector<Constant*, 64> written;
    for (const Source& source : part) written.push_back(b_.getInt1(source.vector >= 0));
    Constant* mask = ConstantVector::get(written);
    if (mask->isNullValue()) continue;
    Value *memory = pick(b_, values, part), *address = b_.CreateConstGEP1_64(type, base, first);
    if (mask->isAllOnesValue())
      b_.CreateAlignedStore(memory, address, align);
    else
      b_.CreateMaskedStore(memory, address, align, mask);
  }
}

}  // namespace lanza::compiler
