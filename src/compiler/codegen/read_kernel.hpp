// A kernel and what it calls, out of the bitcode of a whole file.
#pragma once

#include <memory>
#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBufferRef.h>

namespace lanza::compiler {

/// The module with `kernel` and all that it may call; other functions of a file are not even parsed. All of them are
/// there where functions are called through pointers, or have their addresses taken: numbers of functions are those of
/// the whole module. Null, and a sentence in `error`: the bitcode is damaged, or has no such kernel.
std::unique_ptr<llvm::Module> read_kernel(llvm::MemoryBufferRef bitcode, const std::string& kernel,
                                          llvm::LLVMContext& context, std::string& error);

}  // namespace lanza::compiler
