// Loads whose index is clamped or wrapped at an edge, or which come from elsewhere there.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/vector/analysis/shapes.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form. Out, for loads whose lanes would load neighbours but for an edge in the index, as in
/// `in[min(x + 1, n - 1)]` and `in[x == 0 ? n - 1 : x - 1]`:
///
///     if (x + 1 > n - 1) value = in[n - 1];
///     else value = in[x + 1];
///
/// And for those of one place or another, which LLVM makes of `x == 0 ? halo[y] : tile[y][x - 1]`. Not for loads of one
/// lane, whose place use_known_places() knows.
///
/// Then those inside load one (masked) vector, and those beyond the edge what is the same for all of them: nobody
/// gathers. Loads of a block with the same edge stand together behind one branch, where nothing is written between
/// them. What still costs, asked in each turn of a loop along a window, or of bytes without AVX-512, is noted
/// (cost_notes.hpp). True when something changed.
bool edge_loads(llvm::Function& kernel, const GroupShape& group);

/// Whether edge_loads() will take the load.
bool loads_neighbours_but_for_edges(llvm::LoadInst& load, const Shapes& shapes);

}  // namespace lanza::compiler
