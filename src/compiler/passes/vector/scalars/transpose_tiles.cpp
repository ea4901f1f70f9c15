#include "compiler/passes/vector/scalars/transpose_tiles.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/KnownBits.h>

#include "compiler/passes/vector/scalars/tile_accesses.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

/// An element's address: `&tile[row][column]`.
struct Element {
  GetElementPtrInst* address;
  bool is_written;
  Value* row() const { return address->getOperand(2); }
  Value* column() const { return address->getOperand(3); }
};

bool goes_by_x(const Value& v) { return Origins(v).threads & 1; }

bool is_below(const Value& v, uint64_t end, const DataLayout& layout) {
  return computeKnownBits(&v, layout).getMaxValue().ult(end);
}

// Null: it is read and written, or something else is done with it.
std::optional<Element> as_element(User& user, const ArrayType& rows, const Function& kernel) {
  auto* address = dyn_cast<GetElementPtrInst>(&user);
  if (!address || address->getFunction() != &kernel || address->getNumIndices() != 3) return {};
  auto* first = dyn_cast<ConstantInt>(address->getOperand(1));
  if (address->getSourceElementType() != &rows || !first || !first->isZero() || address->use_empty()) return {};
  const Type* type = address->getResultElementType();
  const bool is_written = isa<StoreInst>(*address->user_begin());
  for (User* access : address->users()) {
    auto* load = dyn_cast<LoadInst>(access);
    auto* store = dyn_cast<StoreInst>(access);
    if (load ? !load->isSimple() : !store || !store->isSimple() || store->getValueOperand() == address) return {};
    if (getLoadStoreType(access) != type || is_written != (store != nullptr)) return {};
  }
  return Element{address, is_written};
}

// Nothing: the tile stays.
SmallVector<Element, 8> elements_of(GlobalVariable& tile, const ArrayType& rows, const Function& kernel) {
  const DataLayout& layout = kernel.getParent()->getDataLayout();
  const auto& columns = *cast<ArrayType>(rows.getElementType());
  SmallVector<Element, 8> elements;
  for (User* user : tile.users()) {
    const auto element = as_element(*user, rows, kernel);
    if (!element || !is_below(*element->row(), rows.getNumElements(), layout) ||
        !is_below(*element->column(), columns.getNumElements(), layout))
      return {};
    const bool by_row = goes_by_x(*element->row()), by_column = goes_by_x(*element->column());
    if (by_row != element->is_written || by_column == element->is_written) return {};
    elements.push_back(*element);
  }
  const auto is_written = [](const Element& element) { return element.is_written; };
  return any_of(elements, is_written) && !all_of(elements, is_written) ? elements : SmallVector<Element, 8>();
}

bool transpose(GlobalVariable& tile, Function& kernel) {
  auto* rows = dyn_cast<ArrayType>(tile.getValueType());
  auto* columns = rows ? dyn_cast<ArrayType>(rows->getElementType()) : nullptr;
  if (!columns || columns->getElementType()->isArrayTy() || !tile.hasLocalLinkage()) return false;
  tile.removeDeadConstantUsers();
  const auto elements = elements_of(tile, *rows, kernel);
  if (elements.empty()) return false;
  Type* turned =
      ArrayType::get(ArrayType::get(columns->getElementType(), rows->getNumElements()), columns->getNumElements());
  auto* other = new GlobalVariable(*kernel.getParent(), turned, false, tile.getLinkage(), UndefValue::get(turned), "",
                                   &tile, tile.getThreadLocalMode(), tile.getAddressSpace());
  other->copyAttributesFrom(&tile);
  for (const Element& element : elements) {
    IRBuilder<> b(element.address);
    Value* address = b.CreateInBoundsGEP(turned, other, {b.getInt64(0), element.column(), element.row()});
    element.address->replaceAllUsesWith(address);
    element.address->eraseFromParent();
  }
  other->takeName(&tile);
  tile.eraseFromParent();
  return true;
}

}  // namespace

bool transpose_tiles(Function& kernel) {
  constexpr unsigned kShared = 3;
  bool changed = false;
  for (GlobalVariable& variable : make_early_inc_range(kernel.getParent()->globals()))
    if (variable.getAddressSpace() == kShared && variable.hasInitializer() &&
        isa<UndefValue>(variable.getInitializer()))
      changed |= transpose(variable, kernel);
  return changed;
}

}  // namespace lanza::compiler
