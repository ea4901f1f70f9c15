// What is tested in front of a piece of guarded code, and what is known in its copy then.
#pragma once

#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/scalars/guarded_pieces.hpp"
#include "compiler/passes/vector/scalars/inner_counters.hpp"
#include "compiler/passes/vector/scalars/recompute.hpp"

namespace lanza::compiler {

/// In: a piece of code that is to have a copy. Guards, clamps and wraps in it are tested in front of its guard; in the
/// copy they are known. Looks at the piece as it is now.
class GuardAssumptions {
 public:
  /// A condition that is known in the copy.
  struct Known {
    llvm::Value* condition;
    bool truth;
  };
  /// In the copy, `index` stands for `edge`.
  struct Replaced {
    llvm::Instruction* edge;
    llvm::Value* index;
  };

  GuardAssumptions(const GuardedPiece& piece, const Shapes& shapes, const llvm::LoopInfo& loops,
                   const llvm::DominatorTree& dominators);

  /// That the guard holds. False: it is not one on thread indices.
  bool take_guard();
  /// That all of the piece lies inside.
  void take_edges();

  /// What all of it comes to, in front of the guard; null: nothing was taken.
  llvm::Value* all();
  bool has_edges() const { return edges_; }
  /// Whether the condition is known in the copy, or its parts are.
  bool settles(const llvm::Value* condition) const;
  /// Whether all turns of a loop lie inside.
  bool has_windows() const { return windows_; }

  std::vector<Known> known;
  std::vector<Replaced> replaced;

 private:
  using Extension = Recomputer::Extension;
  /// low + offset <= high, in 64 bits; null: 0.
  struct Bound {
    llvm::Value *low, *high;
    int64_t offset;
    Extension extension;
  };

  bool can_ask(const llvm::ICmpInst& compare) const;
  bool asks_for_row(const llvm::ICmpInst& compare) const;
  bool is_index_test(const llvm::ICmpInst& compare) const;
  static bool asks_for_bits(const llvm::ICmpInst& compare);
  bool take_condition(llvm::Value* condition, bool truth);
  bool take_order(llvm::ICmpInst::Predicate predicate, llvm::Value* a, llvm::Value* b);
  void test(llvm::ICmpInst::Predicate predicate, llvm::Value* a, llvm::Value* b);
  llvm::ICmpInst::Predicate order_at_edge(llvm::Value* index, llvm::Value* edge) const;
  void ask(llvm::Value* holds, const llvm::Value* a, const llvm::Value* b);
  void take_inner_guard(llvm::BranchInst& branch);
  bool works(llvm::BasicBlock& side, llvm::BasicBlock& other) const;
  bool is_whole_index_test(llvm::Value* condition) const;
  bool strides(const llvm::Value* v, unsigned depth = 6) const;
  void take_clamp(llvm::MinMaxIntrinsic& clamp);
  bool take_range(llvm::Value* index, llvm::ICmpInst::Predicate predicate, llvm::Value* bound);
  void replace(llvm::Instruction& edge, llvm::Value* index);
  llvm::Value* inside(llvm::Value* v) const;
  bool asks_inside(const llvm::ICmpInst& compare) const;
  void take_wrap(llvm::SelectInst& select);
  void take_mask(llvm::BinaryOperator& masked);
  void take_mirror(llvm::IntrinsicInst& mirror);
  void take_step(llvm::CastInst& step);
  void take_remainder(llvm::BinaryOperator& remainder);

  const Shapes& shapes_;
  const llvm::LoopInfo& loops_;
  const llvm::DominatorTree& dominators_;
  Recomputer copies_, lasts_;
  InnerCounters counters_;
  const GuardedPiece& piece_;
  std::vector<Bound> bounds_;
  llvm::Value* all_ = nullptr;
  bool edges_ = false, windows_ = false;
};

}  // namespace lanza::compiler
