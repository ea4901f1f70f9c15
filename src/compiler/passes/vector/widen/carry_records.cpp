#include "compiler/passes/vector/widen/carry_records.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "compiler/passes/vector/widen/record_packs.hpp"
#include "compiler/passes/vector/widen/record_price.hpp"
#include "compiler/passes/vector/widen/record_shuffles.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostTrials = 8;
constexpr size_t kMostValues = 512, kMostSums = 32;

using Phis = SmallVector<PHINode*, 32>;

/// What a record that is taken apart in a loop ends in: for each of its members, phis behind the loop.
class LoopResults {
 public:
  LoopResults(CallInst& apart, const Loop& loop) : loop_(loop) {
    for (unsigned unit = 0; unit < apart.arg_size(); ++unit) of_units_.push_back(follow(apart, unit));
  }

  /// Whether there is one for each member, side by side; nobody in the loop asks for single members.
  bool match() const {
    return !of_units_[0].empty() && of_units_[0].size() <= kMostSums && all_of(of_units_, [&](const Phis& phis) {
      return equal(phis, of_units_[0], [](PHINode* a, PHINode* b) { return a->getParent() == b->getParent(); });
    });
  }
  unsigned sums() const { return of_units_[0].size(); }
  SmallVector<Value*, 16> units_of(unsigned sum) const {
    SmallVector<Value*, 16> units;
    for (const Phis& phis : of_units_) units.push_back(phis[sum]);
    return units;
  }

 private:
  /// None: the member goes elsewhere, too.
  Phis follow(CallInst& apart, unsigned unit) const {
    SetVector<Instruction*> found;
    for (User* user : apart.users())
      if (cast<ExtractValueInst>(user)->getIndices()[0] == unit) found.insert(cast<Instruction>(user));
    SmallPtrSet<PHINode*, 32> ends;
    for (unsigned k = 0; k < found.size(); ++k) {
      if (found.size() > kMostValues) return {};
      for (User* user : found[k]->users()) {
        auto* i = cast<Instruction>(user);
        if (auto* phi = dyn_cast<PHINode>(i); phi && !loop_.contains(phi))
          ends.insert(phi);
        else if (phi || (is_elementwise(*i) && loop_.contains(i)))
          found.insert(i);
        else
          return {};
      }
    }
    return in_order(ends);
  }

  static Phis in_order(const SmallPtrSetImpl<PHINode*>& ends) {
    Phis result;
    SmallPtrSet<BasicBlock*, 4> blocks;
    for (PHINode* end : ends) blocks.insert(end->getParent());
    if (blocks.size() != 1) return result;
    for (PHINode& phi : (*blocks.begin())->phis())
      if (ends.contains(&phi)) result.push_back(&phi);
    return result;
  }

  const Loop& loop_;
  SmallVector<Phis, 16> of_units_;
};

/// The sums put together behind the loop, and taken apart for all who use them: what RecordPacks can work on.
class Detour {
 public:
  explicit Detour(const LoopResults& results) {
    for (unsigned sum = 0; sum < results.sums(); ++sum) add(results.units_of(sum));
  }

  ArrayRef<CallInst*> togethers() const { return togethers_; }
  void undo() {
    for (auto& [units, apart] : ways_)
      for (auto [unit, part] : zip(units, parts_of(*apart))) part->replaceAllUsesWith(unit);
    for (auto& [units, apart] : ways_) erase(*apart);
    for (CallInst* together : togethers_) erase(*together);
  }

 private:
  using Units = SmallVector<Value*, 16>;

  void add(const Units& units) {
    BasicBlock& block = *cast<Instruction>(units[0])->getParent();
    IRBuilder<> b(&block, block.getFirstInsertionPt());
    CallInst* together = emit_put_together(b, units);
    togethers_.push_back(together);
    Units memory;
    for (unsigned q = 0; q < units.size(); ++q) memory.push_back(b.CreateExtractValue(together, q));
    CallInst* apart = emit_take_apart(b, memory);
    for (unsigned u = 0; u < units.size(); ++u) {
      Value* part = b.CreateExtractValue(apart, u);
      units[u]->replaceUsesWithIf(part, [&](Use& use) { return use.getUser() != together; });
    }
    ways_.push_back({units, apart});
  }

  static Units parts_of(CallInst& apart) {
    Units parts(apart.arg_size());
    for (User* user : apart.users()) parts[cast<ExtractValueInst>(user)->getIndices()[0]] = user;
    return parts;
  }
  static void erase(CallInst& call) {
    for (User* part : make_early_inc_range(call.users())) cast<Instruction>(part)->eraseFromParent();
    call.eraseFromParent();
  }

  SmallVector<CallInst*, 16> togethers_;
  SmallVector<std::pair<Units, CallInst*>, 16> ways_;
};

bool carry_if_cheaper(CallInst& apart, const Loop& loop, const DominatorTree& dominators, const RecordPrice& price) {
  const LoopResults results(apart, loop);
  if (!results.match()) return false;
  const uint64_t before = price.now();
  Detour detour(results);
  RecordPacks packs(dominators);
  if (all_of(detour.togethers(), [&](CallInst* together) { return packs.replace(*together); }) && price.now() < before)
    return true;
  packs.discard();
  detour.undo();
  return false;
}

SmallVector<Loop*, 4> outermost_first(Loop* loop) {
  SmallVector<Loop*, 4> around;
  for (; loop; loop = loop->getParentLoop()) around.push_back(loop);
  std::reverse(around.begin(), around.end());
  return around;
}

}  // namespace

bool carry_records(Function& kernel, const TargetTransformInfo& host) {
  SmallVector<CallInst*, 16> calls;
  for (Instruction& i : instructions(kernel))
    if (is_take_apart(i)) calls.push_back(cast<CallInst>(&i));
  if (calls.empty()) return false;
  const DominatorTree dominators(kernel);
  const LoopInfo loops(dominators);
  erase_if(calls, [&](CallInst* call) { return !loops.getLoopFor(call->getParent()); });
  const RecordPrice price(kernel, loops, host);
  bool changed = false;
  for (CallInst* call : ArrayRef(calls).take_front(kMostTrials)) {
    const SmallVector<Loop*, 4> around = outermost_first(loops.getLoopFor(call->getParent()));
    changed |= formLCSSARecursively(*around[0], dominators, &loops, nullptr);
    changed |= any_of(around, [&](Loop* loop) { return carry_if_cheaper(*call, *loop, dominators, price); });
  }
  if (changed) price.erase_dead();
  return changed;
}

}  // namespace lanza::compiler
