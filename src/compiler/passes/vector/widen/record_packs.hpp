// Values of a record's units, each of all lanes, as vectors in the order of memory.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>

#include "compiler/passes/vector/widen/record_words.hpp"

namespace lanza::compiler {

/// What can be done element by element in any order, and for elements that nobody wants.
bool is_elementwise(const llvm::Instruction& i);

/// For calls that put as many units together: builds their results from what the units are made of, without erasing
/// anything, so that the better of the two can be kept.
class RecordPacks {
 public:
  explicit RecordPacks(const llvm::DominatorTree& dominators);

  /// Whoever uses what `together` gives uses what is built. False: it would take too much.
  bool replace(llvm::CallInst& together);
  /// Takes back all of it.
  void discard();

 private:
  using Instruction = llvm::Instruction;
  using Value = llvm::Value;
  using Values = llvm::SmallVector<Value*, 16>;
  struct Pack {
    Values units;    ///< null: any value will do
    Values vectors;  ///< in the order of memory
  };
  struct Home {
    unsigned pack, place;
  };

  Values make(const Values& units, Instruction* before);
  const Pack* find(const Values& units, Instruction* before) const;
  Values make_anew(const Values& units, Instruction* before);
  Values constants(const Values& units);
  Values splats(const Values& units, Instruction* before);
  Values from_homes(const Values& units, Instruction* before);
  Values same(Value* unit, const Values& units, Instruction* before);
  Values phis(const Values& units);
  Values operation(const Values& units);
  Values classes(const Values& units, Instruction* before);
  Values put_together(const Values& units, Instruction* before);

  std::optional<Home> home_of(Value* unit, Instruction* before);
  std::optional<Home> home_in_word(Value* unit, const WordPart& part);
  Values blend(const Values& units, llvm::ArrayRef<unsigned> packs, Instruction* before);
  Values permuted(const Values& vectors, llvm::ArrayRef<int> places, Instruction* before);
  bool has_home_beneath(Value* value, Instruction* before, unsigned depth);
  unsigned remember(const Values& units, const Values& vectors);
  bool is_there(const Pack& pack, const Instruction* before) const;
  unsigned position_of(const Values& units) const;

  const llvm::DominatorTree& dominators_;
  unsigned lanes_ = 0, units_ = 0;
  std::vector<Pack> packs_;
  llvm::DenseMap<const Value*, Home> homes_;
  llvm::DenseMap<const Value*, unsigned> aparts_;  ///< their packs
  llvm::DenseMap<const Instruction*, unsigned> positions_;
  llvm::SmallVector<Instruction*, 64> made_;
  llvm::SmallVector<std::pair<llvm::Use*, Value*>, 16> replaced_;  ///< and what they were
  llvm::IRBuilder<llvm::ConstantFolder, llvm::IRBuilderCallbackInserter> b_;
};

}  // namespace lanza::compiler
