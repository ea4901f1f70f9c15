#include "compiler/passes/vector/analysis/group_ways.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/run/block_parts.hpp"
#include "compiler/passes/vector/run/column_accesses.hpp"
#include "compiler/passes/vector/run/shared_masks.hpp"
#include "compiler/passes/vector/run/transpose_gathers.hpp"
#include "compiler/passes/vector/run/walk_together.hpp"
#include "compiler/passes/vector/widen/lone_updates.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

std::optional<unsigned> group_axis(const Instruction& i) {
  auto* call = dyn_cast<CallInst>(&i);
  if (!call || !call->getCalledFunction() || call->getCalledFunction()->getName() != kGroup) return std::nullopt;
  return static_cast<unsigned>(cast<ConstantInt>(call->getArgOperand(0))->getZExtValue());
}

bool ends_run(const GroupWays& ways, const Instruction& i) {
  if (i.isTerminator() || as_together(i)) return true;
  if (stride_of_gather(i) != 0) return true;  // columns of a tile: one tile at a time
  // They are taken or stored as rows: all groups' side by side.
  const Instruction* before = i.getPrevNode();
  if (is_column_along(i, ways.axis()) || (before && is_column_along(*before, ways.axis()))) return true;
  return !isa<PHINode>(i) && !ways.differs(i) && (i.getType()->isVectorTy() || i.mayReadOrWriteMemory());
}

static constexpr size_t kMostDetours = 16;
static constexpr size_t kMostMasked = 16;  // instructions: what costs no more than a branch that is not foreseen

static bool is_barrier(Instruction& i) {
  CallInst* point = as_sync(i);
  return point && sync_kind(*point) == LANZA_SYNC_BARRIER;
}

static bool may_be_reordered(Instruction& i) {
  if (auto* array = dyn_cast<AllocaInst>(&i)) return array->isStaticAlloca();
  if (i.isVolatile() || i.isAtomic()) return false;
  if (is_barrier(i) || isa<IntrinsicInst>(i) || is_call_of_leave(i) || is_update(i)) return true;
  auto* call = dyn_cast<CallBase>(&i);
  return !call || !call->mayHaveSideEffects();
}

bool may_be_reordered(Function& kernel) {
  return noted_updates(kernel) != Updates::Many &&
         all_of(instructions(kernel), [](Instruction& i) { return may_be_reordered(i); });
}

GroupWays::GroupWays(Function& kernel, unsigned axis) : kernel_(kernel), axis_(axis) {
  while (find_differing()) {
  }
}

bool GroupWays::find_detours() {
  if (!may_be_reordered(kernel_)) return false;
  find_original();
  for (;;) {
    while (find_differing()) {
    }
    const Found found = find_detour();
    if (found == Found::Nothing) return true;
    if (found == Found::Failure || detours_.size() > kMostDetours) return false;
    if (found == Found::NewBlock) {
      differing_.clear();
      detours_.clear();
      masked_.clear();
      find_original();
    }
  }
}

bool GroupWays::is_on_detour(const BasicBlock* block) const {
  return any_of(detours_, [&](const Detour& d) { return d.inside.contains(const_cast<BasicBlock*>(block)); });
}

bool GroupWays::is_in_loop(const BasicBlock* block) const {
  return any_of(detours_,
                [&](const Detour& d) { return d.is_loop && d.inside.contains(const_cast<BasicBlock*>(block)); });
}

// One round; true when more values were found.
bool GroupWays::find_differing() {
  const size_t before = differing_.size();
  for (BasicBlock& block : kernel_) {
    const bool apart = is_on_detour(&block);
    const bool together_again = any_of(detours_, [&](const Detour& d) { return d.exit == &block; }) ||
                                any_of(masked_, [&](const MaskedPart& part) { return part.exit == &block; });
    for (Instruction& i : block) {
      if (as_together(i) || (!apart && asks_lanes_along(i, axis_))) continue;
      const bool is_own = group_axis(i) == axis_ || is_update(i) || isa<AllocaInst>(i);
      if (apart || is_own || (together_again && isa<PHINode>(i)) ||
          any_of(i.operands(), [&](const Use& v) { return differs(*v); }))
        differing_.insert(&i);
    }
  }
  return differing_.size() != before;
}

void GroupWays::find_original() {
  if (const auto part = find_one_by_one(kernel_))
    detours_.push_back({part->entry, blocks_between(part->entry, part->exit), part->exit, /*is_loop=*/true});
}

GroupWays::Found GroupWays::find_detour() {
  drop_unmasked_parts();
  for (BasicBlock& block : kernel_) {
    const bool known = is_on_detour(&block) || any_of(detours_, [&](const Detour& d) { return d.entry == &block; }) ||
                       any_of(masked_, [&](const MaskedPart& part) { return part.entry == &block; });
    if (known || !differs(*block.getTerminator())) continue;
    return take_masked_part(block) ? Found::Detour : add_detour(&block);
  }
  return Found::Nothing;
}

