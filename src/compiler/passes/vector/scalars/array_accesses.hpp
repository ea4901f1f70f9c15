// Every load and store of an array in shared memory, and moving one of them to another place.
#pragma once

#include <optional>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/vector/scalars/thread_places.hpp"

namespace lanza::compiler {

/// Of a kernel in nvptx64 form: shared variables whose memory is all their own (of dynamic memory there may be one).
llvm::SmallVector<llvm::GlobalVariable*, 4> own_arrays(llvm::Function& kernel);
/// Neither volatile nor atomic.
bool is_plain_access(const llvm::Instruction& load_or_store);
/// None where something else is done with the array's address.
std::optional<llvm::SmallVector<llvm::Instruction*, 16>> plain_accesses(const llvm::GlobalVariable& array,
                                                                        const llvm::Function& kernel);
/// Lets a load or store go to another element, by the thread's number `thread`; what only its address needed goes.
void move_access(llvm::Instruction& access, llvm::GlobalVariable& array, ThreadPlace place, llvm::Value& thread);

}  // namespace lanza::compiler
