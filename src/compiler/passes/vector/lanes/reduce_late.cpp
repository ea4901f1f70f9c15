#include "compiler/passes/vector/lanes/reduce_late.hpp"

#include <optional>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

bool reduces_integers(Intrinsic::ID id) {
  switch (id) {
    case Intrinsic::vector_reduce_add:
    case Intrinsic::vector_reduce_and:
    case Intrinsic::vector_reduce_or:
    case Intrinsic::vector_reduce_xor:
    case Intrinsic::vector_reduce_smax:
    case Intrinsic::vector_reduce_smin:
    case Intrinsic::vector_reduce_umax:
    case Intrinsic::vector_reduce_umin:
      return true;
    default:
      return false;
  }
}

bool is_min_max(Intrinsic::ID id) {
  return id == Intrinsic::vector_reduce_smax || id == Intrinsic::vector_reduce_smin ||
         id == Intrinsic::vector_reduce_umax || id == Intrinsic::vector_reduce_umin;
}

Value* combine(IRBuilder<>& b, Intrinsic::ID id, Value* x, Value* y) {
  if (is_min_max(id)) return b.CreateBinaryIntrinsic(getMinMaxReductionIntrinsicOp(id), x, y);
  return b.CreateBinOp(static_cast<Instruction::BinaryOps>(getArithmeticReductionInstruction(id)), x, y);
}

Constant* neutral(Intrinsic::ID id, Type* vector) {
  Type* type = vector->getScalarType();
  Constant* one = is_min_max(id) ? ConstantExpr::getIntrinsicIdentity(getMinMaxReductionIntrinsicOp(id), type)
                                 : ConstantExpr::getBinOpIdentity(getArithmeticReductionInstruction(id), type);
  return ConstantVector::getSplat(cast<VectorType>(vector)->getElementCount(), one);
}

/// `join` = combine(before, reduce(lanes)).
struct Step {
  Instruction* join;
  Value* before;
  IntrinsicInst* reduction;

  Intrinsic::ID id() const { return reduction->getIntrinsicID(); }
  Value* lanes() const { return reduction->getArgOperand(0); }
  bool is_like(const Step& other) const { return id() == other.id() && lanes()->getType() == other.lanes()->getType(); }
};

std::optional<Step> as_step(Value* value) {
  auto* join = dyn_cast<Instruction>(value);
  if (!join || !isa<BinaryOperator, MinMaxIntrinsic>(join)) return {};
  for (unsigned k = 0; k < 2; ++k) {
    auto* reduction = dyn_cast<IntrinsicInst>(join->getOperand(k));
    if (!reduction || !reduction->hasOneUse() || !reduces_integers(reduction->getIntrinsicID())) continue;
    const Intrinsic::ID id = reduction->getIntrinsicID();
    auto* order = dyn_cast<MinMaxIntrinsic>(join);
    if (order ? !is_min_max(id) || order->getIntrinsicID() != getMinMaxReductionIntrinsicOp(id)
              : is_min_max(id) || join->getOpcode() != getArithmeticReductionInstruction(id))
      continue;
    return Step{join, join->getOperand(1 - k), reduction};
  }
  return {};
}

void erase(const Step& step) {
  step.join->eraseFromParent();
  step.reduction->eraseFromParent();
}

/// A step right behind another one takes its lanes.
bool join_steps(Function& function) {
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(function))) {
    const auto step = as_step(&i);
    const auto earlier = step ? as_step(step->before) : std::nullopt;
    if (!earlier || !earlier->is_like(*step) || !earlier->join->hasOneUse() ||
        earlier->join->getParent() != step->join->getParent())
      continue;
    IRBuilder<> b(step->join);  // the later reduction may stand in front of the earlier one
    Value* lanes = combine(b, step->id(), earlier->lanes(), step->lanes());
    step->reduction->moveBefore(step->join);
    step->reduction->setArgOperand(0, lanes);
    step->join->replaceUsesOfWith(earlier->join, earlier->before);
    step->join->dropPoisonGeneratingFlags();
    erase(*earlier);
    changed = true;
  }
  return changed;
}

