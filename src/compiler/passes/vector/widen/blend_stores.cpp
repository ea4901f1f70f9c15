#include "compiler/passes/vector/widen/blend_stores.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/record_writes.hpp"
#include "compiler/passes/retarget.hpp"
#include "compiler/passes/vector/analysis/address_terms.hpp"
#include "compiler/passes/vector/analysis/lane_tables.hpp"
#include "compiler/passes/vector/widen/block_mask.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

bool is_in_shared_memory(const Value* address) {
  auto* base = dyn_cast<CallInst>(getUnderlyingObject(address));
  const Function* callee = base ? base->getCalledFunction() : nullptr;
  return callee && (callee->getName() == kSharedBase || callee->getName() == kStaticShared ||
                    callee->getName() == kDynamicShared);
}

/// A store under the mask, and what all lanes loaded from there.
struct Blend {
  StoreInst* store;
  LoadInst* before;
};

// The last load from there in the blocks that lead to this one alone, with all lanes; null: there is none, or something
// else may have been written.
LoadInst* find_load(StoreInst& store) {
  BasicBlock* block = store.getParent();
  while ((block = block->getSinglePredecessor()) && block->getSingleSuccessor() && !mask_of(*block))
    for (Instruction& i : reverse(*block)) {
      auto* load = dyn_cast<LoadInst>(&i);
      if (load && load->isSimple() && load->getPointerOperand() == store.getPointerOperand() &&
          load->getType() == store.getValueOperand()->getType())
        return load;
      if (i.mayWriteToMemory() && !i.isLifetimeStartOrEnd()) return nullptr;
    }
  return nullptr;
}

class Blender {
 public:
  Blender(Function& function, const GroupShape& group)
      : layout_(function.getParent()->getDataLayout()), shapes_(function, group), tables_(shapes_, layout_) {}

  void run(CallInst& mask, ArrayRef<Blend> blends) {
    for (const Blend& a : blends)
      for (const Blend& b : blends)
        if (!are_apart(*a.store, *b.store)) return;
    for (const Blend& blend : blends) {
      IRBuilder<> b(blend.store);
      forget_record_write(*blend.store);  // of lanes that store nothing
      blend.store->setOperand(0, b.CreateSelect(mask.getArgOperand(0), blend.store->getValueOperand(), blend.before));
    }
    mask.eraseFromParent();
  }

 private:
  // No lane's address of the one reaches into another lane's of the other.
  bool are_apart(const StoreInst& a, const StoreInst& b) {
    const LaneTable *x = tables_.of(a.getPointerOperand()), *y = tables_.of(b.getPointerOperand());
    const auto size = static_cast<int64_t>(layout_.getTypeStoreSize(a.getValueOperand()->getType()));
    if (!x || !y || a.getValueOperand()->getType() != b.getValueOperand()->getType()) return false;
    const std::optional<int64_t> constant = distance(a, b);
    const uint64_t step = constant ? 0 : least_distance(a, b);
    if (!constant && step == 0) return false;
    for (unsigned k = 0; k < x->offsets.size(); ++k)
      for (unsigned l = 0; l < y->offsets.size(); ++l) {
        if (k == l) continue;
        const int64_t between = y->offsets[l] - x->offsets[k];
        if (constant ? std::abs(between + *constant) < size : near_multiple(between, static_cast<int64_t>(step), size))
          return false;
      }
    return true;
  }

  static bool near_multiple(int64_t value, int64_t step, int64_t size) {
    const int64_t rest = ((value % step) + step) % step;
    return rest < size || step - rest < size;
  }

  AddressTerms terms(const StoreInst& store) {
    return terms_of(store.getPointerOperand(), layout_, [&](const Value* v) { return tables_.keeps_high_bits(v); });
  }

  std::optional<int64_t> distance(const StoreInst& a, const StoreInst& b) {
    const AddressTerms x = terms(a), y = terms(b);
    if (!x.has_same_terms(y)) return {};
    return static_cast<int64_t>(y.constant - x.constant);
  }

  // A power of two of which the distance of the lanes' own addresses is a multiple; 0: none is known.
  uint64_t least_distance(const StoreInst& a, const StoreInst& b) {
    const AddressTerms x = terms(a), y = terms(b);
    uint64_t bits = y.constant - x.constant;
    auto add = [&](const AddressTerms& from, const AddressTerms& other) {
      for (const auto& term : from.terms) {
        if (is_contained(other.terms, term)) continue;
        const LaneTable* table = tables_.of(term.value);
        if (!table) return false;
        const unsigned zeros = table->low ? static_cast<unsigned>(countr_zero(table->low)) : table->known;
        const unsigned all = zeros + static_cast<unsigned>(countr_zero(term.factor));
        bits |= all < 63 ? uint64_t{1} << all : 0;
      }
      return true;
    };
    if (!add(x, y) || !add(y, x) || bits == 0) return 0;
    return std::min(uint64_t{1} << countr_zero(bits), uint64_t{1} << 40);
  }

  const DataLayout& layout_;
  const Shapes shapes_;
  LaneTables tables_;
};

// Empty: the block does something else.
SmallVector<Blend, 4> find_blends(BasicBlock& block) {
  SmallVector<Blend, 4> blends;
  for (Instruction& i : block) {
    auto* store = dyn_cast<StoreInst>(&i);
    if (!store) {
      auto* call = dyn_cast<CallInst>(&i);
      const bool is_mask = call && call->getCalledFunction() && call->getCalledFunction()->getName() == kMask;
      if (!is_mask && (i.mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(&i)) && !i.isTerminator()) return {};
      continue;
    }
    LoadInst* before =
        store->isSimple() && is_in_shared_memory(store->getPointerOperand()) ? find_load(*store) : nullptr;
    if (!before) return {};
    blends.push_back({store, before});
  }
  return blends;
}

}  // namespace

void blend_stores(Function& function, const GroupShape& group) {
  std::optional<Blender> blender;
  for (BasicBlock& block : function) {
    CallInst* mask = mask_of(block);
    const SmallVector<Blend, 4> blends = mask ? find_blends(block) : SmallVector<Blend, 4>{};
    if (blends.empty()) continue;
    if (!blender) blender.emplace(function, group);
    blender->run(*mask, blends);
  }
}

}  // namespace lanza::compiler
