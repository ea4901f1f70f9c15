// How far into a block's shared memory a kernel reaches.
#pragma once

#include <cstdint>
#include <optional>

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in group form. The bytes, from the base of shared memory, in which all lies that the kernel does there:
/// the ranges of its indices say so. How much a launch asks for is not known here, and need not be: what lies beyond
/// these bytes is never touched. Nothing: an index has no bound, or an address goes where it cannot be followed.
/// Indices of groups get their ranges as metadata.
std::optional<std::uint64_t> shared_reach(llvm::Function& kernel, const GroupShape& group);

/// Indices of groups get their ranges as metadata.
void note_group_ranges(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
