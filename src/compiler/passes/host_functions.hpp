// What the host has instructions for and LLVM no intrinsic of its own: all that is named as lane functions at first
// (lane_functions.hpp), and lowered at last.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// In: code just retargeted.
void name_host_functions(llvm::Module& module, const llvm::TargetMachine& host);

/// Out: no call of a lane function is left.
void lower_host_functions(llvm::Module& module);

}  // namespace lanza::compiler
