// What version_blocks() put into one kernel, for blocks inside and for others, taken apart.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// A part's `run` goes as far as it has blocks of its own.
enum class BlockPart { All, Inside, Edges };

/// What a part's `run` returns when it has come to a block of the other's; LanzaBlock::next says to which.
inline constexpr int kIsOthers = -1;

/// Whether `kernel`, in group form, asks first of all whether the block lies inside, and either answer leads to code of
/// its own. Kernels that count for their worker (own_counters.hpp) stay whole: what they count in is one.
bool has_block_parts(llvm::Function& kernel);

/// In: such a kernel, and which part of it is wanted. Out: in place of the other part's code, behind the barrier that
/// it begins with, a call of lanza.leave (void ()).
void keep_block_part(llvm::Function& kernel, BlockPart part);

bool is_call_of_leave(const llvm::Instruction& i);
/// Whether such a call is all that comes from there.
bool is_left_to_others(const llvm::BasicBlock* begin);

/// Adds to the module a function that runs all blocks: calls `inside`, and `edges` where that comes to a block that
/// does not lie there, by turns. Both are parts of one kernel, with the order of blocks of the whole.
llvm::Function* join_block_parts(llvm::Function& inside, llvm::Function& edges);

}  // namespace lanza::compiler
