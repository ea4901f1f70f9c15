#include "compiler/passes/vector/scalars/array_accesses.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/Local.h>

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kShared = 3;  // the address space

static bool is_own(const GlobalVariable& variable) {
  if (variable.getAddressSpace() != kShared || variable.use_empty()) return false;
  return variable.hasInternalLinkage() || none_of(variable.getParent()->globals(), [&](const GlobalVariable& other) {
           return &other != &variable && other.getAddressSpace() == kShared && !other.hasInternalLinkage();
         });
}

SmallVector<GlobalVariable*, 4> own_arrays(Function& kernel) {
  SmallVector<GlobalVariable*, 4> arrays;
  for (GlobalVariable& variable : kernel.getParent()->globals())
    if (is_own(variable)) arrays.push_back(&variable);
  return arrays;
}

// A generic address that was simplified away.
static bool is_dead_constant(const User& user) {
  return isa<ConstantExpr>(user) && all_of(user.users(), [](const User* of) { return is_dead_constant(*of); });
}

bool is_plain_access(const Instruction& load_or_store) {
  auto* load = dyn_cast<LoadInst>(&load_or_store);
  return load ? load->isSimple() : cast<StoreInst>(load_or_store).isSimple();
}

std::optional<SmallVector<Instruction*, 16>> plain_accesses(const GlobalVariable& array, const Function& kernel) {
  SmallVector<Instruction*, 16> accesses;
  SmallVector<const Value*, 16> addresses{&array};
  while (!addresses.empty()) {
    const Value* address = addresses.pop_back_val();
    for (const Use& use : address->uses()) {
      if (isa<GEPOperator>(use.getUser())) {
        addresses.push_back(use.getUser());
        continue;
      }
      if (is_dead_constant(*use.getUser())) continue;
      auto* access = dyn_cast<Instruction>(use.getUser());
      if (!access || access->getFunction() != &kernel || getLoadStorePointerOperand(access) != address ||
          !is_plain_access(*access))
        return std::nullopt;
      accesses.push_back(access);
    }
  }
  return accesses;
}

// As instcombine writes it, which other passes know.
static Value* index_of(IRBuilder<>& b, ThreadPlace place, Value& thread) {
  Value* first = b.getInt32(static_cast<uint32_t>(place.first));
  if (place.step == 0) return first;
  Value* index = place.step == 1 ? &thread
                 : isPowerOf2_64(place.step)
                     ? b.CreateShl(&thread, Log2_64(place.step), "", true, true)
                     : b.CreateMul(&thread, b.getInt32(static_cast<uint32_t>(place.step)), "", true, true);
  if (place.first == 0) return index;
  const bool is_apart = isPowerOf2_64(place.step) && place.first < place.step;
  if (!is_apart) return b.CreateAdd(index, first, "", true, true);
  auto* either = cast<PossiblyDisjointInst>(b.CreateOr(index, first));
  either->setIsDisjoint(true);
  return either;
}

void move_access(Instruction& access, GlobalVariable& array, ThreadPlace place, Value& thread) {
  IRBuilder<> b(&access);
  Value* index = b.CreateZExt(index_of(b, place, thread), b.getInt64Ty(), "", /*IsNonNeg=*/true);
  Type* type = getLoadStoreType(&access);
  Value* address = b.CreateInBoundsGEP(type, &array, index);
  Value* before = getLoadStorePointerOperand(&access);
  const uint64_t size = access.getDataLayout().getTypeStoreSize(type);
  const Align align =
      std::min(getLoadStoreAlignment(&access), commonAlignment(Align(64), size));  // neighbours may be closer now
  if (auto* load = dyn_cast<LoadInst>(&access)) {
    load->setOperand(LoadInst::getPointerOperandIndex(), address);
    load->setAlignment(align);
  } else {
    access.setOperand(StoreInst::getPointerOperandIndex(), address);
    cast<StoreInst>(access).setAlignment(align);
  }
  RecursivelyDeleteTriviallyDeadInstructions(before);
}

}  // namespace lanza::compiler
