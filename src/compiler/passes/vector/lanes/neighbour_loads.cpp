#include "compiler/passes/vector/lanes/neighbour_loads.hpp"

#include <numeric>
#include <optional>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/vector/analysis/address_terms.hpp"
#include "compiler/passes/vector/analysis/processors.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr int64_t kRegister = 64;  // bytes

/// Where in a variable of the block an access begins: whole registers and `beside()` bytes from its start.
struct Place {
  const AllocaInst* variable;
  AddressTerms terms;

  bool is_same(const Place& other) const {
    return terms.constant == other.terms.constant && terms.has_same_terms(other.terms);
  }
  int64_t beside() const { return static_cast<int64_t>(terms.constant % kRegister); }
};

// Whole registers of it, as loads of more than was asked for need them.
bool is_of_registers(const AllocaInst& variable, const DataLayout& layout) {
  const std::optional<TypeSize> size = variable.getAllocationSize(layout);
  return variable.getAlign().value() >= kRegister && size && size->getFixedValue() % kRegister == 0;
}

std::optional<Place> place_of(const Value* address, const DataLayout& layout) {
  auto* variable = dyn_cast<AllocaInst>(getUnderlyingObject(address));
  if (!variable || !is_of_registers(*variable, layout)) return std::nullopt;
  Place place{variable, terms_of(address, layout)};
  for (const AddressTerms::Term& term : place.terms.terms) {
    if (term.value == variable && term.factor == 1) continue;
    const unsigned zeros =
        static_cast<unsigned>(countr_zero(term.factor)) + computeKnownBits(term.value, layout).countMinTrailingZeros();
    if (zeros < Log2_64(kRegister)) return std::nullopt;
  }
  return place;
}

// Of elements that a shuffle moves by one instruction, in whole registers.
FixedVectorType* as_registers(Type* type, const DataLayout& layout) {
  auto* vector = dyn_cast<FixedVectorType>(type);
  if (!vector) return nullptr;
  const uint64_t element = layout.getTypeStoreSize(vector->getElementType()).getFixedValue();
  const bool is_whole = element * vector->getNumElements() % kRegister == 0;
  return is_whole && (element == 4 || element == 8) ? vector : nullptr;
}

class NeighbourLoads {
 public:
  explicit NeighbourLoads(Function& run) : run_(run), layout_(run.getDataLayout()) {}

  bool rewrite() {
    find_tiles();
    if (tiles_.empty()) return false;
    for (BasicBlock& block : run_) {
      loaded_.clear();
      for (Instruction& i : make_early_inc_range(block)) {
        if (i.mayWriteToMemory())
          forget(i);
        else if (auto* load = dyn_cast<LoadInst>(&i))
          take(*load);
      }
    }
    return changed_;
  }

 private:
  struct Loaded {
    Place place;
    LoadInst* load;
  };

  // Vectors are stored there by whole registers only.
  void find_tiles() {
    SmallPtrSet<const AllocaInst*, 4> others;
    for (Instruction& i : instructions(run_)) {
      auto* store = dyn_cast<StoreInst>(&i);
      if (!store || !store->getValueOperand()->getType()->isVectorTy()) continue;
      auto* variable = dyn_cast<AllocaInst>(getUnderlyingObject(store->getPointerOperand()));
      if (!variable) continue;
      const auto place = place_of(store->getPointerOperand(), layout_);
      const bool is_whole = place && place->beside() == 0 && as_registers(store->getValueOperand()->getType(), layout_);
      (is_whole ? tiles_ : others).insert(variable);
    }
    for (const AllocaInst* variable : others) tiles_.erase(variable);
  }

  void take(LoadInst& load) {
    FixedVectorType* type = as_registers(load.getType(), layout_);
    if (!type || !load.isSimple()) return;
    std::optional<Place> place = place_of(load.getPointerOperand(), layout_);
    if (!place || !tiles_.contains(place->variable)) return;
    const auto element = static_cast<int64_t>(layout_.getTypeStoreSize(type->getElementType()).getFixedValue());
    if (place->beside() == 0)
      loaded_.push_back({std::move(*place), &load});
    else if (place->beside() == element)
      join(load, *type, *place, /*step=*/-element);
    else if (place->beside() == kRegister - element)
      join(load, *type, *place, element);
  }

  // The registers a step away, and what the load has of the one beside them.
  void join(LoadInst& load, FixedVectorType& type, Place place, int64_t step) {
    IRBuilder<> b(&load);
    const auto lanes = static_cast<int>(type.getNumElements());
    const int in_register = static_cast<int>(kRegister / std::abs(step));
    place.terms.constant += static_cast<uint64_t>(step);
    Value* whole = whole_at(b, load, place, step);
    const bool comes_first = step > 0;
    const int64_t end = comes_first ? 0 : std::abs(step) * (lanes - 1);
    Value* one = b.CreateAlignedLoad(type.getElementType(), offset(b, load, end), load.getAlign());
    SmallVector<int, 32> mask(static_cast<size_t>(lanes));
    std::iota(mask.begin(), mask.end(), comes_first ? -1 : 1);
    // The lane of a register in which one instruction shifts the element in.
    if (comes_first)
      mask.front() = lanes + in_register - 1;
    else
      mask.back() = lanes + lanes - in_register;
    Value* all = b.CreateShuffleVector(whole, b.CreateVectorSplat(static_cast<unsigned>(lanes), one), mask);
    load.replaceAllUsesWith(all);
    load.eraseFromParent();
    changed_ = true;
  }

  static Value* offset(IRBuilder<>& b, LoadInst& load, int64_t bytes) {
    return bytes == 0 ? load.getPointerOperand()
                      : b.CreatePtrAdd(load.getPointerOperand(), b.getInt64(static_cast<uint64_t>(bytes)));
  }

  LoadInst* whole_at(IRBuilder<>& b, LoadInst& load, const Place& place, int64_t step) {
    for (const Loaded& known : loaded_)
      if (known.load->getType() == load.getType() && known.place.is_same(place)) return known.load;
    LoadInst* whole = b.CreateAlignedLoad(load.getType(), offset(b, load, step), Align(kRegister));
    loaded_.push_back({place, whole});
    return whole;
  }

  void forget(const Instruction& write) {
    auto* store = dyn_cast<StoreInst>(&write);
    auto* variable = store ? dyn_cast<AllocaInst>(getUnderlyingObject(store->getPointerOperand())) : nullptr;
    erase_if(loaded_, [&](const Loaded& known) { return !variable || known.place.variable == variable; });
  }

  Function& run_;
  const DataLayout& layout_;
  SmallPtrSet<const AllocaInst*, 4> tiles_;
  SmallVector<Loaded, 8> loaded_;  ///< of the block so far, and still there
  bool changed_ = false;
};

}  // namespace

bool load_neighbours(Function& run, const TargetMachine& host) {
  if (!loads_lines_slowly(host) || !has_features(host, "+avx512f")) return false;
  return NeighbourLoads(run).rewrite();
}

}  // namespace lanza::compiler
