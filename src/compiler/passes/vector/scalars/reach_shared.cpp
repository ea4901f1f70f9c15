#include "compiler/passes/vector/scalars/reach_shared.hpp"

#include <algorithm>

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/scalars/thread_places.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

bool is_of_elements(Instruction& access, const ArrayType& array) {
  return getLoadStoreType(&access) == array.getElementType();
}

// In another array of as many elements.
bool is_at_same_index(Instruction& load, Instruction& access) {
  if (!isa<LoadInst>(load)) return false;
  auto* a = dyn_cast<GetElementPtrInst>(getLoadStorePointerOperand(&load));
  auto* b = dyn_cast<GetElementPtrInst>(getLoadStorePointerOperand(&access));
  if (!a || !b || a->getNumIndices() != 2 || b->getNumIndices() != 2 || a->getOperand(2) != b->getOperand(2))
    return false;
  const auto whole = [](GetElementPtrInst& step) -> ArrayType* {
    auto* variable = dyn_cast<GlobalVariable>(step.getPointerOperand());
    auto* type = dyn_cast<ArrayType>(step.getSourceElementType());
    return variable && type == variable->getValueType() && match(step.getOperand(1), PatternMatch::m_Zero()) ? type
                                                                                                             : nullptr;
  };
  ArrayType *x = whole(*a), *y = whole(*b);
  // Dynamic memory has no known end.
  const bool are_alike = x && y && x->getNumElements() == y->getNumElements() && x->getNumElements() > 0;
  return are_alike && is_of_elements(load, *x) && is_of_elements(access, *y);
}

}  // namespace

bool reaches_inside(Instruction& access, BasicBlock& guard, uint64_t threads) {
  auto* array = dyn_cast<GlobalVariable>(getUnderlyingObject(getLoadStorePointerOperand(&access), 0));
  if (!array) return false;
  const DataLayout& layout = guard.getDataLayout();
  const auto place = place_in_elements(access, layout);
  if (!place) return any_of(guard, [&](Instruction& i) { return is_at_same_index(i, access); });
  const uint64_t size = layout.getTypeStoreSize(getLoadStoreType(&access));
  const uint64_t last = place->step * (std::max<uint64_t>(threads, 1) - 1) + place->first;
  return (last + 1) * size <= layout.getTypeAllocSize(array->getValueType());
}

}  // namespace lanza::compiler
