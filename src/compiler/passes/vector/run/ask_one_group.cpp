#include "compiler/passes/vector/run/ask_one_group.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/note_lanes.hpp"
#include "compiler/passes/vector/run/straighten_loop.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

class Turns {
 public:
  explicit Turns(const Loop& loop) : loop_(loop) {}

  /// Whether the turns behind the first one change nothing of what comes out.
  bool are_alike() {
    for (const BasicBlock* block : loop_.blocks()) {
      if (any_of(*block, [](const Instruction& i) { return i.mayHaveSideEffects(); })) return false;
      auto* branch = dyn_cast<BranchInst>(block->getTerminator());
      if (!branch) return false;
      if (block != loop_.getLoopLatch() && branch->isConditional() && !is_same(*branch->getCondition())) return false;
    }
    for (const PHINode& value : loop_.getExitBlock()->phis())
      if (!comes_out_alike(*value.getIncomingValueForBlock(loop_.getLoopLatch()))) return false;
    return true;
  }

 private:
  bool comes_out_alike(const Value& v) {
    return is_same(v) || any_of(loop_.getHeader()->phis(), [&](const PHINode& carried) {
             return carried.getIncomingValueForBlock(loop_.getLoopLatch()) == &v && chooses(v, carried);
           });
  }

  /// In each turn: made of what the loop does not change, on ways that are those of each turn.
  bool is_same(const Value& v) {
    auto* i = dyn_cast<Instruction>(&v);
    if (!i || !loop_.contains(i)) return true;
    const auto [known, is_new] = same_.try_emplace(i, false);
    if (!is_new) return known->second;
    const bool starts_turn = isa<PHINode>(i) && i->getParent() == loop_.getHeader();
    const bool same =
        !starts_turn && all_of(i->operand_values(), [&](const Value* operand) { return is_same(*operand); });
    return same_[i] = same;
  }

  /// One of values that are the same in each turn, or what the turn before had chosen.
  bool chooses(const Value& v, const PHINode& carried) {
    if (&v == &carried || is_same(v)) return true;
    auto* i = dyn_cast<Instruction>(&v);
    if (auto* choice = dyn_cast<SelectInst>(i))
      return is_same(*choice->getCondition()) && chooses(*choice->getTrueValue(), carried) &&
             chooses(*choice->getFalseValue(), carried);
    auto* join = dyn_cast<PHINode>(i);
    return join && join->getParent() != loop_.getHeader() &&
           all_of(join->incoming_values(), [&](const Use& value) { return chooses(*value, carried); });
  }

  const Loop& loop_;
  DenseMap<const Instruction*, bool> same_;
};

}  // namespace

bool ask_one_group(LoopInfo& loops, ScalarEvolution& evolution) {
  bool changed = false;
  for (Loop* loop : loops.getLoopsInPreorder()) {
    if (!is_lane_loop(*loop) && !is_row_loop(*loop)) continue;
    if (!loop->isInnermost() || !can_straighten(*loop) || !loop->getExitBlock()) continue;
    if (evolution.getSmallConstantTripCount(loop) < 2 || !Turns(*loop).are_alike()) continue;
    auto* again = cast<BranchInst>(loop->getLoopLatch()->getTerminator());
    again->setCondition(ConstantInt::getBool(again->getContext(), again->getSuccessor(0) != loop->getHeader()));
    evolution.forgetLoop(loop);
    changed = true;
  }
  return changed;
}

}  // namespace lanza::compiler
