#include "compiler/passes/vector/scalars/join_ways.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/vector/analysis/operation_times.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/scalars/equal_work.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kLeastSaved = 8;
constexpr unsigned kMostGuarded = 6;  // instructions behind a guard that are computed without it

/// A branch to two ways of which nobody else goes.
struct Fork {
  BranchInst* branch;
  BasicBlock *yes, *no;
};

std::optional<Fork> fork_at(BasicBlock& block) {
  auto* branch = dyn_cast<BranchInst>(block.getTerminator());
  if (!branch || !branch->isConditional() || isa<Constant>(branch->getCondition())) return {};
  BasicBlock *yes = branch->getSuccessor(0), *no = branch->getSuccessor(1);
  if (yes == no || yes->getSinglePredecessor() != &block || no->getSinglePredecessor() != &block) return {};
  return Fork{branch, yes, no};
}

bool divides(const BasicBlock& block) {
  return any_of(block, [](const Instruction& i) { return i.getOpcode() == Instruction::FDiv; });
}

// `if (b != 0) q = a / b;` at the end of `way`: what it guards.
BasicBlock* guarded_quotient(BasicBlock& way) {
  auto* guard = dyn_cast<BranchInst>(way.getTerminator());
  if (!guard || !guard->isConditional()) return nullptr;
  for (unsigned side = 0; side < 2; ++side) {
    BasicBlock *inside = guard->getSuccessor(side), *behind = guard->getSuccessor(1 - side);
    if (inside->getSinglePredecessor() != &way || inside->getSingleSuccessor() != behind) continue;
    if (behind == &way || !behind->hasNPredecessors(2) || !divides(*inside) || inside->size() > kMostGuarded + 1)
      continue;
    if (all_of(drop_end(*inside), [](const Instruction& i) { return isSafeToSpeculativelyExecute(&i); })) return inside;
  }
  return nullptr;
}

void pass_guard(BasicBlock& way, BasicBlock& inside) {
  auto* guard = cast<BranchInst>(way.getTerminator());
  BasicBlock* behind = inside.getSingleSuccessor();
  const bool is_yes = guard->getSuccessor(0) == &inside;
  for (Instruction& i : make_early_inc_range(drop_end(inside))) {
    i.dropUBImplyingAttrsAndMetadata();
    i.moveBefore(guard);
  }
  IRBuilder<> b(guard);
  for (PHINode& phi : make_early_inc_range(behind->phis())) {
    Value *now = phi.getIncomingValueForBlock(&inside), *before = phi.getIncomingValueForBlock(&way);
    phi.replaceAllUsesWith(b.CreateSelect(guard->getCondition(), is_yes ? now : before, is_yes ? before : now));
    phi.eraseFromParent();
  }
  b.CreateBr(behind);
  guard->eraseFromParent();
  DeleteDeadBlock(&inside);
  MergeBlockIntoPredecessor(behind);
}

// Where both ways divide, guarded or not.
bool pass_guards(const Fork& fork) {
  bool changed = false;
  for (;;) {
    BasicBlock *yes = guarded_quotient(*fork.yes), *no = guarded_quotient(*fork.no);
    if (yes && (no || divides(*fork.no)))
      pass_guard(*fork.yes, *yes);
    else if (no && divides(*fork.yes))
      pass_guard(*fork.no, *no);
    else
      return changed;
    changed = true;
  }
}

/// What pairs of one way are of, in its order: `late` comes of pairs itself.
struct Needed {
  SmallVector<Instruction*, 32> early, late;
};

Needed find_needed(const EqualWork& work, const FirstWork& way, BasicBlock& block, bool first) {
  SmallVector<Instruction*, 32> todo;
  SmallPtrSet<const Value*, 32> joined, found, of_pairs;
  for (const auto& [a, b] : work.pairs) todo.push_back(first ? a : b);
  joined.insert(todo.begin(), todo.end());
  while (!todo.empty())
    for (Value* operand : todo.pop_back_val()->operand_values())
      if (way.contains(operand) && !joined.contains(operand) && found.insert(operand).second)
        todo.push_back(cast<Instruction>(operand));
  Needed needed;
  for (Instruction& i : block) {
    if (!found.contains(&i)) continue;
    auto comes_of_pairs = [&](const Value* v) { return joined.contains(v) || of_pairs.contains(v); };
    const bool is_late = any_of(i.operand_values(), comes_of_pairs);
    if (is_late) of_pairs.insert(&i);
    (is_late ? needed.late : needed.early).push_back(&i);
  }
  return needed;
}

