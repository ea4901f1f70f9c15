#include "compiler/passes/vector/run/settle_choices.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

#include "compiler/passes/vector/run/run_form.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

BasicBlock* target_of(SwitchInst& choice, const ConstantInt* value) {
  return choice.findCaseValue(value)->getCaseSuccessor();
}

// Values of the block's phis that others use are joined anew where both ways meet again.
void join_phis(BasicBlock& block, BasicBlock& from) {
  for (PHINode& phi : block.phis()) {
    SSAUpdater joined;
    joined.Initialize(phi.getType(), phi.getName());
    joined.AddAvailableValue(&block, &phi);
    joined.AddAvailableValue(&from, phi.getIncomingValueForBlock(&from));
    for (Use& use : make_early_inc_range(phi.uses()))
      if (cast<Instruction>(use.getUser())->getParent() != &block) joined.RewriteUse(use);
  }
}

// `from`, a predecessor that ends in a branch to the block alone, goes where its constant leads.
void go_straight(BasicBlock& from, BasicBlock& block, BasicBlock& target) {
  for (PHINode& phi : target.phis()) {
    Value* value = phi.getIncomingValueForBlock(&block);
    phi.addIncoming(value->DoPHITranslation(&block, &from), &from);
  }
  from.getTerminator()->setSuccessor(0, &target);
  join_phis(block, from);
  block.removePredecessor(&from, /*KeepOneInputPHIs=*/true);
}

// `target_of` a constant, in a block that does nothing but choose between its ways by `known`, in `first` to its end.
bool go_straight(BasicBlock& block, Value* value, const Instruction& first,
                 function_ref<BasicBlock*(ConstantInt*)> target_of) {
  auto* known = dyn_cast<PHINode>(value);
  if (!known || known->getParent() != &block || block.getFirstNonPHIOrDbg() != &first) return false;
  bool changed = false;
  for (BasicBlock* before : SmallVector<BasicBlock*, 4>(predecessors(&block))) {
    auto* value = dyn_cast<ConstantInt>(known->getIncomingValueForBlock(before));
    if (!value || known->getNumIncomingValues() == 1 || before->getUniqueSuccessor() != before->getSingleSuccessor())
      continue;
    BasicBlock* own = before->getSingleSuccessor() ? before : SplitEdge(before, &block);
    go_straight(*own, block, *target_of(value));
    changed = true;
  }
  return changed;
}

bool go_straight(SwitchInst& choice) {
  return go_straight(*choice.getParent(), choice.getCondition(), choice,
                     [&](ConstantInt* value) { return target_of(choice, value); });
}

// What a switch of two ways became: it is not told apart from the user's choices, unless nothing is left to choose.
PHINode* settled_choice(const BasicBlock& block) {
  auto* branch = dyn_cast<BranchInst>(block.getTerminator());
  auto* comparison = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  if (!comparison || !comparison->isEquality() || !isa<ConstantInt>(comparison->getOperand(1))) return nullptr;
  if (!comparison->hasOneUse() || comparison->getNextNode() != branch) return nullptr;
  auto* known = dyn_cast<PHINode>(comparison->getOperand(0));
  if (!known || !all_of(known->incoming_values(), [](const Use& use) { return isa<ConstantInt>(use); })) return nullptr;
  return known;
}

bool settle_branch(PHINode& known) {
  BasicBlock& block = *known.getParent();
  auto* branch = cast<BranchInst>(block.getTerminator());
  auto* comparison = cast<ICmpInst>(branch->getCondition());
  const bool first_if_equal = comparison->getPredicate() == CmpInst::ICMP_EQ;
  return go_straight(block, &known, *comparison, [&](ConstantInt* value) {
    return branch->getSuccessor((value == comparison->getOperand(1)) == first_if_equal ? 0 : 1);
  });
}

// Loops keep the one place where they are entered.
bool settle_branches(Function& run) {
  SmallVector<PHINode*, 8> choices;
  for (BasicBlock& block : run)
    if (PHINode* known = settled_choice(block); known && known->getParent() == &block) choices.push_back(known);
  if (choices.empty()) return false;
  const DominatorTree dominators(run);
  const LoopInfo loops(dominators);
  erase_if(choices, [&](PHINode* known) { return loops.isLoopHeader(known->getParent()); });
  bool changed = false;
  for (PHINode* known : choices) changed |= settle_branch(*known);
  return changed;
}

// Empty: not all of them are constants.
SmallSetVector<ConstantInt*, 8> constants_of(Value* value) {
  SetVector<Value*> reached;
  SmallSetVector<ConstantInt*, 8> constants;
  reached.insert(value);
  for (size_t k = 0; k < reached.size(); ++k) {
    if (auto* constant = dyn_cast<ConstantInt>(reached[k]))
      constants.insert(constant);
    else if (auto* phi = dyn_cast<PHINode>(reached[k]))
      reached.insert(phi->op_begin(), phi->op_end());
    else if (auto* select = dyn_cast<SelectInst>(reached[k]))
      reached.insert(select->op_begin() + 1, select->op_end());
    else
      return {};
  }
  return constants;
}

bool drop_ways(SwitchInst& choice) {
  const auto constants = constants_of(choice.getCondition());
  if (constants.empty()) return false;
  BasicBlock& block = *choice.getParent();
  SmallSetVector<BasicBlock*, 4> targets;
  for (ConstantInt* value : constants) targets.insert(target_of(choice, value));
  SwitchInstProfUpdateWrapper ways(choice);  // how often each is taken goes with it
  bool changed = false;
  for (auto way = choice.case_begin(); way != choice.case_end();) {
    if (constants.contains(way->getCaseValue())) {
      ++way;
      continue;
    }
    way->getCaseSuccessor()->removePredecessor(&block);
    way = ways.removeCase(way);
    changed = true;
  }
  if (targets.contains(choice.getDefaultDest())) return changed;
  // One of them is the default.
  auto last = choice.case_begin();
  BasicBlock* rest = last->getCaseSuccessor();
  choice.getDefaultDest()->removePredecessor(&block);
  choice.setDefaultDest(rest);
  ways.setSuccessorWeight(0, ways.getSuccessorWeight(last->getSuccessorIndex()));
  ways.removeCase(last);
  return true;
}

}  // namespace

bool settle_choices(Function& run) {
  SmallVector<SwitchInst*, 8> choices;
  for (BasicBlock& block : run)
    if (auto* choice = dyn_cast<SwitchInst>(block.getTerminator()); choice && choice->hasMetadata(kChoosesRegion))
      choices.push_back(choice);
  bool changed = false;
  for (SwitchInst* choice : choices) changed |= go_straight(*choice);
  for (SwitchInst* choice : choices) changed |= drop_ways(*choice);
  return settle_branches(run) || changed;
}

}  // namespace lanza::compiler
