// Where the bits of a lane's index meet a power of two, or another number, that all lanes share.
#pragma once

#include <optional>

#include "compiler/passes/vector/analysis/lane_tables.hpp"

namespace lanza::compiler {

/// An address made of `t ^ s`, `2 * t - (t & (s - 1))`, `t % s` or, where `s` is known for a power of two,
/// `s * (2 * t + 1)`; or of `s * t` with an argument that nothing is compared with (`x[i * incx]`).
struct SharedStride {
  llvm::Value* stride = nullptr;
  llvm::Instruction* first = nullptr;  ///< of an index and the stride
  bool multiplies = false;             ///< the index, so that lanes are that far from each other
  bool is_argument = false;            ///< 1 in most launches
};

/// True for an operation that may be the first of an index and a stride.
bool may_meet_stride(const llvm::Instruction& i);

/// The kernel's argument, or a member of one, that `factor` is, whatever its width; null: it is none, or is compared
/// with a number that is no constant, as sizes are.
llvm::Value* argument_stride(llvm::Value* factor);

/// What the address is made of on its way from the lanes' index.
std::optional<SharedStride> shared_stride(const llvm::Value* address, const Shapes& shapes, LaneTables& tables);

/// `s` of `s - 1`, `~s`, `-s` and the guarded divisor; null: it is none of them.
llvm::Value* step_to_stride(llvm::Value* value);

}  // namespace lanza::compiler
