// What two ways of a branch compute alike, of different numbers.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// The same operation on both ways, and what it is of: `first` on the one, `second` on the other one.
struct EqualWork {
  llvm::SmallVector<std::pair<llvm::Instruction*, llvm::Instruction*>, 32> pairs;  ///< as they follow on each other
  unsigned saved = 0;  ///< work of a register (analysis/operation_times.hpp), less the choices that it takes
};

/// What a block that is a way of its own computes, or loads first, without leave to do anything else: it can stand in
/// front of the rest.
class FirstWork {
 public:
  explicit FirstWork(llvm::BasicBlock& way);

  bool contains(const llvm::Value* value) const { return movable_.contains(value); }
  /// Of floats, or of their bits: what they lead to are no places, but for those that are gathered.
  const llvm::SmallVector<llvm::Instruction*, 64>& of_floats() const { return floats_; }

 private:
  bool can_move(const llvm::Instruction& i, bool may_load) const;
  bool is_of_floats(const llvm::Instruction& i) const;

  llvm::BasicBlock& way_;
  llvm::SmallPtrSet<const llvm::Value*, 32> movable_, known_;
  llvm::SmallVector<llvm::Instruction*, 64> floats_;
};

/// The pairs that save most, in the order of both ways; those that would not pay for the choice of what they are of
/// are left out.
EqualWork find_equal_work(const FirstWork& first, const FirstWork& second);

}  // namespace lanza::compiler