/// A variable of a loop that each turn adds a step to, and nothing else in the loop looks at.
std::optional<Step> step_of(PHINode& variable, const Loop& loop) {
  const auto step = as_step(variable.getIncomingValueForBlock(loop.getLoopLatch()));
  if (!step || step->before != &variable || !loop.contains(step->join)) return {};
  const auto stays = [&](Value* value, Instruction* with) {
    return all_of(value->users(), [&](User* user) { return user == with || !loop.contains(cast<Instruction>(user)); });
  };
  return stays(&variable, step->join) && stays(step->join, &variable) ? step : std::nullopt;
}

/// What looks at `value` behind the loop gets the lanes reduced there, and what the variable was before.
void reduce_at_exit(Instruction& value, Value* lanes, Value* before, const Step& step, const Loop& loop) {
  BasicBlock* exit = loop.getExitBlock();
  if (none_of(value.users(), [&](User* user) { return !loop.contains(cast<Instruction>(user)); })) return;
  PHINode* last = PHINode::Create(lanes->getType(), 1, "", exit->begin());  // in LCSSA form
  last->addIncoming(lanes, loop.getExitingBlock());
  IRBuilder<> b(exit, exit->getFirstInsertionPt());
  auto* reduction = cast<IntrinsicInst>(step.reduction->clone());
  reduction->setArgOperand(0, last);
  b.Insert(reduction);
  Value* all = combine(b, step.id(), before, reduction);
  for (PHINode& phi : make_early_inc_range(exit->phis())) {
    if (phi.getIncomingValue(0) != &value) continue;
    phi.replaceAllUsesWith(all);
    phi.eraseFromParent();
  }
  value.replaceUsesWithIf(all, [&](Use& use) { return !loop.contains(cast<Instruction>(use.getUser())); });
}

/// The loop goes over vectors; behind it their lanes are reduced.
void reduce_behind(PHINode& variable, const Step& step, const Loop& loop) {
  BasicBlock *preheader = loop.getLoopPreheader(), *latch = loop.getLoopLatch();
  Value* before = variable.getIncomingValueForBlock(preheader);
  Type* type = step.lanes()->getType();
  IRBuilder<> b(&variable);
  PHINode* lanes = b.CreatePHI(type, 2);
  lanes->addIncoming(neutral(step.id(), type), preheader);
  b.SetInsertPoint(step.join);
  Value* next = combine(b, step.id(), lanes, step.lanes());
  lanes->addIncoming(next, latch);
  reduce_at_exit(*step.join, next, before, step, loop);
  reduce_at_exit(variable, lanes, before, step, loop);
  variable.replaceAllUsesWith(PoisonValue::get(variable.getType()));
  variable.eraseFromParent();
  erase(step);
}

bool reduce_behind_loop(Loop& loop) {
  if (!loop.getLoopPreheader() || !loop.getLoopLatch() || !loop.getExitingBlock() || !loop.getExitBlock() ||
      !loop.getExitBlock()->getSinglePredecessor())
    return false;
  bool changed = false;
  for (PHINode& variable : make_early_inc_range(loop.getHeader()->phis())) {
    const auto step = variable.getType()->isIntegerTy() ? step_of(variable, loop) : std::nullopt;
    if (!step) continue;
    reduce_behind(variable, *step, loop);
    changed = true;
  }
  return changed;
}

}  // namespace

bool reduce_late(LoopInfo& loops, Function& function) {
  bool changed = join_steps(function);
  const auto outermost_first = loops.getLoopsInPreorder();
  for (Loop* loop : reverse(outermost_first))
    if (reduce_behind_loop(*loop)) {
      changed = true;
      join_steps(function);
    }
  return changed;
}

}  // namespace lanza::compiler
