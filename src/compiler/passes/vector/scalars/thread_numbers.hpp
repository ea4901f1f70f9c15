// Integers that go by the thread and by the turn of one loop alone, computed thread by thread.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// Arithmetic on constants, threadIdx and the counters of a loop of one block, `code`, if it is one.
class ThreadNumbers {
 public:
  using Number = unsigned;

  explicit ThreadNumbers(llvm::BasicBlock& code) : code_(code) {}

  /// Nothing: it is made of something else.
  std::optional<Number> of(llvm::Value& v);
  Number sum(Number a, Number b);
  Number product(Number a, uint64_t factor);
  Number product(Number a, Number b);
  /// In 64 bits.
  Number wide(Number a, bool is_signed);
  Number constant(uint64_t value);
  /// threadIdx.x, y or z, in 64 bits.
  Number index(unsigned axis) { return add({.opcode = 0, .bits = 64, .axis = static_cast<int>(axis)}); }

  /// Whether the code is no loop, or one whose turns are numbers.
  bool can_run();
  /// Calls `in_turn` in each turn of each thread of the block, in order, until it returns false. False then, and where
  /// a loop takes more than `most` turns.
  bool run(std::array<unsigned, 3> block, unsigned most, llvm::function_ref<bool()> in_turn);
  /// In `in_turn`.
  uint64_t operator[](Number n) const { return values_[n]; }

 private:
  struct Step {
    unsigned opcode;  ///< LLVM's; 0: a constant, threadIdx or a counter
    unsigned bits, from_bits = 0;
    Number a = 0, b = 0, c = 0;
    uint64_t constant = 0;
    int axis = -1;
    int counter = -1;
  };
  struct Counter {
    llvm::PHINode* phi;
    Number start = 0, next = 0;
    uint64_t value = 0;
  };

  Number add(const Step& step) { return steps_.push_back(step), static_cast<Number>(steps_.size() - 1); }
  std::optional<Number> counter(llvm::PHINode& phi);
  std::optional<Number> operation(llvm::Instruction& i);
  uint64_t value_of(const Step& step, const std::array<unsigned, 3>& thread) const;
  void compute(const std::array<unsigned, 3>& thread);

  llvm::BasicBlock& code_;
  std::vector<Step> steps_;
  std::vector<uint64_t> values_;
  llvm::DenseMap<llvm::Value*, std::optional<Number>> known_;
  llvm::SmallVector<Counter, 2> counters_;
  std::optional<Number> goes_on_;
  bool while_true_ = true;  ///< with which the loop goes on
  bool is_broken_ = false;  ///< what was made of a counter that is none
};

}  // namespace lanza::compiler
