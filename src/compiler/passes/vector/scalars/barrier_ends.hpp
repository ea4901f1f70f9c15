// Code that begins or ends at a barrier: nothing that it does with memory is seen by other threads before.
#pragma once

#include <llvm/IR/BasicBlock.h>

namespace lanza::compiler {

/// A barrier of the whole block.
bool is_barrier(llvm::Instruction& i);
/// Reads or writes memory, or does something else that others may see.
bool touches_memory(const llvm::Instruction& i);
/// Whether the first, or the last, thing that the block does with memory is to wait at a barrier.
bool begins_at_barrier(llvm::BasicBlock& block);
bool ends_behind_barrier(llvm::BasicBlock& block);

}  // namespace lanza::compiler
