// Addresses that go with the lanes as far as is known, and may be one for all of them in the end.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Value.h>

#include "compiler/passes/vector/analysis/shapes.hpp"

namespace lanza::compiler {

/// What lanes bring to a join on different ways may turn out to be the same: the base of shared memory, asked for on
/// each of them. True where nothing else tells the lanes' addresses apart. `brought_to` says of a value that stands for
/// such a join what is brought there, and false of others.
bool may_turn_uniform(
    const llvm::Value& address, const Shapes& shapes,
    llvm::function_ref<bool(const llvm::Value&, llvm::SmallVectorImpl<const llvm::Value*>&)> brought_to);

}  // namespace lanza::compiler
