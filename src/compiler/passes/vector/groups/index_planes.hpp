// Threads that take a flat index apart and go down columns by it, as threads of planes.
#pragma once

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>

#include "compiler/passes/vector/group_shape.hpp"
#include "compiler/passes/vector/scalars/fold_block_dim.hpp"

namespace lanza::compiler {

/// The blocks of the other kernel.
inline constexpr BlockDim kPlaneBlock{32, 16, 1};

/// How a kernel's threads lie in planes. The sizes are integers made of the kernel's arguments alone.
struct IndexPlanes {
  /// What a value is of the index.
  enum class Part : uint8_t { Index, InPlane, Row, X, Y, Z };

  llvm::Value* width = nullptr;                 ///< of a row
  llvm::Value* height = nullptr;                ///< rows of a plane; null: there is one plane, with all rows
  llvm::SmallVector<llvm::Value*, 4> divisors;  ///< all: they have to be above 1, and below 2^31
  llvm::MapVector<llvm::Instruction*, Part> parts;
};

/// Whether a kernel may be one of those, which is quick to see.
bool may_have_index_planes(llvm::Function& kernel, const GroupShape& group);

/// In: SPMD form of a kernel for one blockDim, whose threads know themselves only as `i = blockIdx.x * blockDim.x +
/// threadIdx.x`, take i apart (`row = i / width, column = i % width`; or `plane = i / width / height` as well), and
/// load or store what lies beside each other for threads of neighbouring rows, but far apart for those of a row
/// (`out[column * height + row]`): in the order of i such columns come one element at a time. Looks for all this.
/// Guards of the divisors are dropped: a kernel in which nothing is found is of no use any more.
bool find_index_planes(llvm::Function& kernel, const GroupShape& group, IndexPlanes& found);

/// Out: the kernel for blocks of kPlaneBlock, whose thread (x, y, z) of the grid is the former thread (z * height + y)
/// * width + x, if there is one. Three arguments of 32 bits come behind the kernel's own: how many threads there are,
/// and the planes' width and height. A launch has to make sure that none of these indices wraps.
llvm::Function* take_index_planes(llvm::Function& kernel, const IndexPlanes& planes);

}  // namespace lanza::compiler
