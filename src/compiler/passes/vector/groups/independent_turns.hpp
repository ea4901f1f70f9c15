// Whether the turns of a loop over an index may run in any order.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel without loops over `index`, whose accesses of memory are simple loads and stores. True where all that
/// it writes are elements of arrays without aliases (`__restrict__`), each thread its own, `out[index]`, and of these
/// arrays nobody reads another one's: no turn leaves something to the next.
bool are_turns_independent(llvm::Function& kernel, llvm::function_ref<bool(const llvm::Value*)> is_index);

}  // namespace lanza::compiler
