#include "compiler/passes/dead_stores.hpp"

#include <map>

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/MemorySSA.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>

#include "compiler/passes/covered_stores.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr size_t kLeastStores = 16;    // fewer are compared fast
constexpr unsigned kMostUses = 10000;  // of memory of the function's own; LLVM looks at 100

bool is_masked_store(const Instruction& i) {
  auto* call = dyn_cast<IntrinsicInst>(&i);
  return call && call->getIntrinsicID() == Intrinsic::masked_store;
}

const Value* address_of(const Instruction& write) {
  if (auto* store = dyn_cast<StoreInst>(&write)) return store->getPointerOperand();
  return cast<IntrinsicInst>(write).getArgOperand(1);
}

bool is_local(const Value* address) { return isa<AllocaInst>(getUnderlyingObject(address)); }

/// What has been written so far, as intervals of bytes behind a base.
class Written {
 public:
  explicit Written(const DataLayout& layout) : layout_(layout) {}

  /// False where these bytes were there.
  bool add(const Instruction& write) {
    const Value* address = address_of(write);
    APInt distance(layout_.getIndexTypeSizeInBits(address->getType()), 0);
    const Value* base = address->stripAndAccumulateConstantOffsets(layout_, distance, /*AllowNonInbounds=*/true);
    const int64_t begin = distance.getSExtValue();
    const int64_t end = begin + int64_t(layout_.getTypeStoreSize(write.getOperand(0)->getType()).getFixedValue());
    std::map<int64_t, int64_t>& intervals = of_base_[base];
    const auto behind = intervals.lower_bound(begin);
    if (behind != intervals.end() && behind->first < end) return false;
    if (behind != intervals.begin() && std::prev(behind)->second > begin) return false;
    intervals.emplace_hint(behind, begin, end);
    return true;
  }

 private:
  const DataLayout& layout_;
  DenseMap<const Value*, std::map<int64_t, int64_t>> of_base_;
};

/// Stores to memory that outlives the function, taken out of it until the end of this object's life.
class HiddenStores {
 public:
  explicit HiddenStores(Function& function) {
    if (!find(function) || stores_.size() < kLeastStores) {
      stores_.clear();
      return;
    }
    for (Instruction*& store : stores_) {
      IRBuilder<> b(store);
      places_.push_back(b.CreateIntrinsic(Intrinsic::donothing, {}, {}));
      store->removeFromParent();
    }
  }
  ~HiddenStores() {
    for (auto [store, place] : zip_equal(stores_, places_)) {
      store->insertBefore(place);
      place->eraseFromParent();
    }
  }
  HiddenStores(const HiddenStores&) = delete;
  HiddenStores& operator=(const HiddenStores&) = delete;

  bool empty() const { return stores_.empty(); }

 private:
  // False where one might be dead, or where what is left could be taken for dead without them.
  bool find(Function& function) {
    Written written(function.getDataLayout());
    for (Instruction& i : instructions(function)) {
      if (isa<AllocaInst>(i) && PointerMayBeCaptured(&i, /*ReturnCaptures=*/true, /*StoreCaptures=*/true, kMostUses))
        return false;
      if (auto* memory = dyn_cast<AnyMemIntrinsic>(&i); memory && !is_local(memory->getRawDest())) return false;
      auto* store = dyn_cast<StoreInst>(&i);
      if (!(store && store->isSimple()) && !is_masked_store(i)) continue;
      if (is_local(address_of(i))) continue;
      if (!written.add(i)) return false;
      stores_.push_back(&i);
    }
    return true;
  }

  SmallVector<Instruction*, 32> stores_;
  SmallVector<Instruction*, 32> places_;
};

}  // namespace

PreservedAnalyses DeadStoresPass::run(Function& function, FunctionAnalysisManager& analyses) {
  const bool changed = drop_covered_stores(function);
  const HiddenStores hidden(function);
  PreservedAnalyses same = PreservedAnalyses::all();
  same.abandon<MemorySSAAnalysis>();
  if (changed || !hidden.empty()) analyses.invalidate(function, same);
  if (hidden.empty()) return DSEPass().run(function, analyses);
  PreservedAnalyses left = DSEPass().run(function, analyses);
  left.abandon<MemorySSAAnalysis>();
  return left;
}

}  // namespace lanza::compiler