bool are_speculatable(ArrayRef<Instruction*> all) {
  return all_of(all, [](const Instruction* i) { return !isa<LoadInst>(i) && isSafeToSpeculativelyExecute(i); });
}

/// Takes what both ways compute in front of them: to the fork, or where what they load first meets.
class Joiner {
 public:
  Joiner(const Fork& fork, EqualWork& work, const FirstWork& yes, const FirstWork& no)
      : fork_(fork),
        work_(work),
        yes_(find_needed(work, yes, *fork.yes, /*first=*/true)),
        no_(find_needed(work, no, *fork.no, /*first=*/false)),
        condition_(fork.branch->getCondition()) {}

  bool run() {
    if (!are_speculatable(yes_.late) || !are_speculatable(no_.late)) return false;
    is_flat_ = are_speculatable(yes_.early) && are_speculatable(no_.early);
    is_flat_ ? stay() : meet();
    auto late_yes = yes_.late.begin(), late_no = no_.late.begin();
    for (auto& [a, b] : work_.pairs) {
      late_yes = move_those_before(*a, late_yes, yes_.late.end());
      late_no = move_those_before(*b, late_no, no_.late.end());
      join(*a, *b);
    }
    if (!is_flat_) hand_on(yes_.early, *from_yes_), hand_on(no_.early, *from_no_);
    return true;
  }

 private:
  void stay() {
    at_ = fork_.branch;
    for (Instruction* i : concat<Instruction*>(yes_.early, no_.early)) move(*i, at_);
  }

  void meet() {
    BasicBlock& block = *fork_.branch->getParent();
    auto make = [&](const char* name) {
      return BasicBlock::Create(block.getContext(), name, block.getParent(), fork_.yes);
    };
    from_yes_ = make("first"), from_no_ = make("second");
    BasicBlock* meeting = make("both");
    for (BasicBlock* way : {fork_.yes, fork_.no}) way->replacePhiUsesWith(&block, meeting);
    at_ = BranchInst::Create(fork_.yes, fork_.no, condition_, meeting);
    at_->setDebugLoc(fork_.branch->getDebugLoc());
    fork_.branch->setSuccessor(0, from_yes_);
    fork_.branch->setSuccessor(1, from_no_);
    for (auto& [needed, from] : {std::pair(&yes_, from_yes_), std::pair(&no_, from_no_)}) {
      auto* onwards = BranchInst::Create(meeting, from);
      onwards->setDebugLoc(fork_.branch->getDebugLoc());
      for (Instruction* i : needed->early) i->moveBefore(onwards);
    }
  }

  static void move(Instruction& i, Instruction* at) {
    i.dropUBImplyingAttrsAndMetadata();
    i.moveBefore(at);
  }

  Instruction** move_those_before(const Instruction& next, Instruction** from, Instruction** end) {
    for (; from != end && (*from)->comesBefore(&next); ++from) move(**from, at_);
    return from;
  }

  void join(Instruction& a, Instruction& b) {
    Instruction* both = a.clone();
    both->andIRFlags(&b);
    both->dropUBImplyingAttrsAndMetadata();
    for (unsigned k = 0; k < a.getNumOperands(); ++k) both->setOperand(k, chosen(a.getOperand(k), b.getOperand(k)));
    both->insertBefore(at_);
    for (Instruction* i : {&a, &b}) {
      i->replaceAllUsesWith(both);
      i->eraseFromParent();
    }
  }

  // Where the ways meet a phi, if both numbers are there on the ways.
  Value* chosen(Value* a, Value* b) {
    if (a == b) return a;
    Value*& value = chosen_[{a, b}];
    if (value) return value;
    if (is_flat_ || is_at_meeting(a) || is_at_meeting(b))
      return value = IRBuilder<>(at_).CreateSelect(condition_, a, b);
    return value = phi_of(a, b);
  }

