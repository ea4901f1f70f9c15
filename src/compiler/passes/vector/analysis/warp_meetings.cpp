#include "compiler/passes/vector/analysis/warp_meetings.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/analysis/thread_values.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

/// Lanes that part at a branch and go where `is` (negated: is not) holds.
struct Condition {
  const Value* is;
  bool negated;
};
using Conditions = SmallVector<Condition, 4>;

// The predicate of a vote, and whether it is negated.
Condition predicate_of(const Value* value) {
  const Value* inner;
  if (match(value, m_ZExt(m_Value(inner)))) value = inner;
  bool negated = false;
  while (match(value, m_Not(m_Value(inner)))) value = inner, negated = !negated;
  return {value, negated};
}

bool is_same(Condition a, Condition b) {
  const Condition bare_a = predicate_of(a.is), bare_b = predicate_of(b.is);
  if (bare_a.is == bare_b.is) return (a.negated != bare_a.negated) == (b.negated != bare_b.negated);
  auto *x = dyn_cast<ICmpInst>(bare_a.is), *y = dyn_cast<ICmpInst>(bare_b.is);  // of which one is the other's contrary
  return x && y && x->getPredicate() == y->getInversePredicate() && x->getOperand(0) == y->getOperand(0) &&
         x->getOperand(1) == y->getOperand(1) && (a.negated != bare_a.negated) != (b.negated != bare_b.negated);
}

class WarpMeetings {
 public:
  WarpMeetings(Function& kernel, const GroupShape& group)
      : all_(kernel, group),
        living_(kernel, group, Leaving::IsIgnored),
        values_(group.block),
        dominators_(kernel),
        loops_(dominators_) {}

  bool is_known(const CallInst& point) {
    const LanzaSyncKind kind = sync_kind(point);
    if (kind == LANZA_SYNC_LOCKSTEP || kind == LANZA_SYNC_ACTIVEMASK) return true;
    // A mask may name lanes that have left, or not, as those do that go on where others are at the kernel's end.
    return names_who_comes(point, Leaving::IsIgnored) || names_who_comes(point, Leaving::Diverges);
  }

 private:
  bool come_together(const BasicBlock* block, Leaving leaving) const {
    return !all_.runs_some_lanes(block) || (leaving == Leaving::IsIgnored && !living_.runs_some_lanes(block));
  }

  // What parts the lanes that come to `to` from those at `from`, which dominates it (null: from all of the warp).
  // Nothing where that is not clear, or where they come at different times.
  std::optional<Conditions> conditions_between(const BasicBlock* from, const BasicBlock* to, Leaving leaving) const {
    Conditions conditions;
    const BasicBlock* here = to;
    while (from ? here != from : !come_together(here, leaving)) {
      const auto* node = dominators_.getNode(here)->getIDom();
      if (!node) return std::nullopt;
      const BasicBlock* above = node->getBlock();
      if (!enters_together(above, here) || (from && !stays_in_loops_of(from, here))) return std::nullopt;
      if (!leads_surely(above, here, leaving)) {
        auto* branch = dyn_cast<BranchInst>(above->getTerminator());
        if (!branch || branch->isUnconditional()) return std::nullopt;
        const bool otherwise = !leads_surely(branch->getSuccessor(0), here, leaving);
        if (otherwise && !leads_surely(branch->getSuccessor(1), here, leaving)) return std::nullopt;
        if (!all_.seen_in(above, branch->getCondition()).is_uniform())
          conditions.push_back({branch->getCondition(), otherwise});
      }
      here = above;
    }
    return conditions;
  }

  // Whether who comes from `from` to `to` has passed a branch that asks it: whole warps go one way there.
  bool have_answered(const BasicBlock* from, const BasicBlock* to, Condition asked) const {
    for (const auto* node = dominators_.getNode(to); node && node->getBlock() != from; node = node->getIDom()) {
      const BasicBlock *here = node->getBlock(), *before = here->getSinglePredecessor();
      auto* branch = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
      if (!branch || branch->isUnconditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) continue;
      if (is_same({branch->getCondition(), branch->getSuccessor(1) == here}, asked)) return true;
    }
    return false;
  }

