// Pieces of guarded code that may have a copy.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// Single entry: `head`, all of whose predecessors are outside. Nothing that is defined inside is used outside but by
/// phis at its exits.
struct GuardedPiece {
  llvm::BranchInst* guard = nullptr;
  llvm::BasicBlock* head = nullptr;
  bool when = true;  // the guard's condition
  llvm::SmallSetVector<llvm::BasicBlock*, 16> blocks;
  unsigned size = 0;
  bool has_memory = false;
};

/// Adds all that `head` dominates, until that is more than `most` instructions. False: it synchronises, or is too
/// large.
bool collect_piece(GuardedPiece& piece, const llvm::DominatorTree& dominators, unsigned most);

/// Of two ways that a guard leads to: the one has loops, the other has none, as in
/// `if (column > row) out = masked; else out = product`.
bool outweighs(llvm::BasicBlock& way, llvm::BasicBlock& other, const llvm::LoopInfo& loops,
               const llvm::DominatorTree& dominators);

/// Of the first pieces, of which each begins where the one before ends.
std::size_t length_of_row(llvm::ArrayRef<GuardedPiece> pieces);

/// Adds the pieces of a row, their guards included. False: it may not be copied, or what it computes is used behind it
/// by more than phis.
bool collect_row(GuardedPiece& all, llvm::ArrayRef<GuardedPiece> row);

}  // namespace lanza::compiler
