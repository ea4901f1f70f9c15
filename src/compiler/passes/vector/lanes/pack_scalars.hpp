// Numbers of several groups, one for each, are computed as one vector.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// Arithmetic on single floats or doubles that are computed themselves: what is loaded row by row, as the numbers that
/// a product multiplies by, lies in no vector, and would have to be put into one.
bool is_scalar_arithmetic(const llvm::Instruction& i);

/// In: run form, straight code of several groups, folds joined (join_trees.hpp). Out: where a loop computes much with
/// single numbers, as warps do that walk together and have one number each (the greatest of a row so far, and what an
/// exponential is taken of), LLVM's SLP vectoriser has made vectors of them. Nothing else needs that pass. True when
/// something changed.
bool pack_scalars(llvm::Function& run, llvm::FunctionAnalysisManager& analyses);

}  // namespace lanza::compiler
