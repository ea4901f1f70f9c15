#include "compiler/passes/covered_stores.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostUses = 10000;  // of one variable; LLVM looks at 100

/// Bytes, as intervals that do not touch.
class Bytes {
 public:
  bool cover(int64_t begin, int64_t end) const {
    const auto after = intervals_.upper_bound(begin);
    return after != intervals_.begin() && std::prev(after)->second >= end;
  }
  void add(int64_t begin, int64_t end) {
    auto at = intervals_.upper_bound(begin);
    if (at != intervals_.begin() && std::prev(at)->second >= begin) --at;
    while (at != intervals_.end() && at->first <= end) {
      begin = std::min(begin, at->first);
      end = std::max(end, at->second);
      at = intervals_.erase(at);
    }
    intervals_.emplace(begin, end);
  }
  void remove(int64_t begin, int64_t end) {
    auto at = intervals_.upper_bound(begin);
    if (at != intervals_.begin() && std::prev(at)->second > begin) --at;
    while (at != intervals_.end() && at->first < end) {
      const auto [first, last] = *at;
      at = intervals_.erase(at);
      if (first < begin) intervals_.emplace(first, begin);
      if (last > end) intervals_.emplace(end, last);
    }
  }

 private:
  std::map<int64_t, int64_t> intervals_;
};

struct Place {
  const Value* variable;
  int64_t begin, end;
};

/// Goes up a block: what lies behind the place where it stands has been seen.
class Covered {
 public:
  Covered(const DataLayout& layout, const SmallPtrSetImpl<const Value*>& own) : layout_(layout), own_(own) {}

  /// True where nobody sees what `i` stores.
  bool step(const Instruction& i) {
    if (auto* store = dyn_cast<StoreInst>(&i); store && store->isSimple()) {
      const auto place = place_of(store->getPointerOperand(), store->getValueOperand()->getType());
      if (!place) return false;
      Bytes& rewritten = rewritten_[place->variable];
      if (rewritten.cover(place->begin, place->end)) return true;
      rewritten.add(place->begin, place->end);
      return false;
    }
    if (auto* load = dyn_cast<LoadInst>(&i)) return reads(load->getPointerOperand(), load->getType()), false;
    if (auto* call = dyn_cast<IntrinsicInst>(&i); call && call->getIntrinsicID() == Intrinsic::masked_load)
      return reads(call->getArgOperand(0), call->getType()), false;
    if (!i.mayReadFromMemory()) return false;
    for (const Value* operand : i.operands())
      if (operand->getType()->isPtrOrPtrVectorTy()) reads(operand, nullptr);
    return false;
  }

 private:
  std::optional<Place> place_of(const Value* address, Type* type) const {
    const TypeSize size = layout_.getTypeStoreSize(type);
    APInt distance(layout_.getIndexTypeSizeInBits(address->getType()), 0);
    const Value* base = address->stripAndAccumulateConstantOffsets(layout_, distance, /*AllowNonInbounds=*/true);
    if (!own_.contains(base)) return std::nullopt;
    const int64_t begin = distance.getSExtValue();
    return Place{base, begin, begin + static_cast<int64_t>(size.getFixedValue())};
  }

  // No type: anything behind the address.
  void reads(const Value* address, Type* type) {
    if (type && !address->getType()->isVectorTy())
      if (const auto place = place_of(address, type))
        return rewritten_[place->variable].remove(place->begin, place->end);
    const Value* object = getUnderlyingObject(address, 0);
    if (isa<AllocaInst>(object))
      rewritten_.erase(object);
    else if (!isa<Argument, LoadInst, GlobalValue>(object))
      rewritten_.clear();
  }

  const DataLayout& layout_;
  const SmallPtrSetImpl<const Value*>& own_;
  DenseMap<const Value*, Bytes> rewritten_;  ///< before they are read
};

}  // namespace

bool drop_covered_stores(Function& function) {
  SmallPtrSet<const Value*, 8> own;
  for (Instruction& i : instructions(function))
    if (isa<AllocaInst>(i) && !PointerMayBeCaptured(&i, /*ReturnCaptures=*/true, /*StoreCaptures=*/true, kMostUses))
      own.insert(&i);
  if (own.empty()) return false;
  bool changed = false;
  for (BasicBlock& block : function) {
    Covered covered(function.getDataLayout(), own);
    for (Instruction& i : make_early_inc_range(reverse(block))) {
      if (!covered.step(i)) continue;
      i.eraseFromParent();
      changed = true;
    }
  }
  return changed;
}

}  // namespace lanza::compiler
