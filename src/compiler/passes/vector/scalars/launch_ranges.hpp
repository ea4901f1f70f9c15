// Between which numbers a value lies in any thread of a launch, as formulas of the launch.
#pragma once

#include <memory>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/many_loops.hpp"
#include "compiler/passes/vector/analysis/guarded_differences.hpp"
#include "compiler/passes/vector/scalars/launch_test.hpp"

namespace lanza::compiler {

/// Formulas of a LaunchTest, of the value's bits as a signed number. Without formulas: nothing is known.
struct LaunchRange {
  llvm::Value *low = nullptr, *high = nullptr;

  explicit operator bool() const { return low; }
  bool is_exact() const { return low == high; }  ///< the same number in all threads
};

/// A range, and what it follows from.
struct KnownRange {
  LaunchRange range;
  llvm::SmallVector<llvm::Value*, 2> needs;  ///< conditions of the launch
  llvm::SmallVector<llvm::Value*, 3> parts;  ///< and the ranges of these values
  bool is_arithmetic = false;                ///< it is of the operands' ranges: nothing wraps
  bool is_unsigned = false;                  ///< nor as unsigned numbers
};

/// In: a kernel for one blockDim, values in registers, loops in simplified form. Each range holds where what it needs
/// is so, and with it that the value's own arithmetic does not wrap: a signed integer of its width holds the sum,
/// difference or product. Of numbers that do wrap on purpose (hashes, random numbers), or that memory holds, nothing is
/// known, nor of what only odd launches would keep in range.
class LaunchRanges {
 public:
  LaunchRanges(const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators, llvm::ScalarEvolution& evolution,
               LaunchTest& test)
      : loops_(loops),
        dominators_(dominators),
        evolution_(evolution),
        guards_(dominators, evolution),
        test_(test),
        has_many_loops_(has_many_loops(loops)) {}

  const KnownRange& of(llvm::Value& value);
  /// The same, and that it is not negative.
  KnownRange of_natural(llvm::Value& value);
  /// In threads that come to the block.
  KnownRange in(const llvm::BasicBlock& block, llvm::Value& value);
  KnownRange natural_in(const llvm::BasicBlock& block, llvm::Value& value);

 private:
  KnownRange compute(llvm::Value& value);
  KnownRange of_instruction(llvm::Instruction& i);
  KnownRange of_binary(llvm::BinaryOperator& i);
  KnownRange of_sum(llvm::BinaryOperator& i);
  KnownRange of_product(llvm::BinaryOperator& i);
  KnownRange of_quotient(llvm::BinaryOperator& i);
  KnownRange of_remainder(llvm::BinaryOperator& i);
  KnownRange of_shift(llvm::BinaryOperator& i);
  KnownRange of_mask(llvm::BinaryOperator& i);
  KnownRange of_complement(llvm::BinaryOperator& i);
  KnownRange of_bits(llvm::BinaryOperator& i);
  KnownRange of_cast(llvm::CastInst& i);
  KnownRange of_choice(llvm::SelectInst& i);
  KnownRange of_call(llvm::CallInst& i);
  KnownRange of_load(llvm::LoadInst& i);
  KnownRange of_join(llvm::PHINode& phi);
  KnownRange of_constants(llvm::Instruction& i);
  KnownRange of_known_bits(llvm::Instruction& i);
  KnownRange of_argument(const llvm::Argument& parameter, llvm::Type* type, uint64_t offset);

  /// launch_turns.cpp: counters of loops.
  struct Step;
  struct Limit;
  KnownRange of_counter(llvm::PHINode& phi);
  KnownRange of_counter_that_ends(llvm::PHINode& phi);
  KnownRange of_counter_beside(llvm::PHINode& phi);
  std::optional<Step> step_of(llvm::PHINode& phi, KnownRange& known);
  bool shrinks(llvm::PHINode& phi, llvm::Value* next);
  std::optional<Limit> limit_of(llvm::PHINode& phi, KnownRange& known);
  llvm::Value* turns_of(const llvm::Loop& loop, const llvm::PHINode& other, KnownRange& known);
  llvm::Value* way_of(const Limit& limit, llvm::Value* start, KnownRange& known);

  LaunchRange exact(llvm::Value* formula) const { return {formula, formula}; }
  LaunchRange take(KnownRange& known, llvm::Value* part);
  LaunchRange take(KnownRange& known, llvm::Use& operand);
  LaunchRange take(KnownRange& known, llvm::Value& value, const llvm::BasicBlock& block);
  void guard(KnownRange& known, LaunchRange& range, llvm::CmpInst::Predicate predicate, llvm::Value* limit);
  bool needs_at_least(KnownRange& known, const LaunchRange& range, double least);
  bool is_never_negative(const LaunchRange& range) const { return range && test_.is_never_negative(range.low); }
  bool needs_below(KnownRange& known, llvm::Value* high, double limit);
  KnownRange in_range(KnownRange known, const llvm::Instruction& i);
  KnownRange below(KnownRange known, double limit);
  void settle_difference(KnownRange& known, LaunchRange& range, llvm::Value& difference, const llvm::BasicBlock* block);
  LaunchRange joined(const LaunchRange& a, const LaunchRange& b);

  const llvm::LoopInfo& loops_;
  const llvm::DominatorTree& dominators_;
  llvm::ScalarEvolution& evolution_;
  GuardedDifferences guards_;
  LaunchTest& test_;
  const bool has_many_loops_;
  llvm::DenseMap<const llvm::Value*, std::unique_ptr<KnownRange>> known_;
  unsigned depth_ = 0;
};

/// The numbers that are taken for not wrapping: below 2^31, and of 64 bits those that doubles hold.
double greatest_of(unsigned width);

}  // namespace lanza::compiler
