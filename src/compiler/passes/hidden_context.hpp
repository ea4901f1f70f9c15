// Functions that were not inlined: recursive ones, and those with many callers.
#pragma once

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/abi_types.hpp"

namespace lanza::compiler {

/// Defined functions other than the kernel.
llvm::SmallVector<llvm::Function*, 8> out_of_line_functions(llvm::Module& module, const llvm::Function& kernel);

using FunctionMap = llvm::MapVector<llvm::Function*, llvm::Function*>;

/// In: host IR; `functions` do not synchronise. Out: for each a new one that takes the LanzaRecord* of its thread as a
/// hidden first parameter and reads its context from it. The old ones are empty and wait for erase_originals(). Returns
/// old to new.
FunctionMap add_hidden_context(llvm::ArrayRef<llvm::Function*> functions, const AbiTypes& types);

/// Passes `record` in the calls that `caller` makes to such functions.
void rewrite_calls(llvm::Function& caller, llvm::Value* record, const FunctionMap& map);

/// After all callers are rewritten.
void erase_originals(const FunctionMap& map);

}  // namespace lanza::compiler
