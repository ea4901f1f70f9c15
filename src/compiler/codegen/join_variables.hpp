// Several variables of a function become one, whose address is one value.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// Variables of a constant size that are there throughout the function: no lifetime of theirs is marked.
bool can_join(const llvm::AllocaInst& variable);

/// In: some for which can_join() holds, of one function. Out: they are places of one variable, each aligned as before.
void join_variables(llvm::ArrayRef<llvm::AllocaInst*> variables);

}  // namespace lanza::compiler
