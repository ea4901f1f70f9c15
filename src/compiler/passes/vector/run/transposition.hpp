// Rows become columns, in registers.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>

namespace lanza::compiler {

/// One lane of a vector, or of what all lanes share: by scalars alone where it is made of scalars and known numbers.
llvm::Value* in_lane(llvm::IRBuilderBase& b, llvm::Value* vector, unsigned lane);

/// The squares of n x n elements in n registers, a power of two of them, all at once: halves of halves (Eklundh's way),
/// but for the last two steps of words of 32 bits, which are interleaved.
void transpose_squares(llvm::IRBuilderBase& b, llvm::MutableArrayRef<llvm::Value*> registers);

/// n columns, of an element a lane, of the rows of n elements that `row_of` gives for each lane; lanes are a multiple
/// of n, which is a power of two.
llvm::SmallVector<llvm::Value*, 16> transpose_rows(llvm::IRBuilderBase& b, unsigned lanes, unsigned n,
                                                   llvm::function_ref<llvm::Value*(unsigned lane)> row_of);

}  // namespace lanza::compiler
