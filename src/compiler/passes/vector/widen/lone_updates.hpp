// Atomic operations of which each thread makes one at most between two barriers: groups may still walk together.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// How the threads of a kernel update memory that others update, too: by atomic operations, of which some become plain
/// accesses, as one thread of the system runs a block (widen_atomic.cpp, settle_swaps.hpp).
enum class Updates {
  None,
  Lone,         ///< nobody asks what they found, and no other one follows before a barrier
  LoneInOrder,  ///< so, and it shows in which order threads make them: sums of floats, exchanges
  Many
};

/// In: SPMD form, as widen() takes it.
Updates updates_of(llvm::Function& kernel);

/// Noted on a group's function, for those that come later.
void note_updates(llvm::Function& group, Updates updates);
Updates noted_updates(const llvm::Function& group);

/// What became of one of them: from the start of the first block to that of the second one.
using UpdateCode = std::pair<llvm::BasicBlock*, llvm::BasicBlock*>;

/// In: a group's function, as widen() makes it, of a kernel with lone updates. Out: each is a call of a function of its
/// own, so that whoever moves code sees one thing that is done for one group after the other, not loads and stores that
/// other groups might share. Where one of them cannot be, they are noted to be many.
void outline_updates(llvm::Function& group, llvm::ArrayRef<UpdateCode> updates);

/// Whether it is such a call.
bool is_update(const llvm::Instruction& i);

/// Out: those functions are part of it, and gone.
void inline_updates(llvm::Function& group);

}  // namespace lanza::compiler
