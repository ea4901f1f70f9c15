// Loops that end only when another thread, another block or the host does something.
#pragma once

#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>

namespace lanza::compiler {

/// How a loop may depend on others (decision D7).
enum class Waiting {
  None,   ///< it ends by itself, as far as memory that others write is concerned, or the block's threads meet at a
          ///< barrier in each turn, and its exits depend on no memory but the block's
  Joins,  ///< its exits depend on plain memory only, and synchronisation points in it let the block's other threads run
  Spins,  ///< its exit depends on volatile or atomic memory, or on memory that is read again after a fence
};

/// What cycles of one function wait for. A cycle with a known trip count waits for nobody; neither does one whose
/// atomic operations bring it to its end (see lone_ends.hpp). What an exit depends on is followed through values and
/// through the branches that lead to the exit or choose a value.
class BlockingLoops {
 public:
  BlockingLoops(llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution) : loops_(loops), evolution_(evolution) {}

  Waiting classify(const llvm::Cycle& cycle) const;
  /// True when the number of turns is known once the loop begins.
  bool is_counted(const llvm::Cycle& cycle) const;

 private:
  bool is_bounded(const llvm::Cycle& cycle) const;

  llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
};

}  // namespace lanza::compiler
