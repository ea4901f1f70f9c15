// A loop around one that sums up, and what both access.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/IRBuilder.h>

#include "compiler/passes/vector/scalars/step_sums.hpp"

namespace lanza::compiler {

/// A loop each turn of which is straight code around one loop of one block:
///
///     head, before: what the inner loop begins with
///     body: the inner loop, as many turns each time
///     end, latch: what is done with its result
///
/// `head` and `before` may be one block, and so may `end` and `latch`. `guard`, the same in all turns, may lead from
/// `head` past the inner loop.
struct TurnNest {
  llvm::Loop *outer = nullptr, *inner = nullptr;
  llvm::BasicBlock* ahead = nullptr;  ///< leads to the loop alone
  llvm::BasicBlock *head = nullptr, *before = nullptr, *body = nullptr, *end = nullptr, *latch = nullptr;
  llvm::Value* guard = nullptr;
  bool truth = true;                                          ///< of the guard, where the inner loop runs
  const llvm::SCEV *turns = nullptr, *inner_turns = nullptr;  ///< less one
  llvm::SmallVector<llvm::PHINode*, 4> counters;              ///< of `head`: they go up by a constant
  llvm::SmallVector<llvm::LoadInst*, 8> loads;
  llvm::SmallVector<llvm::StoreInst*, 4> stores;

  llvm::SmallVector<llvm::BasicBlock*, 5> blocks() const;  ///< in order, each once
  /// Of a phi of `head` or `body`.
  llvm::Value* start_of(const llvm::PHINode& phi) const {
    return phi.getIncomingValueForBlock(phi.getParent() == head ? ahead : before);
  }
};

/// Whether the loop is such a nest, of simple loads and stores only, whose addresses are sums of steps that do not
/// wrap. The stores lie in other objects, as far as is seen, than the loads, and those of the inner loop at places that
/// stay the same in it. What a turn begins with is made of counters alone, and not of what the turn before ended with.
bool find_nest(llvm::Loop& loop, llvm::ScalarEvolution& evolution, TurnNest& found);

/// What a nest accesses, asked in front of it.
class NestRanges {
 public:
  NestRanges(const TurnNest& nest, llvm::ScalarEvolution& evolution, llvm::IRBuilder<>& b);

  /// Whether no store's addresses, of all turns, are among a load's. Where the guard does not hold it may say anything.
  llvm::Value* apart();

 private:
  using Ends = std::pair<llvm::Value*, llvm::Value*>;  ///< the first byte, and the one behind the last
  Ends ends(llvm::Instruction& access);

  const TurnNest& nest_;
  llvm::IRBuilder<>& b_;
  std::array<KnownValues, 4> corners_;  ///< the counters in the first and the last turns of both loops
};

}  // namespace lanza::compiler
