#include "compiler/passes/vector/scalars/own_slots.hpp"

#include <numeric>
#include <optional>

#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/vector/analysis/address_terms.hpp"
#include "compiler/passes/vector/scalars/tile_accesses.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kShared = 3;       // the address space
constexpr int64_t kMostBytes = 1024;  // of a thread
constexpr int64_t kMostFactor = 1 << 20;

/// Where an access goes, in bytes: threads times indices, others, and a constant.
struct Place {
  Instruction* access;
  std::array<int64_t, 3> threads{};
  SmallVector<AddressTerms::Term, 2> others;
  int64_t constant = 0;
};

/// Of the bytes that are no thread's place: elements are `step` apart, the first one at `first`.
struct Slot {
  int64_t step, first, elements;
};

class SlotMaker {
 public:
  SlotMaker(Function& kernel, std::array<unsigned, 3> block, GlobalVariable& array, FunctionAnalysisManager& analyses)
      : kernel_(kernel),
        block_(block),
        array_(array),
        layout_(kernel.getParent()->getDataLayout()),
        evolution_(analyses.getResult<ScalarEvolutionAnalysis>(kernel)),
        ranges_(analyses.getResult<LazyValueAnalysis>(kernel)) {}

  bool run() {
    array_.removeDeadConstantUsers();
    if (!collect(array_) || places_.empty()) return false;
    const std::optional<Slot> slot = slot_of_rows() ? slot_of_rows() : slot_of_columns();
    if (!slot || slot->elements * size_ > kMostBytes) return false;
    move(*slot);
    return true;
  }

 private:
  bool collect(Value& address) {
    return all_of(address.uses(), [&](Use& use) {
      if (isa<GEPOperator>(use.getUser())) return collect(*use.getUser());
      auto* access = dyn_cast<Instruction>(use.getUser());
      if (!access || access->getFunction() != &kernel_ || !isa<LoadInst, StoreInst>(access)) return false;
      if (access->isVolatile() || access->isAtomic() || getLoadStorePointerOperand(access) != &address) return false;
      return (!isa<StoreInst>(access) || use.getOperandNo() == 1) && take(*access, address);
    });
  }

  // All have the same factors of threads' indices, and elements of one size.
  bool take(Instruction& access, const Value& address) {
    const AddressTerms terms = terms_of(&address, layout_);
    Place place{&access, {}, {}, static_cast<int64_t>(terms.constant)};
    bool begins_here = false;
    for (const AddressTerms::Term& term : terms.terms) {
      const auto factor = static_cast<int64_t>(term.factor);
      if (term.value == &array_) {
        begins_here = factor == 1;
      } else if (factor < -kMostFactor || factor > kMostFactor) {
        return false;
      } else if (const auto axis = thread_axis(term.value)) {
        place.threads[*axis] += factor;
      } else {
        if (!isa<Instruction, Argument>(term.value)) return false;
        place.others.push_back(term);
      }
    }
    const auto size = static_cast<int64_t>(layout_.getTypeStoreSize(getLoadStoreType(&access)).getFixedValue());
    if (places_.empty()) size_ = size;
    if (!begins_here || size != size_ || (!places_.empty() && place.threads != places_[0].threads)) return false;
    places_.push_back(std::move(place));
    return true;
  }

  // From the first thread's first byte to the last one's last, where threads that have `width` bytes each meet nowhere.
  std::optional<int64_t> extent(int64_t width) const {
    SmallVector<std::pair<int64_t, unsigned>, 3> axes;
    for (unsigned axis = 0; axis < 3; ++axis)
      if (block_[axis] > 1) axes.emplace_back(places_[0].threads[axis], block_[axis]);
    llvm::sort(axes);
    int64_t all = width;
    for (const auto& [factor, threads] : axes) {
      if (factor < all) return std::nullopt;
      all += factor * (threads - 1);
    }
    return all;
  }

  std::optional<Slot> slot_of_rows() const {
    int64_t first = places_[0].constant, end = first;
    for (const Place& place : places_) {
      const auto bytes = bytes_of(place) ? bytes_of(place) : row_of(place);
      if (!bytes || (bytes->first - places_[0].constant) % size_ != 0) return std::nullopt;
      first = std::min(first, bytes->first);
      end = std::max(end, bytes->second);
    }
    if (!extent(end - first)) return std::nullopt;
    return Slot{size_, first, (end - first) / size_};
  }

  // Which bytes of the thread's it may touch: from, to.
  using Bytes = std::optional<std::pair<int64_t, int64_t>>;

  Bytes bytes_of(const Place& place) const {
    int64_t from = place.constant, to = place.constant + size_;
    for (const AddressTerms::Term& term : place.others) {
      const auto most = greatest(term, *place.access);
      const auto factor = static_cast<int64_t>(term.factor);
      if (!most || factor % size_ != 0) return std::nullopt;
      (factor < 0 ? from : to) += factor * *most;
    }
    return std::pair(from, to);
  }

