// Loops in which nearly every turn divides an index by the same number and finds the quotient of the turn before.
#pragma once

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>

namespace lanza::compiler {

/// An index divided by what the loop does not change, on the way to the row.
struct Division {
  llvm::Value *index, *divisor;
  bool is_signed;
  llvm::SmallVector<llvm::BinaryOperator*, 2> operations;  ///< quotients and remainders
};

bool is_remainder(const llvm::BinaryOperator& operation);

/// Of numbers with a sign: whether the quotient is that of numbers without one.
llvm::Value* quotient_is_floor(llvm::IRBuilder<>& b, llvm::Value* index, llvm::Value* divisor);

/// What is known of a turn that comes to the row, from the branches on its way.
class WayFacts {
 public:
  void take(llvm::ArrayRef<llvm::BasicBlock*> way, llvm::BasicBlock* row);
  /// Its remainder is below the divisor, as one without sign.
  bool is_below(const Division& division) const;
  bool is_positive(const llvm::Value* divisor) const;
  /// Also a remainder of another division: that is in its row, or the turn does not come to this one.
  bool is_not_negative(const llvm::Value* index, llvm::ArrayRef<Division> divisions) const;

 private:
  void take(llvm::Value* condition, bool truth);

  llvm::SmallVector<std::pair<llvm::Value*, llvm::Value*>, 8> below_;  ///< as numbers without sign
  llvm::SmallPtrSet<const llvm::Value*, 4> positive_;
};

/// The loop around the code of a row.
struct RowLoop {
  using Blocks = llvm::SmallSetVector<llvm::BasicBlock*, 8>;

  llvm::BasicBlock* asks = nullptr;    ///< where a likely branch goes to the row
  llvm::BasicBlock* row = nullptr;     ///< the row's first block, reached from there only
  llvm::BasicBlock* before = nullptr;  ///< the loop
  Blocks body;                         ///< the row
  Blocks back;  ///< the way from its end to the loop's header, without branches but the loop's own
  Blocks way;   ///< from the header to where the branch is, each block's only predecessor before it, without effects
  llvm::SmallVector<Division, 4> divisions;
  WayFacts facts;
};

/// Whether `asks` is where such a loop goes to its row.
bool find_row_loop(llvm::BasicBlock& asks, const llvm::DominatorTree& dominators, const llvm::LoopInfo& loops,
                   RowLoop& found);

/// Operations that were moved to where they are used, and lost their sign there, are on the way again.
void gather_divisions(RowLoop& found);

}  // namespace lanza::compiler
