// The rows in which the lanes of a group lie, by the divisions that take their flat index apart.
#pragma once

#include <llvm/ADT/MapVector.h>

#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/scalars/recompute.hpp"

namespace lanza::compiler {

/// What lanes have in a copy: the first lane's value and the step from lane to lane; or that divided by 2^shift, or
/// the remainder, where the first lane's own remainder is known.
struct Affine {
  llvm::Value* first = nullptr;
  int64_t stride = 0;
  unsigned known = 0;                   ///< so many low bits of the first lane's,
  uint64_t low = 0;                     ///< which are these
  bool never_negative = false;          ///< any lane's,
  bool is_unsigned = false;             ///< as a number without a sign
  const llvm::Value* column = nullptr;  ///< of a copy, that it is made of
  enum Part : uint8_t { Whole, Quotient, Rest } part = Whole;
  unsigned shift = 0;
};

/// A lane's value, of lanes that count from `first`, from lane 0 where that is null.
llvm::Value* value_of_lanes(llvm::IRBuilder<>& b, const Affine& value, llvm::Value* first);

/// Where a loop takes the lanes of one row in a turn.
struct Walk {
  llvm::BasicBlock* head = nullptr;
  llvm::PHINode* first = nullptr;  ///< the turn's first lane
  unsigned zeros = 0;              ///< so many of its low bits are 0
};

/// What is asked in front of a piece of code, and what follows from it for the piece's divisions. With a walk: the row
/// of a turn's first lane, and how many lanes behind it lie there; one, if their indices might wrap or are negative.
class QuotientRows {
 public:
  /// Indices within a row, as copies have them, of which no lane's is negative; true: as numbers without a sign.
  using Columns = llvm::SmallDenseMap<const llvm::Value*, bool, 8>;
  QuotientRows(llvm::Instruction& at, const Shapes& shapes, const llvm::DominatorTree& dominators,
               const Columns& columns, Walk walk = {});

  static constexpr unsigned kLeastBits = 16;  ///< of divisions: no span of lanes wraps

  /// In the order of the code.
  void take(llvm::Instruction& i);

  llvm::Value* all() const { return all_; }
  /// That a walk takes few turns; null: that is known.
  llvm::Value* walks_far() const { return walks_far_; }
  /// Of a walk: behind the turn's last lane.
  llvm::Value* end() const { return end_; }
  /// What lanes have of divisions.
  const llvm::MapVector<llvm::Instruction*, Affine>& divisions() const { return divisions_; }
  bool has_rows() const { return !rows_.empty(); }
  /// So many low bits of the lanes that a walk's turns begin with are 0.
  unsigned zeros_of_walk() const { return zeros_of_walk_; }
  /// The conditions of selects, as they are known then.
  const llvm::MapVector<llvm::SelectInst*, bool>& guards() const { return guards_; }

 private:
  static constexpr unsigned kMostTests = 6;  // divisions by a divisor of its own
  static constexpr unsigned kMostDepth = 8;

  struct Row {
    llvm::Value *dividend, *divisor;
    bool is_signed;
    llvm::Value* quotient;
    Affine rest;
    uint64_t reach;  ///< what lies so far behind the lanes' indices is in the same row, too
  };

  void take_division(llvm::BinaryOperator& i);
  void take_bits(llvm::BinaryOperator& i);
  bool take_part(llvm::BinaryOperator& i, Affine::Part part, unsigned shift);
  void ask_for_phase(const llvm::Value* column, unsigned shift);
  Row* find_row(const llvm::Value* dividend, const llvm::Value* divisor, bool is_signed);
  bool take_beside(llvm::BinaryOperator& division);
  static uint64_t find_reach(llvm::BinaryOperator& division, uint64_t span);
  Row* ask(llvm::BinaryOperator& division, Affine index);
  Row* find_rows_of_rows(llvm::BinaryOperator& division);
  Row* ask_multiple(llvm::BinaryOperator& division, const llvm::BinaryOperator& part, llvm::Value* times);
  void ask(llvm::Value* holds);
  void ask_for_walk(llvm::Value* holds);
  void end_row(llvm::Value* rest, llvm::Value* divisor, int64_t stride, llvm::Value* has_room);
  Affine affine(llvm::Value* v, unsigned depth = kMostDepth);
  Affine of_sum(llvm::Instruction& sum, unsigned depth);
  Affine of_strided(llvm::Value* v, const Shape& shape);
  Affine of_extension(llvm::CastInst& cast);
  void take_guard(llvm::SelectInst& select);
  bool is_excluded(llvm::Value* condition) const;
  llvm::Value* taken_side(llvm::Value* v) const;

  const Shapes& shapes_;
  const Columns& columns_;
  llvm::SmallDenseMap<const llvm::Value*, unsigned> phases_;  ///< of columns: so many low bits of lane 0's are 0
  Recomputer copies_;
  llvm::IRBuilder<> of_walk_;
  llvm::IRBuilder<>& b_;
  llvm::Value* const from_;  ///< a walk's turn's first lane
  unsigned zeros_of_walk_;
  llvm::SmallVector<Row, kMostTests> rows_;
  llvm::MapVector<llvm::Instruction*, Affine> divisions_;
  llvm::MapVector<llvm::SelectInst*, bool> guards_;
  llvm::Value *all_ = nullptr, *walks_far_ = nullptr, *end_ = nullptr;
};

}  // namespace lanza::compiler
