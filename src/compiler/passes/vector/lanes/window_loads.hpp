// Vectors that overlap in memory are loaded once, and shifted.
#pragma once

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form, of a host whose core is wide (is_wide_core()): it does two shuffles in the cycle that a load across
/// two lines takes. Out: of registers full of elements of 4 or 8 bytes that a block of code loads at places less than a
/// register apart (a stencil's neighbours, a filter's taps), nothing written between, two are loaded, and the others
/// shifted out of them. Where the second was not loaded before, only its elements that others held are: nothing is read
/// that was not. True when something changed.
bool shift_windows(llvm::Function& run, llvm::AAResults& aliases);

}  // namespace lanza::compiler
