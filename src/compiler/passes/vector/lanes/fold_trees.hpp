// Vectors that are folded into one number.
#pragma once

#include <optional>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// A vector's first lanes are combined with as many behind them, in one operation or several (`fmaxf` is some).
struct FoldStep {
  llvm::Instruction* from;
  llvm::SmallVector<llvm::Instruction*, 8> code;  ///< in its order, halves taken and casts among it; last the result

  llvm::Instruction* result() const { return code.back(); }
};

/// `source`, of `lanes` lanes, a power of two, is folded until one is left: lane 0 of the result. All of it is in one
/// block, and nobody else looks at what comes in between.
struct FoldTree {
  llvm::Instruction* source;
  unsigned lanes;
  llvm::SmallVector<FoldStep, 5> steps;

  llvm::Instruction* result() const { return steps.back().result(); }
  /// Whether the other one does the same with its own source.
  bool is_like(const FoldTree& other) const;
};

enum class Half { none, first, second };
/// Which half of the first `lanes` lanes of `of`, or of its bits, `value` has in its first lanes.
Half half_of(const llvm::Value& value, const llvm::Instruction& of, unsigned lanes);

std::optional<FoldTree> find_fold_tree(llvm::Instruction& source);

}  // namespace lanza::compiler
