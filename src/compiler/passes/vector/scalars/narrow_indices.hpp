// Indices of 64 bits that 32 hold in usual launches are computed in 32.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/vector/scalars/launch_ranges.hpp"

namespace lanza::compiler {

/// In: a kernel, still nvptx64, values in registers. Out: what addresses and comparisons take, as `a[y * w + x]` of
/// size_t, is computed in 32 bits and extended, as if indices were int: products by a size that only the launch knows,
/// quotients, counters. A launch is asked whether 32 bits hold each of these values as a signed number; it takes more
/// questions than there may be: nothing changes. Values of which nothing is known stay as they are, and what is made of
/// them. What was replaced is there, without users, until erase(): LaunchRanges keeps notes of values.
class NarrowIndices {
 public:
  /// `require`: asks the launch whether a range is so, with all that it follows from.
  using Require = llvm::function_ref<void(llvm::Value&)>;

  NarrowIndices(llvm::Function& kernel, LaunchRanges& ranges, LaunchTest& test)
      : kernel_(kernel), ranges_(ranges), test_(test) {}
  void run(Require require);
  void erase();

 private:
  void join_addresses();
  void find(llvm::Value* value);
  void find_questions();
  bool is_found(llvm::Value* value) const;
  void drop_unknown();
  bool gains() const;
  bool ask(Require require);
  bool ask_range(LaunchRange range);
  bool ask_natural(llvm::User& user);
  bool ask_operation(llvm::Value& value);
  void ask_parts(llvm::Value& value);
  llvm::Value* narrow(llvm::Value* value);
  llvm::Value* make(llvm::Instruction& i);
  void extend(llvm::Instruction& i);
  void replace(llvm::ICmpInst& question);

  llvm::Function& kernel_;
  LaunchRanges& ranges_;
  LaunchTest& test_;
  llvm::SmallSetVector<llvm::Value*, 32> found_;
  llvm::SmallVector<llvm::ICmpInst*, 8> questions_;
  llvm::SmallSetVector<llvm::Value*, 32> conditions_;
  llvm::SmallPtrSet<llvm::Value*, 32> low_, high_;  ///< formulas that are asked for
  llvm::SmallPtrSet<llvm::Value*, 32> seen_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> narrow_;
  llvm::SmallVector<llvm::Instruction*, 32> replaced_;
};

}  // namespace lanza::compiler
