// Values that nobody looks through.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/IRBuilder.h>

namespace lanza::compiler {

/// The same value, of which neither passes nor the code generator know anything: an empty assembly statement. It takes
/// no instruction. What no register of the host holds is returned as it is.
llvm::Value* hide(llvm::IRBuilderBase& b, llvm::Value* value, const llvm::TargetTransformInfo& host);

}  // namespace lanza::compiler
