// A part of a kernel that one block leads to, and what analyses say of it.
#pragma once

#include <array>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>

namespace lanza::compiler {

/// Code of a kernel in SPMD form that is entered by one block, and what is known of it.
struct KernelPart {
  llvm::BasicBlock* begin;
  std::array<unsigned, 3> block;  ///< blockDim
  const llvm::DominatorTree& dominators;
  const llvm::PostDominatorTree& post_dominators;
  const llvm::LoopInfo& loops;
  llvm::ScalarEvolution& evolution;

  /// Whether the block is in no loop, or is one by itself.
  bool is_alone(const llvm::BasicBlock& block) const {
    const llvm::Loop* loop = loops.getLoopFor(&block);
    return !loop || (loop->getNumBlocks() == 1 && loop->isOutermost());
  }
};

/// Of a loop whose turns are run.
inline constexpr unsigned kMostTurnsOfCopy = 64;

}  // namespace lanza::compiler
