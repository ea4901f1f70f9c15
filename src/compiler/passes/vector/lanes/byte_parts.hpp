// A byte of what bytes were joined to.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace lanza::compiler {

/// Bits `from` to `from + 7` of each lane of `v`, computed in vectors of bytes: of `(a << 16 | b << 8 | c) >> 12` they
/// are `a << 4 | b >> 4`. Null where `v` is made of something else than bytes; what was built for it then is dead.
llvm::Value* byte_at(llvm::IRBuilder<>& b, llvm::Value* v, unsigned from);

}  // namespace lanza::compiler