  // No loop between them that lanes leave apart.
  bool enters_together(const BasicBlock* above, const BasicBlock* here) const {
    for (const Loop* loop = loops_.getLoopFor(here); loop && !loop->contains(above); loop = loop->getParentLoop())
      if (living_.is_left_apart(loop->getHeader()) && all_.is_left_apart(loop->getHeader())) return false;
    return true;
  }

  bool stays_in_loops_of(const BasicBlock* from, const BasicBlock* here) const {
    const Loop* loop = loops_.getLoopFor(from);
    return !loop || loop->contains(here);
  }

  // Every way from `from` comes to `to` before it begins the next turn of a loop that holds `from`, or leaves.
  bool leads_surely(const BasicBlock* from, const BasicBlock* to, Leaving leaving) const {
    SmallPtrSet<const BasicBlock*, 16> seen;
    SmallVector<const BasicBlock*, 16> work{from};
    while (!work.empty()) {
      const BasicBlock* block = work.pop_back_val();
      const bool is_gone = leaving == Leaving::IsIgnored && living_.leaves(block);
      if (block == to || is_gone || !seen.insert(block).second) continue;
      if (succ_empty(block)) return false;
      for (const BasicBlock* next : successors(block)) {
        const Loop* loop = loops_.getLoopFor(next);
        if (loop && loop->getHeader() == next && loop->contains(from) && loop->contains(block)) return false;
        work.push_back(next);
      }
    }
    return true;
  }

  bool names_who_comes(const CallInst& point, Leaving leaving) {
    const Value* mask = point.getArgOperand(kSyncMask);
    const BasicBlock* here = point.getParent();
    if (const auto* lanes = values_.of(mask))
      return names_who_comes(*lanes, conditions_between(nullptr, here, leaving));
    match(mask, m_Trunc(m_Value(mask)));
    auto* source = dyn_cast<CallInst>(mask);
    if (!source || !as_sync(*const_cast<CallInst*>(source))) return false;
    const auto since = conditions_between(source->getParent(), here, leaving);
    if (!since) return false;
    switch (sync_kind(*source)) {
      case LANZA_SYNC_ACTIVEMASK:
      case LANZA_SYNC_MATCH_ANY:
        return since->empty();
      case LANZA_SYNC_BALLOT: {
        const Condition voted{source->getArgOperand(kSyncValue), false};
        if (since->empty()) return have_answered(source->getParent(), here, voted);
        return since->size() == 1 && is_same(since->front(), voted);
      }
      default:
        return false;
    }
  }

  // Each thread that comes is in its mask, and all that its mask names come with the same one.
  bool names_who_comes(const ThreadValues::Values& masks, const std::optional<Conditions>& conditions) {
    if (!conditions) return false;
    std::vector<bool> comes(masks.size(), true);
    for (const Condition& condition : *conditions) {
      const auto* values = values_.of(condition.is);
      if (!values) return false;
      for (size_t thread = 0; thread < comes.size(); ++thread)
        comes[thread] = comes[thread] && (*values)[thread].isOne() != condition.negated;
    }
    for (size_t thread = 0; thread < comes.size(); ++thread) {
      if (!comes[thread]) continue;
      const uint64_t mask = masks[thread].getZExtValue();
      if (!(mask >> thread % 32 & 1)) return false;
      const size_t first = thread / 32 * 32;
      for (size_t other = first; other < std::min(first + 32, comes.size()); ++other)
        if ((mask >> other % 32 & 1) && !(comes[other] && masks[other] == masks[thread])) return false;
    }
    return true;
  }

  const Shapes all_, living_;
  ThreadValues values_;
  DominatorTree dominators_;
  LoopInfo loops_;
};

}  // namespace

bool has_warp_operations(Function& kernel) {
  return any_of(instructions(kernel), [](Instruction& i) {
    CallInst* point = as_sync(i);
    return point && is_of_warp(sync_kind(*point));
  });
}

Reason why_warps_part(Function& kernel, const GroupShape& group) {
  PassRunner(nullptr).run(kernel, "lower-switch,fix-irreducible,loop-simplify,lcssa");
  WarpMeetings meetings(kernel, group);
  for (Instruction& i : instructions(kernel))
    if (CallInst* point = as_sync(i); point && is_of_warp(sync_kind(*point)) && !meetings.is_known(*point))
      return {"it is not certain that the lanes which a warp operation names come to it together", source_line(i)};
  return {};
}

}  // namespace lanza::compiler
