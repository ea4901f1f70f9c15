// What single lanes of vectors hold, as scalars: addresses, and the words of which indices are parts.
#pragma once

#include <optional>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/IRBuilder.h>

namespace lanza::compiler {

/// Vectors of words of which several indices are parts, `v & 255`, `v >> 8 & 255`: each word leaves its vector once, or
/// is loaded by itself, and is taken apart as a scalar.
class LaneWords {
 public:
  /// `at`: where parts will be asked for. `hides`: nobody is to look from a lane into the vector, if there is a host.
  LaneWords(const llvm::Instruction& at, const llvm::TargetTransformInfo* hides) : at_(at), hides_(hides) {}

  /// The vector that `index` holds a part of in each lane; `index` itself, where it is none.
  static llvm::Value* whole(llvm::Value* index);

  void add(llvm::Value* whole) { wholes_.insert(whole); }
  bool has(llvm::Value* index) const { return wholes_.contains(whole(index)); }
  llvm::Value* part(llvm::IRBuilder<>& b, llvm::Value* index, unsigned lane);

 private:
  llvm::Value* word(llvm::IRBuilder<>& b, llvm::Value* whole, unsigned lane);

  const llvm::Instruction& at_;
  const llvm::TargetTransformInfo* hides_;
  llvm::SmallPtrSet<llvm::Value*, 4> wholes_;
  llvm::SmallDenseMap<llvm::Value*, llvm::Value*, 4> hidden_;
  llvm::DenseMap<std::pair<llvm::Value*, unsigned>, llvm::Value*> words_;
};

using LaneSteps = llvm::SmallVector<int64_t, 16>;

/// Of each lane the bytes from an address that all share, where they are constant; empty: all the same. Nothing where
/// they are not constant.
std::optional<LaneSteps> lane_steps(llvm::Value* addresses);

/// The lanes of a vector of addresses, as scalars.
class LaneAddresses {
 public:
  /// `hides`: nobody is to look from a lane's index into the vector, if there is a host. `words`: indices that are
  /// parts of those, if there are any, are taken from them.
  LaneAddresses(llvm::IRBuilder<>& b, llvm::Value* all, const llvm::TargetTransformInfo* hides,
                LaneWords* words = nullptr);

  llvm::Value* operator[](unsigned lane);
  /// Of each lane the bytes, from an address that all share; empty: not constant, or all the same.
  llvm::ArrayRef<int64_t> steps() const { return is_stepped_ ? llvm::ArrayRef(steps_) : llvm::ArrayRef<int64_t>(); }

 private:
  llvm::Value* address(llvm::Value* all, unsigned lane);
  llvm::Value* value(llvm::Value* all, unsigned lane);
  llvm::Value* compute(llvm::Value* all, unsigned lane);

  llvm::IRBuilder<>& b_;
  const llvm::TargetTransformInfo* hides_;
  LaneWords* words_;
  llvm::Value *const all_, *first_ = nullptr;
  LaneSteps steps_;
  llvm::SmallDenseMap<llvm::Value*, llvm::Value*, 4> hidden_;
  bool is_stepped_;
};

/// True when something from `first` on, itself included, and before `last` may write to memory. Both are in one block.
bool may_be_written_between(const llvm::Instruction& first, const llvm::Instruction& last);

}  // namespace lanza::compiler
