// Copies of straight code that reads and writes records of the lanes' own in turns.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form. Out, for code of a block that reads members of records, or what lies beside each other
/// for lanes, or what all lanes share, behind stores to members of others (`out[3 * i] = f(in[3 * i]); out[3 * i + 1] =
/// f(in[3 * i + 1]); ...`, or `f(in[i]) ... f(in[n + i])`, `f(weights[0]) ... f(weights[1])`), whose arrays may be one:
///
///     if (the thread's records lie apart) copy, which stores last; else original
///
/// In the copy, shuffles can take the records apart and put them together. What is asked is the same for all lanes.
/// True when something changed.
bool version_records(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
