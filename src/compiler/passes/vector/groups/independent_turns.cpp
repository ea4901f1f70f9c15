#include "compiler/passes/vector/groups/independent_turns.hpp"

#include <map>

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
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
  const DataLayout& layout = access.getDataLayout();
  const Value* address = getLoadStorePointerOperand(&access);
  const unsigned bits = layout.getIndexTypeSizeInBits(address->getType());
  MapVector<Value*, APInt> steps;
  APInt from(bits, 0);
  while (auto* part = dyn_cast<GEPOperator>(address)) {
    if (!part->collectOffset(layout, bits, steps, from)) return {};
    address = part->getPointerOperand();
  }
  auto* array = dyn_cast<Argument>(address);
  auto* index = steps.begin();
  if (!array || !array->hasNoAliasAttr() || steps.size() != 1 || !is_index(index->first)) return {};
  const APInt& size = index->second;
  const uint64_t width = layout.getTypeStoreSize(getLoadStoreType(&access)).getFixedValue();
  if (!size.isStrictlyPositive() || from.isNegative() || (from + width).ugt(size)) return {};
  return Element{array, size.getZExtValue()};
}

const Value* array_of(Instruction& access) {
  const Value* address = getLoadStorePointerOperand(&access);
  while (auto* part = dyn_cast<GEPOperator>(address)) address = part->getPointerOperand();
  return address;
}

}  // namespace

bool are_turns_independent(Function& kernel, function_ref<bool(const Value*)> is_index) {
  std::map<const Value*, uint64_t> written;
  for (Instruction& i : instructions(kernel)) {
    if (!i.mayWriteToMemory()) continue;
    const auto element = isa<StoreInst>(i) ? own_element(i, is_index) : std::nullopt;
    if (!element) return false;
    if (written.try_emplace(element->array, element->size).first->second != element->size) return false;
  }
  // What is read of other arrays, by whatever address, lies apart from those without aliases.
  return all_of(instructions(kernel), [&](Instruction& i) {
    if (!isa<LoadInst>(i)) return !i.mayReadFromMemory() || isa<StoreInst>(i);
    const Value* array = array_of(i);
    if (!isa<Argument, GlobalVariable, AllocaInst>(array)) return false;
    auto found = written.find(array);
    if (found == written.end()) return true;
    const auto element = own_element(i, is_index);
    return element && element->size == found->second;
  });
}

}  // namespace lanza::compiler
