// Values that a loop hands on from one to the next: their slots change places, and nothing is copied.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// `below = here; here = above; above = a[...];` around barriers: over the edge each value becomes what the next one
/// was, and the last one gets a new value.
struct SlotRing {
  llvm::BasicBlock *from, *to;                      ///< the edge
  llvm::SmallVector<llvm::Instruction*, 4> values;  ///< two or more; all but the last are phis of `to`
  llvm::SmallVector<llvm::BasicBlock*, 2> behind;   ///< blocks with barriers that control comes to next
};

/// The rings among values that `has_slot`; a value is in one at most, and the last one is made again after each edge.
/// `begins`: of the regions; `ends`: blocks with a barrier. From the beginning of a region with a ring's edge control
/// comes over it once at the most, and always if it then comes to a barrier of `behind`; on the way to the edge the
/// values stay what they were.
llvm::SmallVector<SlotRing, 2> find_slot_rings(llvm::ArrayRef<llvm::BasicBlock*> begins,
                                               llvm::function_ref<bool(llvm::BasicBlock*)> ends,
                                               llvm::function_ref<bool(const llvm::Value*)> has_slot);

}  // namespace lanza::compiler
