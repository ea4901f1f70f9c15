// Pointers to functions as kernels see them on the CPU: numbers, the same in all kernels of a module.
#pragma once

#include <cstdint>

#include <llvm/IR/Module.h>

namespace lanza::compiler {

/// Gives each function whose address is taken its number, in the order of the module; those that have one keep it. Each
/// kernel is compiled alone, so that an address would mean nothing to the next one that finds it in memory. Numbers are
/// multiples of 16, as addresses are (the lowest bit of a pointer to member tells virtual functions), and not 0.
void number_functions(llvm::Module& module);

/// The number of a function; 0: it has none.
uint64_t function_number(const llvm::Function& function);

}  // namespace lanza::compiler
