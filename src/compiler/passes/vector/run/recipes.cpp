#include "compiler/passes/vector/run/recipes.hpp"

#include <llvm/IR/IntrinsicInst.h>

#include "compiler/passes/vector/analysis/group_ways.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kLongestRecipe = 16;  // instructions: more than that cost more than a slot

static bool is_cheap(const Instruction& i) {
  if (isa<CastInst, GetElementPtrInst, CmpInst, SelectInst, InsertElementInst, ShuffleVectorInst, MinMaxIntrinsic>(i))
    return true;
  return isa<BinaryOperator>(i) && !i.isIntDivRem() && i.getOpcode() != Instruction::FDiv &&
         i.getOpcode() != Instruction::FRem;
}

std::optional<RecipeSteps> recipe_of(Instruction& value, const SetVector<BasicBlock*>& blocks,
                                     function_ref<bool(const Instruction&)> is_shared) {
  RecipeSteps found;
  auto add = [&](Instruction& i, const auto& self) -> bool {
    if (!blocks.contains(i.getParent()) || found.steps.contains(&i) || found.shared.contains(&i)) return true;
    if (is_shared(i)) return found.shared.insert(&i);
    const bool is_place = group_axis(i).has_value();
    if (!is_cheap(i) && !is_place) return false;
    if (!is_place)
      for (Value* operand : i.operands())
        if (auto* before = dyn_cast<Instruction>(operand); before && !self(*before, self)) return false;
    found.steps.insert(&i);
    return found.steps.size() <= kLongestRecipe;
  };
  return add(value, add) ? std::optional(std::move(found)) : std::nullopt;
}

BasicBlock* write_recipe(const RecipeSteps& steps, LLVMContext& context,
                         function_ref<AllocaInst*(const Instruction&)> variable_of) {
  auto* recipe = BasicBlock::Create(context);
  ValueToValueMapTy map;
  for (Instruction* of : steps.shared) {
    AllocaInst* variable = variable_of(*of);
    map[of] = new LoadInst(of->getType(), variable, "", false, variable->getAlign(), recipe);
  }
  for (Instruction* step : steps.steps) {
    Instruction* copy = step->clone();
    copy->insertInto(recipe, recipe->end());
    RemapInstruction(copy, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    map[step] = copy;
  }
  return recipe;
}

Value* cook(const BasicBlock& recipe, Builder& before, Builder& b, const GroupPlace& place,
            const ValueToValueMapTy& map) {
  Value* result = nullptr;
  ValueToValueMapTy local;
  for (const Instruction& step : recipe) {
    if (const auto axis = group_axis(step)) {
      result = place.lane0[*axis];
    } else if (isa<LoadInst>(step)) {
      result = before.Insert(step.clone());
    } else {
      Instruction* copy = step.clone();
      for (Value* operand : copy->operands())
        if (isa<AllocaInst>(operand) && map.count(operand)) local[operand] = map.lookup(operand);
      RemapInstruction(copy, local, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      result = b.Insert(copy);
    }
    local[&step] = result;
  }
  return result;
}

}  // namespace lanza::compiler