  // An element of an array of the thread's own, `s[tid][k]`, which C++ does not allow to go on in the next thread's.
  Bytes row_of(const Place& place) const {
    auto* step = dyn_cast<GEPOperator>(getLoadStorePointerOperand(place.access));
    if (!step || step->getPointerOperand() != &array_ || step->getNumIndices() < 2) return std::nullopt;
    const SmallVector<Value*, 4> outer(drop_end(step->indices()));
    auto* row = dyn_cast<ArrayType>(GetElementPtrInst::getIndexedType(step->getSourceElementType(), outer));
    if (!row || any_of(outer, [&](Value* index) { return is_made_of_others(*index, place); })) return std::nullopt;
    const auto size = static_cast<int64_t>(layout_.getTypeAllocSize(row).getFixedValue());
    const auto element = static_cast<int64_t>(layout_.getTypeAllocSize(row->getElementType()).getFixedValue());
    if (element != size_ || place.constant < 0) return std::nullopt;
    const int64_t from = place.constant / size * size;
    return std::pair(from, from + size);
  }

  static bool is_made_of_others(Value& v, const Place& place, unsigned depth = 8) {
    if (any_of(place.others, [&](const AddressTerms::Term& term) { return term.value == &v; })) return true;
    auto* i = dyn_cast<Instruction>(&v);
    return i && (depth == 0 || isa<PHINode>(i) ||
                 any_of(i->operands(), [&](Value* x) { return is_made_of_others(*x, place, depth - 1); }));
  }

  std::optional<Slot> slot_of_columns() const {
    int64_t step = 0;
    for (const Place& place : places_)
      for (const AddressTerms::Term& term : place.others) step = std::gcd(step, static_cast<int64_t>(term.factor));
    const auto row = extent(size_);
    if (!row || step < *row) return std::nullopt;
    const int64_t first = (places_[0].constant % step + step) % step;
    if (first + *row > step) return std::nullopt;
    for (const Place& place : places_)
      if ((place.constant - first) % step != 0) return std::nullopt;
    const auto bytes = static_cast<int64_t>(layout_.getTypeAllocSize(array_.getValueType()).getFixedValue());
    return Slot{step, first, (bytes + step - 1) / step};
  }

  // Of a value that is not negative; nothing: who knows.
  std::optional<int64_t> greatest(const AddressTerms::Term& term, Instruction& access) const {
    auto* value = const_cast<Value*>(term.value);
    const ConstantRange known = evolution_.getUnsignedRange(evolution_.getSCEV(value))
                                    .intersectWith(ranges_.getConstantRange(value, &access, /*UndefAllowed=*/false));
    if (known.getUnsignedMax().isNegative()) return std::nullopt;
    const uint64_t most = known.getUnsignedMax().getLimitedValue(kMostBytes);
    return most < kMostBytes ? std::optional(static_cast<int64_t>(most)) : std::nullopt;
  }

  // ---- the change

  void move(const Slot& slot) {
    Type* element = getLoadStoreType(places_[0].access);
    IRBuilder<> entry(&*kernel_.getEntryBlock().getFirstInsertionPt());
    AllocaInst* own = entry.CreateAlloca(ArrayType::get(element, static_cast<uint64_t>(slot.elements)));
    own->takeName(&array_);
    SmallVector<WeakTrackingVH, 32> idle;
    for (const Place& place : places_) {
      Use& use = place.access->getOperandUse(isa<StoreInst>(place.access) ? 1 : 0);
      idle.emplace_back(use.get());
      use.set(address_of(place, slot, *own));
      const Align align = commonAlignment(layout_.getABITypeAlign(element), static_cast<uint64_t>(size_));
      if (auto* store = dyn_cast<StoreInst>(place.access)) store->setAlignment(align);
      if (auto* load = dyn_cast<LoadInst>(place.access)) load->setAlignment(align);
    }
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(idle);
    array_.removeDeadConstantUsers();
    if (array_.use_empty()) array_.eraseFromParent();
  }

  Value* address_of(const Place& place, const Slot& slot, AllocaInst& own) {
    IRBuilder<> b(place.access);
    Value* index = nullptr;
    for (const AddressTerms::Term& term : place.others) {
      auto* value = const_cast<Value*>(term.value);
      value = term.extension == AddressTerms::Sign ? b.CreateSExt(value, b.getInt64Ty())
                                                   : b.CreateZExt(value, b.getInt64Ty());
      const int64_t times = static_cast<int64_t>(term.factor) / slot.step;
      if (times != 1) value = b.CreateMul(value, b.getInt64(static_cast<uint64_t>(times)));
      index = index ? b.CreateAdd(index, value) : value;
    }
    const int64_t constant = (place.constant - slot.first) / slot.step;
    if (!index || constant != 0) {
      Value* number = b.getInt64(static_cast<uint64_t>(constant));
      index = index ? b.CreateAdd(index, number) : number;
    }
    return b.CreateInBoundsGEP(own.getAllocatedType(), &own, {b.getInt64(0), index});
  }

  Function& kernel_;
  const std::array<unsigned, 3> block_;
  GlobalVariable& array_;
  const DataLayout& layout_;
  ScalarEvolution& evolution_;
  LazyValueInfo& ranges_;
  int64_t size_ = 0;
  SmallVector<Place, 32> places_;
};

}  // namespace

bool make_slots_private(Function& kernel, std::array<unsigned, 3> block, FunctionAnalysisManager& analyses) {
  bool changed = false;
  for (GlobalVariable& variable : make_early_inc_range(kernel.getParent()->globals()))
    if (variable.getAddressSpace() == kShared && variable.hasLocalLinkage() && variable.hasInitializer() &&
        isa<UndefValue>(variable.getInitializer()))
      changed |= SlotMaker(kernel, block, variable, analyses).run();
  return changed;
}

}  // namespace lanza::compiler
