// Loads or stores whose lanes lie close together in memory, in an order that is known.
#pragma once

#include <vector>

#include <llvm/IR/BasicBlock.h>

#include "compiler/passes/vector/analysis/lane_tables.hpp"

namespace lanza::compiler {

/// Accesses of a block to one piece of memory of a few vectors' size.
struct TabledAccesses {
  struct Member {
    llvm::Instruction* access;
    llvm::SmallVector<unsigned, 32> elements;  ///< of each lane, counted from the lowest one of all members
  };
  llvm::SmallVector<Member, 4> members;  ///< in the order of the code
  bool stores = false;
  unsigned span = 0;   ///< elements from the lowest to the highest one
  int64_t origin = 0;  ///< where the lowest one lies: bytes from the element of the place's lane 0

  /// Where all of them are done: at the first of loads, at the last of stores.
  llvm::Instruction* place() const { return stores ? members.back().access : members.front().access; }
};

/// In: a block of SPMD form after linearise(). Out: those of its accesses for which vectors and
/// shuffles do what would else be gathers and scatters. Nothing between a group's accesses hinders that they are done
/// at one place; what lies between the lanes' elements is read too, but never written.
std::vector<TabledAccesses> find_tabled_accesses(llvm::BasicBlock& block, const Shapes& shapes, LaneTables& tables);

}  // namespace lanza::compiler
