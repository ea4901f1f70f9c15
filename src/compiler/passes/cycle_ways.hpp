// Where a thread comes to in a cycle of which some values are known.
#pragma once

#include <utility>

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// Follows all ways through a cycle that the known values leave open, each from block to block: phis take what comes
/// along the way, and branches and switches on what is known by then go one way. Gives up behind some hundred blocks.
class CycleWays {
 public:
  /// What values are: constants, or other values that they are equal to.
  using Known = llvm::DenseMap<const llvm::Value*, const llvm::Value*>;

  /// Who comes to the goal has arrived, well or not.
  CycleWays(const llvm::Cycle& cycle, const llvm::BasicBlock* goal, bool is_goal_good)
      : cycle_(cycle), goal_(goal), is_goal_good_(is_goal_good) {}

  void let_differ(const llvm::Value* a, const llvm::Value* b) { differ_ = {a, b}; }

  /// Whether all ways from the end of `block` leave the cycle; or come to the goal if that is good, and before the next
  /// turn. Where it is not, they may make one more turn, in which only what is computed from what is known is known.
  /// Not known: false.
  bool end_well(const llvm::BasicBlock* block, const Known& known, bool again = false);

 private:
  bool goes_well(const llvm::BasicBlock* from, const llvm::BasicBlock* next, const Known& known, bool again);
  const llvm::Value* evaluate(const llvm::Value* v, const Known& known, bool again, unsigned depth = 8) const;
  const llvm::Value* folded(const llvm::Instruction& i, llvm::ArrayRef<const llvm::Value*> operands) const;
  bool are_different(const llvm::Value* a, const llvm::Value* b) const;

  const llvm::Cycle& cycle_;
  std::pair<const llvm::Value*, const llvm::Value*> differ_;
  const llvm::BasicBlock* goal_;
  const bool is_goal_good_;
  int budget_ = 200;  // of blocks
};

}  // namespace lanza::compiler
