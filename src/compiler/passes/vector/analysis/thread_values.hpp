// Values that follow from the thread's index alone.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <llvm/ADT/APInt.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/vector/analysis/value_facts.hpp"

namespace lanza::compiler {

/// Integers of a kernel in SPMD form that are computed from constants and thread indices, for every thread of a block.
class ThreadValues {
 public:
  using Values = std::vector<llvm::APInt>;

  explicit ThreadValues(std::array<unsigned, 3> block) : block_(block) {}

  /// By thread, x fastest; null where the value depends on anything else. Good until the value is erased.
  const Values* of(const llvm::Value* value);
  /// What a value that depends on anything else counts as from here on.
  void assume(const llvm::Value* value, Values values) { known_[value] = std::make_unique<Values>(std::move(values)); }

 private:
  std::optional<Values> compute(const llvm::Value* value);
  std::optional<Values> of_instruction(const llvm::Instruction& i);
  Values of_index(unsigned axis) const;
  unsigned threads() const { return block_[0] * block_[1] * block_[2]; }

  const std::array<unsigned, 3> block_;
  ValueFacts<Values> known_;
};

}  // namespace lanza::compiler