  bool is_at_meeting(const Value* v) const {
    auto* i = dyn_cast<Instruction>(v);
    return i && i->getParent() == at_->getParent();
  }

  PHINode* phi_of(Value* a, Value* b) {
    BasicBlock* meeting = at_->getParent();
    PHINode* phi = PHINode::Create(a->getType(), 2, "", meeting->begin());
    phi->addIncoming(a, from_yes_);
    phi->addIncoming(b, from_no_);
    return phi;
  }

  // What is computed on one way is nothing on the other one, behind both.
  void hand_on(ArrayRef<Instruction*> early, const BasicBlock& from) {
    for (Instruction* i : early) {
      auto is_beyond = [&](const Use& use) {
        auto* user = cast<Instruction>(use.getUser());
        auto* phi = dyn_cast<PHINode>(user);
        return (phi ? phi->getIncomingBlock(use) : user->getParent()) != &from;
      };
      if (none_of(i->uses(), is_beyond)) continue;
      Value* nothing = PoisonValue::get(i->getType());
      PHINode* phi = &from == from_yes_ ? phi_of(i, nothing) : phi_of(nothing, i);
      i->replaceUsesWithIf(phi, [&](const Use& use) { return is_beyond(use) && use.getUser() != phi; });
    }
  }

  const Fork fork_;
  EqualWork& work_;
  Needed yes_, no_;
  Value* condition_;
  Instruction* at_ = nullptr;
  bool is_flat_ = false;
  BasicBlock *from_yes_ = nullptr, *from_no_ = nullptr;
  DenseMap<std::pair<Value*, Value*>, Value*> chosen_;
};

/// Of all forks, which ones lanes may leave on different ways: asked before anything changes.
class Forks {
 public:
  Forks(Function& kernel, const GroupShape& group) {
    for (BasicBlock* block : post_order(&kernel))
      if (auto fork = fork_at(*block); fork && computes(*fork->yes) && computes(*fork->no)) blocks_.push_back(block);
    if (blocks_.empty()) return;
    const Shapes shapes(kernel, group);
    const DominatorTree dominators(kernel);
    const LoopInfo loops(dominators);
    erase_if(blocks_, [&](const WeakVH& handle) {
      auto* block = cast<BasicBlock>(handle);
      const Fork fork = *fork_at(*block);
      const bool is_in_one_loop = all_of(std::array{fork.yes, fork.no}, [&](const BasicBlock* way) {
        return loops.getLoopFor(way) == loops.getLoopFor(block);
      });
      return !is_in_one_loop || shapes.is_uniform(fork.branch->getCondition());
    });
  }

  ArrayRef<WeakVH> blocks() const { return blocks_; }

 private:
  // Itself, or behind a guard.
  static bool computes(BasicBlock& way) {
    unsigned work = 0;
    for (const Instruction& i : way)
      if (i.getType()->isFloatingPointTy()) work += time_of(i).work;
    return work >= kLeastSaved || guarded_quotient(way);
  }

  SmallVector<WeakVH, 8> blocks_;  ///< the innermost ones first
};

bool join_at(BasicBlock& block) {
  const auto fork = fork_at(block);
  if (!fork) return false;
  for (BasicBlock* way : {fork->yes, fork->no}) FoldSingleEntryPHINodes(way);
  const bool passed = pass_guards(*fork);
  const FirstWork yes(*fork->yes), no(*fork->no);
  EqualWork work = find_equal_work(yes, no);
  if (work.saved < kLeastSaved) return passed;
  return Joiner(*fork, work, yes, no).run() || passed;
}

}  // namespace

bool join_ways(Function& kernel, const GroupShape& group) {
  if (group.lanes == 1) return false;
  bool changed = false;
  const Forks forks(kernel, group);
  for (const WeakVH& block : forks.blocks())
    if (block) changed |= join_at(*cast<BasicBlock>(block));
  return changed;
}

}  // namespace lanza::compiler
