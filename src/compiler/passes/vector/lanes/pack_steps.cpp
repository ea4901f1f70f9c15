#include "compiler/passes/vector/lanes/pack_steps.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/vector/lanes/lanes_in_use.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

using Lanes = SmallVector<int, 32>;

/// Lanes `first` of `from` with its lanes `second`, one by one.
struct Step {
  Instruction* code;
  Value* from;
  Lanes first, second;
};

// Of `lanes` of a vector that `operand` is, or is a shuffle of, those that lie in `from`; empty if some lie elsewhere.
Lanes lanes_behind(const Value* operand, const Value* from, ArrayRef<int> lanes) {
  if (operand == from) return Lanes(lanes);
  auto* shuffle = dyn_cast<ShuffleVectorInst>(operand);
  if (!shuffle || shuffle->getOperand(0) != from) return {};
  const int there = static_cast<int>(lanes_of(*from));
  Lanes behind;
  for (const int lane : lanes) {
    const int at = shuffle->getMaskValue(lane);
    if (at < 0 || at >= there) return {};
    behind.push_back(at);
  }
  return behind;
}

bool has_two_operands(const Instruction& i) {
  if (isa<BinaryOperator>(i)) return true;
  auto* call = dyn_cast<IntrinsicInst>(&i);
  return call && call->arg_size() == 2 && is_lane_by_lane(i);
}

// `value` has no other use than `user`, directly or in a shuffle for it.
bool is_only_for(const Value& value, const Instruction& user) {
  return all_of(value.users(), [&](const User* u) {
    return u == &user || (isa<ShuffleVectorInst>(u) && u->hasOneUse() && *u->user_begin() == &user);
  });
}

// Nothing: `lanes` of `value` are not made of two lanes each of one other vector.
std::optional<Step> step_to(Value* value, ArrayRef<int> lanes) {
  auto* code = dyn_cast<Instruction>(value);
  if (!code || !has_two_operands(*code)) return std::nullopt;
  Value *first = code->getOperand(0), *second = code->getOperand(1);
  auto* shuffle = dyn_cast<ShuffleVectorInst>(first);
  Value* from = shuffle ? shuffle->getOperand(0) : first;
  if (shuffle && (second == first || !isa<ShuffleVectorInst>(second))) from = second;
  if (!isa<Instruction>(from) || lanes_of(*from) != lanes_of(*code)) return std::nullopt;
  Step step{code, from, lanes_behind(first, from, lanes), lanes_behind(second, from, lanes)};
  if (step.first.empty() || step.second.empty()) return std::nullopt;
  return step;
}

// All that `step` takes, if each lane is another one.
Lanes taken(const Step& step) {
  Lanes all = step.first;
  append_range(all, step.second);
  Lanes sorted = all;
  sort(sorted);
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end() ? all : Lanes();
}

// The steps from the last one back, each of which takes what the one before was packed for.
SmallVector<Step, 6> find_steps(ShuffleVectorInst& end) {
  Value* last = end.getOperand(0);
  Lanes lanes(end.getShuffleMask());
  SmallVector<Step, 6> steps;
  if (!last->hasOneUse() || any_of(lanes, [&](int lane) { return lane < 0 || lane >= int(lanes_of(*last)); }))
    return {};
  for (Value* value = last; !lanes.empty() && lanes.size() < lanes_of(*last); value = steps.back().from) {
    if (!steps.empty() && !is_only_for(*value, *steps.back().code)) break;
    auto step = step_to(value, lanes);
    if (!step) break;
    lanes = taken(*step);
    steps.push_back(std::move(*step));
  }
  return steps;
}

Value* packed(IRBuilder<>& b, Instruction& code, Value* first, Value* second) {
  b.SetCurrentDebugLocation(code.getDebugLoc());
  if (auto* call = dyn_cast<IntrinsicInst>(&code))
    return b.CreateIntrinsic(first->getType(), call->getIntrinsicID(), {first, second},
                             isa<FPMathOperator>(code) ? &code : nullptr);
  auto* made = BinaryOperator::Create(cast<BinaryOperator>(code).getOpcode(), first, second);
  made->copyIRFlags(&code);
  return b.Insert(made);
}

bool pack(ShuffleVectorInst& end) {
  const SmallVector<Step, 6> steps = find_steps(end);
  if (steps.size() < 2) return false;
  Value* value = nullptr;
  for (const Step& step : reverse(steps)) {
    IRBuilder<> b(step.code);
    const unsigned half = step.first.size();
    Value* first = value ? b.CreateShuffleVector(value, createSequentialMask(0, half, 0))
                         : b.CreateShuffleVector(step.from, step.first);
    Value* second = value ? b.CreateShuffleVector(value, createSequentialMask(half, half, 0))
                          : b.CreateShuffleVector(step.from, step.second);
    value = packed(b, *step.code, first, second);
  }
  end.replaceAllUsesWith(value);
  RecursivelyDeleteTriviallyDeadInstructions(&end);
  return true;
}

}  // namespace

bool pack_steps(Function& run) {
  SmallVector<ShuffleVectorInst*, 16> ends;
  for (Instruction& i : instructions(run))
    if (auto* shuffle = dyn_cast<ShuffleVectorInst>(&i);
        shuffle && lanes_of(*shuffle) * 2 <= lanes_of(*shuffle->getOperand(0)))
      ends.push_back(shuffle);
  bool changed = false;
  for (ShuffleVectorInst* end : ends) changed |= pack(*end);
  return changed;
}

}  // namespace lanza::compiler
