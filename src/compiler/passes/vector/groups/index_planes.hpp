// Threads that take a flat index apart by rows, or go down columns by it, as threads of planes.
#pragma once

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/ValueHandle.h>

#include "compiler/passes/vector/group_shape.hpp"
#include "compiler/passes/vector/groups/independent_turns.hpp"
#include "compiler/passes/vector/groups/spell_strides.hpp"
#include "compiler/passes/vector/scalars/fold_block_dim.hpp"

namespace lanza::compiler {

/// The blocks of the other kernel.
inline constexpr BlockDim kPlaneBlock{32, 16, 1};

/// Columns of shorter rows, and of planes of fewer rows than a block, are better done in order.
inline constexpr unsigned kLeastPlaneWidth = 16, kLeastPlaneHeight = 16;

/// Rows in which nobody goes down columns: half a group gains by it.
inline constexpr unsigned kLeastRow = 8;

/// Columns of rows up to this width are divided as floats.
inline constexpr unsigned kMostDividedWidth = 1 << 21;

/// How a kernel's threads lie in planes. All sizes are products of integers made of the kernel's arguments alone,
/// also by division: half of a width.
struct IndexPlanes {
  using Factors = llvm::SmallVector<llvm::Value*, 4>;

  /// What a value is of the index.
  enum class Part : uint8_t { Index, InPlane, Row, X, Y, Z };
  /// The part that a value is where z stands for z / below % among, if there are such factors, or x does. Index, Row, X
  /// and Z alone have some.
  struct Place {
    Part part;
    Factors below, among;
    bool is_divided() const { return !below.empty() || !among.empty(); }
    bool is_layered() const { return part != Part::X && is_divided(); }
  };

  llvm::WeakTrackingVH threads;  ///< turns of a loop; null: none
  bool in_any_order = false;     ///< they are: a launch may have fewer threads, if these lie apart:
  llvm::SmallVector<ApartArrays, 4> apart;
  Factors width;                                ///< of a row
  Factors height;                               ///< rows of a plane; none: there is one plane, with all rows
  llvm::SmallVector<llvm::Value*, 4> divisors;  ///< all: they have to be above 0, and below 2^31
  StrideQuotients quotients;                    ///< the kernel's last arguments
  bool in_rows = false;                         ///< nothing goes down columns: rows alone are what it is for
  llvm::MapVector<llvm::Instruction*, Place> parts;
  llvm::SmallVector<llvm::BinaryOperator*, 4> of_columns;  ///< x divided again, see kMostDividedWidth

  /// Whether the index itself is divided for what are columns' parts.
  bool has_parts_of_columns() const {
    return llvm::any_of(parts, [](auto& each) { return each.second.part == Part::X && each.second.is_divided(); });
  }
};

/// Whether a kernel may be one of those, which is quick to see.
bool may_have_index_planes(llvm::Function& kernel, const GroupShape& group);

/// In: SPMD form of a kernel for one blockDim, whose threads know themselves only as `i = blockIdx.x * blockDim.x +
/// threadIdx.x` (or as that in a loop, see end_grid_loop.hpp), take i apart (`row = i / width, column = i % width`; or
/// `plane = i / width / height` as well, and planes of planes, in any order), and load or store what lies beside each
/// other for threads of neighbouring rows, but far apart for those of a row (`out[column * height + row]`): in the
/// order of i such columns come one element at a time. Looks for all this. Or, where nothing goes down columns, for any
/// other use of rows whose width only the launch knows, or is no power of two: in planes neighbours lie in one row, so
/// that quotients are the same for all of them, and the next row's threads begin a group. Planes may be divided
/// further, and columns, too (`column / factor`).
/// Axes that are permuted are columns of rows that are divided further: `k = i % a, j = i / a % b, row = i / (a * b)`.
/// Guards of the divisors are dropped: a kernel in which nothing is found is of no use any more.
bool find_index_planes(llvm::Function& kernel, const GroupShape& group, IndexPlanes& found);

}  // namespace lanza::compiler
