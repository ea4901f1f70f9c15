// Counters of loops inside of a piece of code, at their ends.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>

#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/scalars/recompute.hpp"

namespace lanza::compiler {

/// Of `for (i = first; i < end; ++i)`, whose ends all lanes share and know in front of the piece, each counter is
/// `first` for one Recomputer and the last turn's for the other: what grows or falls with it, a filter's tap `x + i` or
/// a disparity's `x + i - d`, lies between the two in all turns, where have_turns() holds.
class InnerCounters {
 public:
  InnerCounters(const Shapes& shapes, Recomputer& firsts, Recomputer& lasts)
      : shapes_(shapes), firsts_(firsts), lasts_(lasts) {}

  void find(llvm::ArrayRef<llvm::BasicBlock*> piece, const llvm::LoopInfo& loops);

  /// For the side of an order that has to be below the other one.
  Recomputer& lasts() { return turns_.empty() ? firsts_ : lasts_; }

  /// Whether it is made of a counter.
  bool has(const llvm::Value* value, unsigned depth = 12) const;
  /// With each counter of which it is made, or of none, as a signed number of at most 32 bits that does not wrap; or it
  /// is a sum or a difference of such.
  bool is_between(const llvm::Value* value) const;
  /// In 64 bits the greatest and the least that it is in any turn.
  llvm::Value* greatest(llvm::Value* value, Recomputer::Extension extension) { return end(value, extension, true); }
  llvm::Value* least(llvm::Value* value, Recomputer::Extension extension) { return end(value, extension, false); }
  /// From now on `index` stands for `edge`.
  void replace(llvm::Instruction* edge, llvm::Value* index);

  /// Whether each of the loops that is come to has a turn and ends by its counter.
  llvm::Value* have_turns();

 private:
  bool grows(const llvm::Value* value) const;
  llvm::Value* end(llvm::Value* value, Recomputer::Extension extension, bool greatest);

  const Shapes& shapes_;
  Recomputer &firsts_, &lasts_;
  llvm::SmallPtrSet<const llvm::Value*, 4> counters_;
  llvm::SmallVector<std::pair<llvm::Value*, llvm::Value*>, 4> turns_;  ///< the first and the last one
  llvm::DenseMap<const llvm::Value*, llvm::Value*> replaced_;
};

}  // namespace lanza::compiler
