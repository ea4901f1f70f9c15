#include "compiler/passes/vector/groups/independent_turns.hpp"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

/// Of an array, from so many bytes times the index on.
struct Element {
  const Argument* array = nullptr;
  uint64_t size = 0;
};

/// Nothing: it may be another thread's element, too.
std::optional<Element> own_element(Instruction& access, function_ref<bool(const Value*)> is_index) {
  const auto place = array_place(access);
  if (!place || place->steps.size() != 1 || !is_index(place->steps.front().first)) return {};
  const APInt& size = place->steps.front().second;
  const uint64_t width = access.getDataLayout().getTypeStoreSize(getLoadStoreType(&access)).getFixedValue();
  if (!size.isStrictlyPositive() || place->first.isNegative() || (place->first + width).ugt(size)) return {};
  return Element{place->array, size.getZExtValue()};
}

const Value* array_of(Instruction& access) {
  const Value* address = getLoadStorePointerOperand(&access);
  while (auto* part = dyn_cast<GEPOperator>(address)) address = part->getPointerOperand();
  return address;
}

// What is reached by an argument without aliases lies apart from all else, and so does a structure by value.
bool has_aliases(const Value* array) {
  if (auto* variable = dyn_cast<GlobalVariable>(array)) return !variable->isConstant();
  auto* argument = dyn_cast<Argument>(array);
  return argument && !argument->hasNoAliasAttr() && !argument->hasByValAttr();
}

}  // namespace

std::optional<ArrayPlace> array_place(Instruction& access) {
  const DataLayout& layout = access.getDataLayout();
  const Value* address = getLoadStorePointerOperand(&access);
  const unsigned bits = layout.getIndexTypeSizeInBits(address->getType());
  ArrayPlace place{nullptr, {}, APInt(bits, 0)};
  while (auto* part = dyn_cast<GEPOperator>(address)) {
    if (!part->collectOffset(layout, bits, place.steps, place.first)) return {};
    address = part->getPointerOperand();
  }
  place.array = dyn_cast<Argument>(address);
  return place.array ? std::optional(std::move(place)) : std::nullopt;
}

std::optional<SmallVector<ApartArrays, 4>> independent_turns(Function& kernel,
                                                             function_ref<bool(const Value*)> is_index) {
  MapVector<const Argument*, uint64_t> written;
  for (Instruction& i : instructions(kernel)) {
    if (!i.mayWriteToMemory() || isa<AssumeInst>(i)) continue;
    const auto element = isa<StoreInst>(i) ? own_element(i, is_index) : std::nullopt;
    if (!element || written.try_emplace(element->array, element->size).first->second != element->size) return {};
  }
  SmallVector<ApartArrays, 4> apart;
  for (Instruction& i : instructions(kernel)) {
    if (!i.mayReadOrWriteMemory() || isa<AssumeInst>(i)) continue;
    if (!isa<LoadInst, StoreInst>(i)) {
      if (i.mayReadFromMemory()) return {};
      continue;
    }
    const Value* array = array_of(i);
    if (!isa<Argument, GlobalVariable, AllocaInst>(array)) return {};
    for (const auto& [out, size] : written) {
      if (array == out) {
        const auto element = own_element(i, is_index);
        if (!element || element->size != size) return {};
      } else if (has_aliases(out) && has_aliases(array)) {
        if (!isa<Argument>(array)) return {};
        apart.push_back({out, size, &i});
      }
    }
  }
  return apart;
}

}  // namespace lanza::compiler
