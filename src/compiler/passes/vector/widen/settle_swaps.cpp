#include "compiler/passes/vector/widen/settle_swaps.hpp"

#include <optional>

#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/passes/retarget.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

/// The only loop of a function, a block.
struct Retry {
  BasicBlock *before = nullptr, *block = nullptr;
  AtomicCmpXchgInst* swap = nullptr;
};

}  // namespace

// A link of a list: what is expected at p is written elsewhere; if that is p itself, it changes nothing.
static bool writes_what_is_expected(const Instruction& i, const AtomicCmpXchgInst& swap, const BasicBlock* block) {
  auto* store = dyn_cast<StoreInst>(&i);
  auto* place = store ? dyn_cast<Instruction>(store->getPointerOperand()) : nullptr;
  return store && store->isSimple() && store->getValueOperand() == swap.getCompareOperand() &&
         store->getAlign() >= swap.getAlign() && (!place || place->getParent() != block);
}

static bool find(Function& function, Retry& retry) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  if (loops.getLoopsInPreorder().size() != 1) return false;
  Loop* loop = loops.getLoopsInPreorder()[0];
  retry.before = loop->getLoopPreheader();
  retry.block = loop->getHeader();
  if (!retry.before || loop->getNumBlocks() != 1) return false;
  for (Instruction& i : *retry.block)
    if (auto* swap = dyn_cast<AtomicCmpXchgInst>(&i)) {
      if (retry.swap || swap->getSyncScopeID() != SyncScope::SingleThread || swap->isVolatile()) return false;
      retry.swap = swap;
    }
  if (!retry.swap || !loop->isLoopInvariant(retry.swap->getPointerOperand())) return false;
  return all_of(*retry.block, [&](Instruction& i) {
    return &i == retry.swap || !i.mayWriteToMemory() || isa<FenceInst>(i) ||
           (i.comesBefore(retry.swap) && writes_what_is_expected(i, *retry.swap, retry.block));
  });
}

// What `condition` is where the swap has lost; none: something else decides.
static std::optional<bool> where_lost(const Value* condition, const AtomicCmpXchgInst& swap) {
  auto part_of_swap = [&](const Value* v, unsigned number) {
    auto* part = dyn_cast<ExtractValueInst>(v);
    return part && part->getAggregateOperand() == &swap && part->getIndices()[0] == number;
  };
  if (part_of_swap(condition, 1)) return false;
  const Value *a, *b;
  if (match(condition, m_Not(m_Value(a)))) {
    const auto opposite = where_lost(a, swap);
    return opposite ? std::optional(!*opposite) : std::nullopt;
  }
  if (auto* compare = dyn_cast<ICmpInst>(condition); compare && compare->isEquality()) {
    const Value *x = compare->getOperand(0), *y = compare->getOperand(1), *expected = swap.getCompareOperand();
    if (!(part_of_swap(x, 0) && y == expected) && !(part_of_swap(y, 0) && x == expected)) return {};
    return compare->getPredicate() == CmpInst::ICMP_NE;
  }
  const bool is_and = match(condition, m_LogicalAnd(m_Value(a), m_Value(b)));
  if (!is_and && !match(condition, m_LogicalOr(m_Value(a), m_Value(b)))) return {};
  for (const Value* part : {a, b})
    if (const auto known = where_lost(part, swap); known && *known != is_and) return known;
  return {};
}

// A swap that has lost looks again, whatever it found. Else it would not do to look at what is there now: a question
// before the loop (`if (v > old) do ... while (lost && v > old)`) was about what was there before.
static bool goes_on_where_lost(const Retry& retry) {
  auto* branch = dyn_cast<BranchInst>(retry.block->getTerminator());
  if (!branch || !branch->isConditional()) return false;
  const auto condition = where_lost(branch->getCondition(), *retry.swap);
  return condition && branch->getSuccessor(*condition ? 0 : 1) == retry.block;
}

// What the first turn expects is what is there.
static bool expects_what_is_there(const Retry& retry) {
  Value* expected = retry.swap->getCompareOperand();
  if (auto* load = dyn_cast<LoadInst>(expected))
    return load->getParent() == retry.block && load->getPointerOperand() == retry.swap->getPointerOperand() &&
           retry.block->phis().empty();
  auto* phi = dyn_cast<PHINode>(expected);
  if (!phi || phi->getParent() != retry.block || !hasSingleElement(retry.block->phis())) return false;
  auto* found = dyn_cast<ExtractValueInst>(phi->getIncomingValueForBlock(retry.block));
  if (!found || found->getAggregateOperand() != retry.swap || found->getIndices()[0] != 0) return false;
  IRBuilder<> b(retry.before->getTerminator());
  phi->setIncomingValueForBlock(
      retry.before, b.CreateAlignedLoad(phi->getType(), retry.swap->getPointerOperand(), retry.swap->getAlign()));
  return true;
}

static void succeed(AtomicCmpXchgInst& swap) {
  IRBuilder<> b(&swap);
  b.CreateAlignedStore(swap.getNewValOperand(), swap.getPointerOperand(), swap.getAlign());
  Value* result = b.CreateInsertValue(PoisonValue::get(swap.getType()), swap.getCompareOperand(), 0);
  swap.replaceAllUsesWith(b.CreateInsertValue(result, b.getTrue(), 1));
  swap.eraseFromParent();
}

bool settle_swaps(Function& function, PassRunner& runner) {
  Retry retry;
  if (!find(function, retry) || !goes_on_where_lost(retry)) return false;
  ValueToValueMapTy map;
  Function* trial = CloneFunction(&function, map);
  retry = {};
  find(*trial, retry);
  bool settled = expects_what_is_there(retry);
  if (settled) {
    succeed(*retry.swap);
    runner.run(*trial, "instcombine<no-verify-fixpoint>,simplifycfg");
    SmallVector<std::pair<const BasicBlock*, const BasicBlock*>, 2> back;
    FindFunctionBackedges(*trial, back);
    settled = back.empty();
  }
  runner.clear();
  if (settled) {
    function.deleteBody();
    function.setLinkage(GlobalValue::InternalLinkage);
    function.splice(function.begin(), trial);
    for (auto [argument, other] : zip(function.args(), trial->args())) other.replaceAllUsesWith(&argument);
    for (Instruction& i : instructions(function))
      if (isa<LoadInst>(i)) i.setMetadata(kFound, MDNode::get(function.getContext(), {}));
  }
  trial->eraseFromParent();
  return settled;
}

}  // namespace lanza::compiler
