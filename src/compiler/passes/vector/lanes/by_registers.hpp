// Intrinsics of one register, for vectors of several.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace lanza::compiler {

/// `each` of the operands' parts that one register of 512 bits holds, put together again. The operands are vectors of
/// as many lanes, a power of two of them; the first one says how many fill a register.
llvm::Value* by_registers(llvm::IRBuilder<>& b, llvm::ArrayRef<llvm::Value*> operands,
                          llvm::function_ref<llvm::Value*(llvm::ArrayRef<llvm::Value*>)> each);

}  // namespace lanza::compiler
