// Which lanes of vectors somebody looks at.
#pragma once

#include <llvm/ADT/APInt.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// 0: no vector.
unsigned lanes_of(const llvm::Value& value);

/// Lane l of the result follows from lane l of the operands, all of which have as many lanes, as those of a cast from
/// floats to their bits have.
bool is_lane_by_lane(const llvm::Instruction& i);

/// The lanes of each vector that somebody looks at: what is done lane by lane, and shuffles, look at lanes of their
/// operands only for those of their own that are looked at.
class LanesInUse {
 public:
  explicit LanesInUse(llvm::Function& function);

  llvm::APInt of(const llvm::Instruction& i) const;

 private:
  void ask_all(const llvm::Instruction& i);
  void ask(const llvm::Instruction& i);
  void ask_sources(const llvm::ShuffleVectorInst& shuffle, const llvm::APInt& lanes);
  void use(const llvm::Value* value, const llvm::APInt& lanes);

  llvm::DenseMap<const llvm::Instruction*, llvm::APInt> used_;
  llvm::SmallSetVector<const llvm::Instruction*, 32> work_;
};

}  // namespace lanza::compiler
