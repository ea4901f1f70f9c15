#include "compiler/passes/vector/run/full_groups.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/vector/group_form.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

void settle_begun_groups(Function& kernel, const GroupShape& group) {
  Function* index = kernel.getParent()->getFunction(kGroup);
  if (!index || group.whole_rows || group.blocks > 1) return;
  bool changed = false;
  for (User* call : index->users()) {
    auto* axis = dyn_cast<ConstantInt>(cast<CallInst>(call)->getArgOperand(0));
    if (!axis || cast<CallInst>(call)->getFunction() != &kernel) continue;
    const unsigned along = axis->getZExtValue(), last = (group.groups(along) - 1) * group.extent[along];
    for (User* user : make_early_inc_range(call->users())) {
      const APInt* limit = nullptr;
      if (!match(user, m_SpecificICmp(ICmpInst::ICMP_ULT, m_Specific(call), m_APInt(limit))) || limit->ule(last))
        continue;
      user->replaceAllUsesWith(ConstantInt::getTrue(user->getType()));
      cast<Instruction>(user)->eraseFromParent();
      changed = true;
    }
  }
  if (!changed) return;
  for (BasicBlock& block : kernel) ConstantFoldTerminator(&block);
  EliminateUnreachableBlocks(kernel);
}

// 0, 1, 2 ...
static bool are_lane_numbers(const Constant& steps, unsigned lanes) {
  if (cast<FixedVectorType>(steps.getType())->getNumElements() != lanes) return false;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    auto* step = dyn_cast_or_null<ConstantInt>(steps.getAggregateElement(lane));
    if (!step || step->getZExtValue() != lane) return false;
  }
  return true;
}

// How many indices, from that of lane 0 on, are compared with a limit below which they must be; 0: it is something
// else.
static unsigned indices_below(const Instruction& i, const Value& lane0, unsigned lanes, const APInt*& limit) {
  ICmpInst::Predicate asks;
  Value *index, *first;
  Constant* steps;
  if (!match(&i, m_ICmp(asks, m_Value(index), m_APInt(limit))) || asks != ICmpInst::ICMP_ULT) return 0;
  if (index == &lane0) return 1;
  if (!match(index, m_Add(m_Value(first), m_Constant(steps))) || !isa<FixedVectorType>(steps->getType())) return 0;
  return getSplatValue(first) == &lane0 && are_lane_numbers(*steps, lanes) ? lanes : 0;
}

// Code for the last group is as much again; and what all gather lane by lane takes as long without a mask.
static bool is_long(Function& run) {
  constexpr unsigned kLongest = 1500, kGather = 64;
  unsigned size = 0;
  for (const Instruction& i : instructions(run)) {
    auto* call = dyn_cast<IntrinsicInst>(&i);
    const Intrinsic::ID id = call ? call->getIntrinsicID() : Intrinsic::not_intrinsic;
    size += id == Intrinsic::masked_gather || id == Intrinsic::masked_scatter ? kGather : 1;
  }
  return size > kLongest;
}

bool parts_last_group(Function& run, const GroupShape& group, unsigned regions) {
  const bool is_one_row = group.block[1] == 1 && group.block[2] == 1 && !group.whole_rows && group.blocks == 1;
  if (!is_one_row || !group.overhangs(0) || group.extent[0] != group.lanes || group.groups(0) == 1) return false;
  return (regions > 1 || group.is_warp()) && !is_long(run);
}

void settle_full_groups(BasicBlock& block, const Value& lane0, unsigned last, unsigned lanes) {
  for (Instruction& i : make_early_inc_range(block)) {
    const APInt* limit = nullptr;
    const unsigned count = indices_below(i, lane0, lanes, limit);
    if (count == 0 || limit->ult(uint64_t{last} + count)) continue;
    i.replaceAllUsesWith(ConstantInt::getTrue(i.getType()));
    i.eraseFromParent();
  }
}

}  // namespace lanza::compiler