const Value* mask_of_access(const Instruction& i) {
  auto* access = dyn_cast<IntrinsicInst>(&i);
  if (!access) return nullptr;
  switch (access->getIntrinsicID()) {
    case Intrinsic::masked_load:
    case Intrinsic::masked_gather:
      return access->getArgOperand(2);
    case Intrinsic::masked_store:
    case Intrinsic::masked_scatter:
      return access->getArgOperand(3);
    default:
      return nullptr;
  }
}

bool GroupWays::is_masked(const MaskedPart& part) const {
  return part.inside->size() <= kMostMasked && all_of(*part.inside, [&](const Instruction& i) {
           if (auto* load = dyn_cast<LoadInst>(&i)) return load->isSimple() && !differs(i);
           if (const Value* mask = mask_of_access(i)) return mask == part.mask;
           return !isa<PHINode>(i) && !i.isIntDivRem() && !i.mayReadOrWriteMemory() && !i.mayHaveSideEffects();
         });
}

// What was found to differ since they were taken counts.
void GroupWays::drop_unmasked_parts() {
  erase_if(masked_, [&](const MaskedPart& part) {
    const bool stays = is_masked(part) && !is_on_detour(part.entry);
    if (!stays) unmasked_.insert(part.entry);
    return !stays;
  });
}

bool GroupWays::take_masked_part(BasicBlock& entry) {
  BasicBlock *inside = nullptr, *exit = nullptr;
  Value* mask = nullptr;
  ICmpInst::Predicate predicate;
  const bool asks = match(entry.getTerminator(), m_Br(m_ICmp(predicate, m_BitCast(m_Value(mask)), m_ZeroInt()),
                                                      m_BasicBlock(inside), m_BasicBlock(exit)));
  if (!asks || predicate != ICmpInst::ICMP_NE || unmasked_.contains(&entry)) return false;
  if (!mask->getType()->isIntOrIntVectorTy(1) || inside->getSinglePredecessor() != &entry ||
      inside->getSingleSuccessor() != exit)
    return false;
  const MaskedPart part{&entry, inside, exit, mask};
  if (!is_masked(part) || !LoopInfo{DominatorTree(kernel_)}.getLoopFor(&entry)) return false;
  masked_.push_back(part);
  return true;
}

SetVector<BasicBlock*> blocks_between(BasicBlock* entry, BasicBlock* exit) {
  SetVector<BasicBlock*> inside;
  auto add = [&](BasicBlock* block) {
    if (block != exit) inside.insert(block);
  };
  for_each(successors(entry), add);
  for (size_t i = 0; i < inside.size(); ++i) for_each(successors(inside[i]), add);
  return inside;
}

// The least part around the branch that has one way in and one way out.
GroupWays::Found GroupWays::add_detour(BasicBlock* from) {
  const DominatorTree dominators(kernel_);
  const PostDominatorTree post_dominators(kernel_);
  auto* before = dominators.getNode(from);
  auto* behind = post_dominators.getNode(from)->getIDom();
  for (; before; before = before->getIDom()) {
    BasicBlock* entry = before->getBlock();
    if (is_on_detour(entry)) continue;
    while (behind && behind->getBlock() &&
           (is_on_detour(behind->getBlock()) || !post_dominators.properlyDominates(behind->getBlock(), entry)))
      behind = behind->getIDom();
    BasicBlock* exit = behind ? behind->getBlock() : nullptr;
    if (!exit) return Found::Failure;
    Detour detour{entry, blocks_between(entry, exit), exit};
    auto belongs = [&](BasicBlock* block) { return block == entry || detour.inside.contains(block); };
    auto comes_from_within = [&](BasicBlock* block) { return all_of(predecessors(block), belongs); };
    if (detour.inside.contains(entry) || !belongs(from) || !all_of(detour.inside, comes_from_within)) continue;
    if (any_of(detour.inside, [](BasicBlock* block) { return any_of(*block, is_barrier); })) return Found::Failure;
    if (!comes_from_within(exit)) {
      SmallSetVector<BasicBlock*, 4> last;
      for (BasicBlock* block : predecessors(exit))
        if (belongs(block)) last.insert(block);
      SplitBlockPredecessors(exit, last.getArrayRef(), ".together");
      return Found::NewBlock;
    }
    erase_if(detours_, [&](const Detour& d) { return belongs(d.entry); });  // they are part of it
    detours_.push_back(std::move(detour));
    return Found::Detour;
  }
  return Found::Failure;
}

}  // namespace lanza::compiler
