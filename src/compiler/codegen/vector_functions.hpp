// What calls of lane functions call where several lanes make them.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// In: a kernel in group form that may call `NAME.vLANES` of lane functions with bodies (called_functions.hpp). Out:
/// those functions are there, each for all its lanes at once, or one lane after the other where that cannot be.
void define_vector_functions(llvm::Module& module, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
