#include "compiler/passes/vector/lanes/update_addresses.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>

using namespace llvm;

namespace lanza::compiler {

static bool is_read_in(const BasicBlock& block, const GetElementPtrInst& place) {
  return any_of(place.users(), [&](const User* user) {
    auto* load = dyn_cast<LoadInst>(user);
    return load && load->getParent() == &block && load->getType()->isIntegerTy();
  });
}

// Integers of 64 bits; extract_words() takes parts of words by integer operations.
static bool comes_from_vector(const GetElementPtrInst& place) {
  const Value* index = place.getOperand(place.getNumOperands() - 1);
  if (isa<SExtInst, ZExtInst>(index)) index = cast<CastInst>(index)->getOperand(0);
  return isa<ExtractElementInst>(index);
}

static SmallSetVector<GetElementPtrInst*, 16> updated_places(BasicBlock& block) {
  SmallSetVector<GetElementPtrInst*, 16> places;
  for (Instruction& i : block) {
    auto* store = dyn_cast<StoreInst>(&i);
    if (!store || !store->getValueOperand()->getType()->isIntegerTy()) continue;
    auto* place = dyn_cast<GetElementPtrInst>(store->getPointerOperand());
    if (place && place->getParent() == &block && comes_from_vector(*place) && is_read_in(block, *place))
      places.insert(place);
  }
  return places;
}

void compute_update_addresses(Function& f) {
  Type* pointer = PointerType::get(f.getContext(), 0);
  InlineAsm* same = InlineAsm::get(FunctionType::get(pointer, {pointer}, false), "", "=r,0", false);
  for (BasicBlock& block : f) {
    const auto places = updated_places(block);
    for (GetElementPtrInst* place : places) {
      CallInst* computed = CallInst::Create(same, {place}, "", std::next(place->getIterator()));
      place->replaceUsesWithIf(computed, [&](const Use& use) { return use.getUser() != computed; });
    }
  }
}

}  // namespace lanza::compiler
