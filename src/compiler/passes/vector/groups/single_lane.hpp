// Groups of one thread.
#pragma once

#include <llvm/IR/Module.h>

namespace lanza::compiler {

/// Out: what is asked of all lanes of a group, or of any (lanza.all, lanza.any), is asked of the one that there is. For
/// engines that run thread by thread what was prepared for vectors.
void ask_single_lanes(llvm::Module& module);

}  // namespace lanza::compiler
