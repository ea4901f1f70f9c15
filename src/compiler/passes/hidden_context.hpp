// Functions that could not be inlined: recursive ones, and those called through pointers.
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

/// Passes `record` in the calls that `caller` makes to such functions, directly or through pointers. Before
/// lower_context(): the calls that it makes to the launch's services go through pointers too.
void rewrite_calls(llvm::Function& caller, llvm::Value* record, const FunctionMap& map);

/// After all callers are rewritten: what else named an old function (tables of pointers) names the new one.
void erase_originals(const FunctionMap& map);

/// True for a call through a pointer (inline assembly is none).
bool is_indirect_call(const llvm::Instruction& i);

}  // namespace lanza::compiler
