// Loads or stores of all lanes that together make up whole pieces of memory.
#pragma once

#include <vector>

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/BasicBlock.h>

#include "compiler/passes/vector/analysis/shapes.hpp"

namespace lanza::compiler {

/// Accesses of a block to members of one record: lane l's record lies l * stride bytes behind lane 0's, or in
/// front of it.
struct InterleavedAccesses {
  struct Member {
    llvm::Instruction* access;
    int64_t offset;  ///< bytes from the lowest member
  };
  /// Bytes of the record, from the lowest member on, that each lane writes with what they hold, or may
  /// (record_write()).
  struct Kept {
    int64_t begin = 0, end = 0;
  };
  llvm::SmallVector<Member, 8> members;  ///< in the order of the code
  llvm::SmallVector<Kept, 1> kept;       ///< of stores
  bool stores = false;
  bool backwards = false;   ///< the last lane's record is the first in memory
  unsigned unit = 0;        ///< bytes: records are moved as that many units; a member is one, or a part of one
  unsigned records = 0;     ///< units from one record to the next
  unsigned span = 0;        ///< units from a record's first to its last that may be touched
  int64_t origin = 0;       ///< of the first unit: bytes from the lowest member, 0 or less
  bool ends_early = false;  ///< of words that are loaded: the last one may not be there behind its members

  /// Where all of them are done: at the first of loads, at the last of stores.
  llvm::Instruction* place() const { return stores ? members.back().access : members.front().access; }
  unsigned unit_of(const Member& member) const { return static_cast<unsigned>(member.offset - origin) / unit; }
};

/// In: a block of SPMD form after linearise(). Out: those of its accesses for which whole vectors and shuffles are
/// cheaper than gathers and scatters. Nothing between a group's accesses hinders that they are done at one place; what
/// lies between members of a lane's record is read too, but nothing in front of the first lane's or behind the last
/// lane's, save what shares an aligned word with it. `alike`: short members that are no parts of words
/// (find_alike_members()).
std::vector<InterleavedAccesses> find_interleaved_accesses(llvm::BasicBlock& block, const Shapes& shapes,
                                                           const llvm::DenseSet<const llvm::Instruction*>& alike);

/// True for what vectors hold side by side in memory.
bool has_lanes_in_memory(const llvm::DataLayout& layout, llvm::Type* type);

}  // namespace lanza::compiler
