// From the code of one thread to the code of one group of lanes.
#pragma once

#include <string>

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

struct Widened {
  llvm::Function* function = nullptr;  ///< null: it cannot be
  std::string why_not;                 ///< a clause: "it calls a function that is not inlined"
  unsigned gathers = 0, scatters = 0, serial = 0;
};

/// True when widen() can make vector code of every instruction; else `why_not` says in a clause what it cannot.
bool can_widen(llvm::Function& kernel, unsigned lanes, std::string& why_not);

/// In: SPMD form, as linearise() leaves it. Out: a new function in group form under the kernel's name and with its
/// parameters; the kernel is erased. Uniform values stay scalar; strided ones are lane 0's scalar, a vector where one
/// is wanted; memory is read and written by vectors where lanes are neighbours, by gathers and scatters else. What has
/// other effects (atomics, printf, malloc, calls) is done for one active lane after the other, in their order.
/// Synchronisation points stay, once a group; the operand of a counting barrier is the number of active lanes with a
/// true predicate. Without a function in the result nothing is left of the kernel that is of use.
Widened widen(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
