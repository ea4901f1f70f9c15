// Who copied which element of a tile, found by running the copies for all threads.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/vector/analysis/block_uniformity.hpp"
#include "compiler/passes/vector/scalars/thread_numbers.hpp"

namespace lanza::compiler {

/// One store, of what one load has read, by all threads of a block, once or in a loop of one block whose turns are
/// known for each thread (`for (i = t; i < 1024; i += 256) s[i / 8][i % 8] = a[(i / 8) * n + i % 8]`). Where it reads
/// is made of what all threads share and of numbers that go by thread and turn alone, its leaves: these are known for
/// each element of the tile, whatever divisions they come from.
class TileCopy {
 public:
  TileCopy(llvm::StoreInst& store, const llvm::Value& array, std::array<unsigned, 3> block);

  /// False: it is another kind of copy, or too long.
  bool run(const BlockUniformity& uniformity);

  const llvm::LoadInst& load() const { return *load_; }

  /// A part of an element's offset in the array: all values from 0 to `end` - 1, times `factor` bytes.
  struct Term {
    llvm::Value* value;
    uint64_t end;
    int64_t factor;
    bool is_x, goes_by_x;  ///< the thread's own threadIdx.x; made of it
  };

  /// Whether sums of the terms tell where the element at `constant` plus the terms was copied from, and threads along x
  /// read one address there, or neighbours.
  bool has_source(llvm::ArrayRef<Term> terms, int64_t constant) const;
  /// That address.
  llvm::Value* emit_source(llvm::IRBuilder<>& b, llvm::ArrayRef<Term> terms, int64_t constant) const;

 private:
  /// A leaf as a sum: of a constant, and of the terms times these.
  struct Fit {
    int64_t constant = 0;
    llvm::SmallVector<int64_t, 4> factors;
  };
  using Fits = std::vector<Fit>;
  using Values = llvm::SmallVector<llvm::Value*, 4>;

  bool find_leaves(llvm::Value& v, const BlockUniformity& uniformity);
  bool run_all();
  bool note(int64_t offset);
  const int64_t* copied(int64_t offset) const;
  std::optional<Fits> fit(llvm::ArrayRef<Term> terms, int64_t constant) const;
  std::optional<int64_t> times_of_x(llvm::Value& v, llvm::ArrayRef<Term> terms, const Fits& fits) const;
  llvm::Value* emit(llvm::IRBuilder<>& b, llvm::Value& v, llvm::ArrayRef<Term> terms, const Fits& fits) const;
  static llvm::Value* emit(llvm::IRBuilder<>& b, llvm::Type* type, llvm::ArrayRef<Term> terms, const Fit& fit);

  llvm::StoreInst& store_;
  llvm::LoadInst* const load_;
  const llvm::Value& array_;
  const std::array<unsigned, 3> block_;
  ThreadNumbers numbers_;
  ThreadNumbers::Number place_ = 0;  ///< of an element
  std::vector<ThreadNumbers::Number> leaves_;
  llvm::DenseMap<llvm::Value*, unsigned> leaf_of_;  ///< of a value, or of the part of a sum that is one
  llvm::DenseMap<llvm::Value*, Values> others_;     ///< the other parts of such a sum
  std::vector<int> element_of_;                     ///< by the place in the tile, from 0; -1: nobody copied it
  std::vector<int64_t> copied_;                     ///< leaves of one element after the other
};

}  // namespace lanza::compiler
