#include "compiler/passes/vector/run/slot_rings.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

// From `entry`, but over the edge, up to blocks that `ends`.
SetVector<BasicBlock*> reached_beside(const SlotRing& ring, BasicBlock* entry, function_ref<bool(BasicBlock*)> ends) {
  SetVector<BasicBlock*> reached;
  reached.insert(entry);
  for (size_t i = 0; i < reached.size(); ++i) {
    BasicBlock* block = reached[i];
    if (ends(block)) continue;
    for (BasicBlock* next : successors(block))
      if (block != ring.from || next != ring.to) reached.insert(next);
  }
  return reached;
}

class RingSearch {
 public:
  RingSearch(ArrayRef<BasicBlock*> begins, function_ref<bool(BasicBlock*)> ends,
             function_ref<bool(const Value*)> has_slot)
      : begins_(begins), ends_(ends), has_slot_(has_slot) {}

  // From a value that goes over to none on to the one that becomes it, and so forth.
  void find_at(BasicBlock* from, BasicBlock* to) {
    auto becomes = [&](const PHINode& phi) { return dyn_cast<Instruction>(phi.getIncomingValueForBlock(from)); };
    auto is_handed_on = [&](const Instruction* value) {
      return any_of(to->phis(), [&](const PHINode& phi) { return phi.getIncomingValueForBlock(from) == value; });
    };
    for (PHINode& first : to->phis()) {
      if (!is_free(&first) || is_handed_on(&first)) continue;
      SlotRing ring{from, to, {&first}, {}};
      for (Instruction* next = becomes(first); next && is_free(next) && !is_contained(ring.values, next);) {
        ring.values.push_back(next);
        auto* phi = dyn_cast<PHINode>(next);
        next = phi && phi->getParent() == to ? becomes(*phi) : nullptr;
      }
      if (ring.values.size() > 1 && can(ring)) take(std::move(ring));
    }
  }

  SmallVector<SlotRing, 2> rings;

 private:
  bool is_free(const Instruction* value) const { return has_slot_(value) && !taken_.contains(value); }

  void take(SlotRing ring) {
    taken_.insert(ring.values.begin(), ring.values.end());
    rings.push_back(std::move(ring));
  }

  bool can(SlotRing& ring) const {
    const Type* type = ring.values[0]->getType();
    if (any_of(ring.values, [&](const Instruction* v) { return v->getType() != type; })) return false;
    // The last one's slot holds what the first one was, until it is made again: not if it stays what it is.
    if (!DominatorTree(*ring.to->getParent()).dominates(ring.to, ring.values.back()->getParent())) return false;
    const auto behind = reached_beside(ring, ring.to, ends_);
    if (behind.contains(ring.from)) return false;  // twice in one region
    copy_if(behind, std::back_inserter(ring.behind), ends_);
    return all_of(begins_, [&](BasicBlock* begin) {
      const auto beside = reached_beside(ring, begin, ends_);
      if (!beside.contains(ring.from)) return true;
      if (any_of(ring.values, [&](Instruction* v) { return beside.contains(v->getParent()); })) return false;
      return none_of(ring.behind, [&](BasicBlock* block) { return beside.contains(block); });
    });
  }

  const ArrayRef<BasicBlock*> begins_;
  const function_ref<bool(BasicBlock*)> ends_;
  const function_ref<bool(const Value*)> has_slot_;
  SmallPtrSet<const Value*, 16> taken_;
};

}  // namespace

SmallVector<SlotRing, 2> find_slot_rings(ArrayRef<BasicBlock*> begins, function_ref<bool(BasicBlock*)> ends,
                                         function_ref<bool(const Value*)> has_slot) {
  RingSearch search(begins, ends, has_slot);
  SmallPtrSet<BasicBlock*, 8> seen;
  for (BasicBlock* begin : begins)
    for (BasicBlock* from : reached_beside({nullptr, nullptr, {}, {}}, begin, ends)) {
      if (ends(from) || !seen.insert(from).second) continue;
      for (BasicBlock* to : successors(from)) search.find_at(from, to);
    }
  return std::move(search.rings);
}

}  // namespace lanza::compiler
