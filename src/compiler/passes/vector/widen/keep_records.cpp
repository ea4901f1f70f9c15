#include "compiler/passes/vector/widen/keep_records.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/vector/widen/record_packs.hpp"
#include "compiler/passes/vector/widen/record_shuffles.hpp"
#include "compiler/passes/vector/widen/record_words.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kTurns = 8, kDeepest = 4;  // a loop is taken to make that many
constexpr size_t kMostCalls = 64;

/// Instructions of the kernel that matter, by weight.
class Price {
 public:
  Price(Function& kernel, const LoopInfo& loops, const TargetTransformInfo& host)
      : kernel_(kernel),
        loops_(loops),
        register_bits_(host.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue()),
        // Without shuffles of any two registers (AVX-512) it takes two.
        shuffle_(host.getNumberOfRegisters(host.getRegisterClassForType(/*Vector=*/true)) >= 32 ? 1 : 2) {}

  /// What is computed for memory, for control, and for the threads.
  DenseSet<Instruction*> find_live() const {
    SmallVector<Instruction*, 64> work;
    DenseSet<Instruction*> live;
    live.reserve(kernel_.getInstructionCount());
    for (Instruction& i : instructions(kernel_))
      if (i.isTerminator() || i.mayHaveSideEffects()) work.push_back(&i);
    while (!work.empty()) {
      Instruction* i = work.pop_back_val();
      if (!live.insert(i).second) continue;
      for (Value* operand : i->operands())
        if (auto* value = dyn_cast<Instruction>(operand); value && !live.contains(value)) work.push_back(value);
    }
    return live;
  }

  uint64_t now() const {
    const DenseSet<Instruction*> live = find_live();
    uint64_t sum = 0;
    for (Instruction* i : live) {
      uint64_t cost = cost_of(*i, live);
      for (unsigned depth = std::min(loops_.getLoopDepth(i->getParent()), kDeepest); cost && depth; --depth)
        cost *= kTurns;
      sum += cost;
    }
    return sum;
  }

 private:
  uint64_t cost_of(const Instruction& i, const DenseSet<Instruction*>& live) const {
    if (is_take_apart(i) || is_put_together(i)) {
      BitVector wanted(i.getType()->getStructNumElements());
      for (const User* user : i.users())
        if (live.contains(cast<Instruction>(user))) wanted.set(cast<ExtractValueInst>(user)->getIndices()[0]);
      return uint64_t{shuffle_} * count_shuffles(cast<CallInst>(i), wanted) * registers(i.getOperand(0)->getType());
    }
    if (isa<PHINode, ExtractValueInst, InsertElementInst>(i)) return 0;
    if (auto* shuffle = dyn_cast<ShuffleVectorInst>(&i); shuffle && shuffle->isZeroEltSplat()) return 0;
    return i.getType()->isVectorTy() ? registers(i.getType()) : 0;
  }

  uint64_t registers(Type* type) const {
    return divideCeil(kernel_.getParent()->getDataLayout().getTypeSizeInBits(type).getFixedValue(), register_bits_);
  }

  Function& kernel_;
  const LoopInfo& loops_;
  const uint64_t register_bits_;
  const unsigned shuffle_;
};

/// The call's results are those now; true where that is cheaper. `known` is the kernel's price: to ask for it takes a
/// look at all of the kernel.
bool replace_if_cheaper(CallInst& together, const DominatorTree& dominators, const Price& price, uint64_t& known) {
  RecordPacks packs(dominators);
  const RecordPacks::Values results = packs.build(together);
  if (results.empty()) return packs.discard(), false;
  SmallVector<std::pair<Use*, Value*>, 16> replaced;
  for (User* user : together.users())
    for (Use& use : make_early_inc_range(user->uses())) {
      replaced.push_back({&use, user});
      use.set(results[cast<ExtractValueInst>(user)->getIndices()[0]]);
    }
  if (const uint64_t then = price.now(); then < known) return known = then, true;
  for (auto [use, value] : replaced) use->set(value);
  packs.discard();
  return false;
}

void erase_dead(Function& kernel, const Price& price) {
  const DenseSet<Instruction*> live = price.find_live();
  SmallVector<Instruction*, 64> dead;
  for (Instruction& i : instructions(kernel))
    if (!live.contains(&i)) dead.push_back(&i);
  for (Instruction* i : dead) i->dropAllReferences();
  for (Instruction* i : dead) i->eraseFromParent();
}

}  // namespace

bool keep_records(Function& kernel, const TargetTransformInfo& host) {
  SmallVector<CallInst*, 16> calls;
  for (Instruction& i : instructions(kernel))
    if (is_put_together(i)) calls.push_back(cast<CallInst>(&i));
  std::vector<RecordWord> words = RecordWord::find_all(kernel);
  if ((calls.empty() && words.empty()) || calls.size() + words.size() > kMostCalls) return false;
  const DominatorTree dominators(kernel);
  const LoopInfo loops(dominators);
  const Price price(kernel, loops, host);
  bool changed = false;
  uint64_t known = price.now();
  for (CallInst* call : calls) changed |= replace_if_cheaper(*call, dominators, price, known);
  for (RecordWord& word : words) {
    if (replace_if_cheaper(*word.put_together(), dominators, price, known))
      changed = true;
    else
      word.undo();
  }
  if (changed) erase_dead(kernel, price);
  return changed;
}

}  // namespace lanza::compiler
