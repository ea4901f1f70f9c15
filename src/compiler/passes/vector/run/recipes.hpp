// Values that a group computes again behind a barrier.
#pragma once

#include <array>
#include <optional>

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "compiler/passes/thread_context.hpp"

namespace lanza::compiler {

/// The group that a copy of a region runs for.
struct GroupPlace {
  std::array<llvm::Value*, 3> lane0;  ///< threadIdx of its first lane: what lanza.group answers
  llvm::Value* index;                 ///< from 0: where its slots are
};

/// What a value is made of: `steps`, the last of which is the value, and what they take of the block's.
struct RecipeSteps {
  llvm::SmallSetVector<llvm::Instruction*, 16> steps, shared;
};

/// How `value` follows cheaply from the group's place, and from what `is_shared`: in few steps, all within `blocks`.
std::optional<RecipeSteps> recipe_of(llvm::Instruction& value, const llvm::SetVector<llvm::BasicBlock*>& blocks,
                                     llvm::function_ref<bool(const llvm::Instruction&)> is_shared);

/// A copy of the steps, in a block of no function; what is shared it loads from variables.
llvm::BasicBlock* write_recipe(const RecipeSteps& steps, llvm::LLVMContext& context,
                               llvm::function_ref<llvm::AllocaInst*(const llvm::Instruction&)> variable_of);

/// The value, where `b` stands; what is shared is loaded in front of the loops over groups. Private memory is what
/// `map` says.
llvm::Value* cook(const llvm::BasicBlock& recipe, Builder& before, Builder& b, const GroupPlace& place,
                  const llvm::ValueToValueMapTy& map);

}  // namespace lanza::compiler
