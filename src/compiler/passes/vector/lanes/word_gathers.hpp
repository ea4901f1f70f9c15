// Gathers of bytes and shorts are gathers of the words they lie in.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// In: run form at its end. Out, with AVX-512 on a host whose gathers are fast: a gather of bytes or shorts, masked or
/// not, is a gather of the aligned words that hold them, which lie on the same pages, and shifts. The code generator
/// would insert each lane by itself, two operations and those that take its index out of a vector: 28 cycles for 16
/// lanes, where 16 words take 12. Lanes that are constant steps apart stay as they are. True when something changed.
bool gather_words(llvm::Function& run, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
