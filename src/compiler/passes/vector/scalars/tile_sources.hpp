// Who copied which element of a tile, by several stores and on ways that go by the thread, and from where.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/vector/scalars/kernel_part.hpp"
#include "compiler/passes/vector/scalars/thread_sums.hpp"

namespace lanza::compiler {

/// The copies are run for all threads: stores to shared memory of what a load of the same block has read. Where they
/// read is a sum of shared values times numbers (ThreadSums), which are noted for each element of the tile.
class TileSources {
 public:
  using Product = ThreadSums::Product;

  TileSources(const KernelPart& part, SharedValues& shared) : part_(part), shared_(shared) {}

  /// False: it is another kind of store.
  bool run(llvm::StoreInst& store);

  /// Each product is multiplied by a constant and the terms' values times these.
  struct Fit {
    int64_t constant = 0;
    llvm::SmallVector<int64_t, 4> factors;
  };
  /// Where a load from the tile may read instead: bytes behind `base`, an argument.
  struct Source {
    struct Term {
      llvm::Value* value;  ///< null: the thread's index on `axis`
      unsigned axis;
      int64_t begin, end;  ///< values from `begin` to `end` - 1
      int64_t factor;      ///< of its offset in the tile
    };
    const llvm::Value* base = nullptr;
    llvm::SmallVector<Term, 4> terms;
    int64_t constant = 0;  ///< of its offset in the tile
    std::map<Product, Fit> fits;
  };
  /// Nothing: it may read what nobody copied, or elements that do not lie side by side for threads along x.
  std::optional<Source> source_of(llvm::LoadInst& load);

  /// How many rows all loads read, from one thread's place on: other numbers for products of shared values.
  size_t rows() const { return rows_.size(); }
  /// Whether all loads begin at one place of a line of the cache, if rows are a multiple of a line apart.
  bool reads_columns() const { return starts_.size() == 1; }
  /// Of all copies.
  llvm::Align align() const { return align_; }

 private:
  using Factors = std::map<Product, int64_t>;
  struct Element {
    const llvm::Value* base;
    llvm::Type* type;
    Factors offset;
  };
  struct Threads {
    std::array<uint64_t, 3> first, last;
  };

  bool note(int64_t at, Element element);
  bool find_terms(llvm::LoadInst& load, Source& source);
  std::optional<std::pair<int64_t, int64_t>> range_of(const llvm::Value& v);
  std::optional<Threads> threads_of(llvm::BasicBlock& block) const;
  bool fit(Source& source, const llvm::Type* type);
  bool holds(const Source& source, const llvm::Type* type, uint64_t n);
  static bool reads_neighbours(const Source& source, int64_t size);
  const Element* element(int64_t offset, const llvm::Type* type) const;

  const KernelPart& part_;
  SharedValues& shared_;
  std::map<int64_t, Element> elements_;  ///< by their offset in shared memory
  std::set<std::vector<int64_t>> rows_;
  std::set<int64_t> starts_;  ///< bytes behind the beginning of a line that a row of threads reads from
  llvm::Align align_{16};
};

}  // namespace lanza::compiler
