// Tiles that are filled by a flat index are filled row by row.
#pragma once

#include <array>

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: a kernel with barriers for one blockDim, nvptx64 form, address spaces known, loops rotated and simplified.
/// Loops in which the threads of a block stride over a tile in shared memory, whose rows are no multiple of a vector,
///
///     for (i = thread; i < 18 * 18; i += 256) tile[i / 18][i % 18] = in[(y + i / 18) * w + x + i % 18];
///
/// have lanes in two rows in most of their groups, which are gathers and scatters. Out: `i` goes over each row in
/// pieces of 16, of bytes 32: groups lie in a row each. A row's last piece ends where the row does, and copies some
/// elements once more, so that all have something to do and none is masked; of rows of less than a piece some threads
/// do nothing. So are tiles without rows of their own, `tile[i]` or `tile[i / 18 * 20 + i % 18]`. Who fills which
/// element changes by that, and how often, which nobody can tell: nothing in a turn but the index differs between
/// threads, all of the block run the loop, each turn has an element of its own, it only writes shared memory that
/// nothing else touches between the barriers around it, and nothing there writes what it reads. True when something
/// changed.
bool pad_rows(llvm::Function& kernel, std::array<unsigned, 3> block, llvm::FunctionAnalysisManager& analyses);

}  // namespace lanza::compiler
