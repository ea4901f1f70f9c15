// Memory that a later turn of a loop reads is asked for early.
#pragma once

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// In: the blocks of a loop whose turns lie far apart in memory. Out: in front of each first access to an element of an
/// array with the number `index`, llvm.prefetch of the element that stands a `turn` (an integer of the index's type)
/// behind it; not of elements of more than `most` bytes. The processor's own prefetcher follows neighbouring lines
/// only, and stops at the end of a page. Where a turn's `elements` are less than 1 KiB it is shorter than the way from
/// memory: as many turns further as those take.
void prefetch_turns(llvm::ArrayRef<llvm::BasicBlock*> loop, const llvm::Value* index, llvm::Value* turn,
                    uint64_t elements, uint64_t most);

}  // namespace lanza::compiler
