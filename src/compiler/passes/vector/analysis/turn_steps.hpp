// By how much values go up from turn to turn of a loop.
#pragma once

#include <optional>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/vector/analysis/shapes.hpp"

namespace lanza::compiler {

/// What a turn of the loop adds to a value, as if nothing wrapped: transpose_gathers() looks closer.
class TurnSteps {
 public:
  TurnSteps(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) : loop_(loop), evolution_(evolution) {}

  std::optional<int64_t> of(llvm::Value* v, unsigned depth = 0) const;

  /// Whether a load or store goes element by element along a row of the lane's own, forwards or backwards, which lies
  /// apart from the others'.
  bool is_in_row(llvm::Instruction& access, const Shapes& shapes) const;

 private:
  std::optional<int64_t> of_address(llvm::GetElementPtrInst& address, unsigned depth) const;
  std::optional<int64_t> of_counter(llvm::Value* v) const;

  const llvm::Loop& loop_;
  llvm::ScalarEvolution& evolution_;
};

/// `for (i = threadIdx.x; i < n; i += blockDim.x)`: the lanes' last turns are the last two of all at the most. Steps
/// that are no constant are sizes of a block or a grid.
bool steps_over_group(const llvm::Loop& loop, const Shapes& shapes);

/// Whether how many turns a loop takes may be computed at the end of a block in front of it and of its guards: these
/// may be what keeps a stride, which is divided by, from being zero.
bool can_count(const llvm::SCEV* turns, const llvm::BasicBlock& block, llvm::ScalarEvolution& evolution);

}  // namespace lanza::compiler
