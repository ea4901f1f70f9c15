// The rows in which the lanes of a group lie, by the divisions that take their flat index apart.
#pragma once

#include <llvm/ADT/MapVector.h>

#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/scalars/recompute.hpp"

namespace lanza::compiler {

/// The divisor behind its guard against 0 and -1.
llvm::Value* unguarded_divisor(llvm::Value* divisor);

/// What lanes have in a copy: the first lane's value and the step from lane to lane.
struct Affine {
  llvm::Value* first = nullptr;
  int64_t stride = 0;
};

/// What lanes have more than lane `first`, lane 0 where that is null.
llvm::Value* steps_of_lanes(llvm::IRBuilder<>& b, llvm::Type* type, int64_t stride, llvm::Value* first);

/// Where a loop takes the lanes of one row in a turn.
struct Walk {
  llvm::BasicBlock* head = nullptr;
  llvm::PHINode* first = nullptr;  ///< the turn's first lane
};

/// What is asked in front of a piece of code, and what follows from it for the piece's divisions. With a walk: the row
/// of a turn's first lane, and how many lanes behind it lie there; one, if their indices might wrap or are negative.
class QuotientRows {
 public:
  QuotientRows(llvm::Instruction& at, const Shapes& shapes, const llvm::DominatorTree& dominators, Walk walk = {});

  /// In the order of the code.
  void take(llvm::Instruction& i);

  llvm::Value* all() const { return all_; }
  /// That a walk takes few turns; null: that is known.
  llvm::Value* walks_far() const { return walks_far_; }
  /// Of a walk: behind the turn's last lane.
  llvm::Value* end() const { return end_; }
  /// The first lane's value and the step, of divisions; a step of 0: the quotient.
  const llvm::MapVector<llvm::Instruction*, Affine>& divisions() const { return divisions_; }
  /// The conditions of selects, as they are known then.
  const llvm::MapVector<llvm::SelectInst*, bool>& guards() const { return guards_; }

 private:
  static constexpr unsigned kMostTests = 6;  // divisions by a divisor of its own
  static constexpr unsigned kMostDepth = 8;

  struct Row {
    llvm::Value *dividend, *divisor;
    bool is_signed;
    llvm::Value *quotient, *rest;
    int64_t stride;
  };

  void take_division(llvm::BinaryOperator& i);
  Row* find_row(const llvm::Value* dividend, const llvm::Value* divisor, bool is_signed);
  Row* ask(llvm::BinaryOperator& division, Affine index);
  void ask(llvm::Value* holds);
  void ask_for_walk(llvm::Value* holds);
  void end_row(llvm::Value* rest, llvm::Value* divisor, int64_t stride, llvm::Value* has_room);
  Affine affine(llvm::Value* v, unsigned depth = kMostDepth);
  Affine of_strided(llvm::Value* v, int64_t stride);
  Affine of_extension(llvm::CastInst& cast);
  void take_guard(llvm::SelectInst& select);
  bool is_excluded(llvm::Value* condition) const;
  llvm::Value* taken_side(llvm::Value* v) const;

  const Shapes& shapes_;
  Recomputer copies_;
  llvm::IRBuilder<> of_walk_;
  llvm::IRBuilder<>& b_;
  llvm::Value* const from_;  ///< a walk's turn's first lane
  llvm::SmallVector<Row, kMostTests> rows_;
  llvm::MapVector<llvm::Instruction*, Affine> divisions_;
  llvm::MapVector<llvm::SelectInst*, bool> guards_;
  llvm::Value *all_ = nullptr, *walks_far_ = nullptr, *end_ = nullptr;
};

}  // namespace lanza::compiler
