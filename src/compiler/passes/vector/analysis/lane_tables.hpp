// Values of which it is known how much each lane's differs from lane 0's.
#pragma once

#include <optional>

#include <llvm/IR/IntrinsicInst.h>

#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/analysis/value_facts.hpp"

namespace lanza::compiler {

/// The value of lane l is that of lane 0 plus offsets[l], in the arithmetic of the value's own width (pointers: bytes).
/// The lowest `known` bits of lane 0's value are `low`.
struct LaneTable {
  llvm::SmallVector<int64_t, 32> offsets;
  unsigned known = 0;
  uint64_t low = 0;

  /// True when no lane differs from lane 0 in other than the known bits.
  bool fits() const;
  uint64_t part(unsigned lane) const { return low + static_cast<uint64_t>(offsets[lane]); }
};

/// What Shapes calls varying may still be a table: `t ^ 2`, `2 * t - (t & 3)`, rows of a block. Sees through integer
/// arithmetic, clamps of what is known in full, for as long as a group's alignment or a sum's flags show that nothing
/// wraps, through counters of loops, and addresses.
class LaneTables {
 public:
  explicit LaneTables(const Shapes& shapes, const llvm::DataLayout& layout) : shapes_(shapes), layout_(layout) {}

  /// Null: not known. Good until the value is erased.
  const LaneTable* of(const llvm::Value* value);

  /// True when the lanes of a varying integer differ in known bits only; of a sum with a constant, when that changes no
  /// others: then its extension is the sum of the extended value and the constant.
  bool keeps_high_bits(const llvm::Value* value);

  /// True when an extension's table is that of a sum that does not wrap, whose extended parts give it: the extension
  /// of lane 0's value alone may be another where lane 0 is idle.
  bool extends_by_parts(const llvm::Value* value, bool is_signed);
  static bool extends_as_signed(const llvm::CastInst& i);

 private:
  using Table = std::optional<LaneTable>;
  Table make(const llvm::Value* value);
  Table of_index(const llvm::CallInst& call) const;
  Table of_binary(const llvm::BinaryOperator& i);
  Table of_extremum(const llvm::MinMaxIntrinsic& i);
  Table of_bits(const llvm::BinaryOperator& i, const LaneTable& a, const LaneTable& b) const;
  Table of_shift(const llvm::BinaryOperator& i, const LaneTable& a) const;
  bool wraps_nowhere(const llvm::Value* value, bool is_signed) const;
  bool is_whole_quotient(const llvm::Value* value, bool is_signed) const;
  Table of_cast(const llvm::CastInst& i);
  Table of_extended(const llvm::Value* value, bool is_signed);
  Table of_extended_whole(const llvm::Value* value, bool is_signed);
  Table of_address(const llvm::GetElementPtrInst& i);
  Table of_counter(const llvm::PHINode& phi);

  const Shapes& shapes_;
  const llvm::DataLayout& layout_;
  ValueFacts<LaneTable> tables_;
};

}  // namespace lanza::compiler
