// Index sums of 32 bits that might wrap: what must hold so that they do not, and what they are then.
#pragma once

#include <optional>

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/scalars/recompute.hpp"

namespace lanza::compiler {

/// The operand of an extension to 64 bits as a sum, in 32 bits that wrap: parts that the lanes share, parts that go
/// with the lanes and are never negative themselves, and a constant.
struct IndexSum {
  struct Part {
    llvm::Value* value;
    uint32_t factor;  ///< of 32 bits that wrap: -1 where the lanes go backwards
    bool operator==(const Part&) const = default;
  };
  using Parts = llvm::SmallVector<Part, 4>;

  llvm::CastInst* extension;
  Parts uniform, varying;
  uint32_t constant = 0;
  /// What the varying parts add at most, and what those of negative factors take away at most.
  struct Reach {
    uint64_t up = 0, down = 0;
  };
  std::optional<Reach> reach;  ///< where it is known
  /// Else, where the only varying part counts a loop that goes on below a limit all lanes share: it is never more than
  /// the limit less one, or than the start.
  struct Counter {
    llvm::Value* limit = nullptr;
    uint32_t start = 0;
    bool is_signed = false;  ///< the comparison
  };
  std::optional<Counter> counter;

  bool is_signed() const { return llvm::isa<llvm::SExtInst>(extension); }
};

/// Nothing where the extension is regular without a test, or would not be with one.
std::optional<IndexSum> index_sum(llvm::CastInst& extension, const Shapes& shapes, llvm::ScalarEvolution& evolution);

/// What is asked in front of a piece of code, so that in it sums do not wrap. Sums whose uniform parts differ by a
/// constant share one test, of 32-bit numbers that all lanes share, where the range of the others is known.
class SumTests {
 public:
  SumTests(llvm::Instruction* at, const llvm::DominatorTree& dominators, const Shapes& shapes)
      : copies_(at, dominators), shapes_(shapes) {}

  /// False: it cannot be asked here.
  bool take(const IndexSum& sum);
  bool empty() const { return sums_.empty(); }
  llvm::ArrayRef<IndexSum> sums() const { return sums_; }
  /// Emits the tests; their conjunction.
  llvm::Value* all();
  /// Where all tests hold, and behind them: what `sums()[k].extension` is, as a sum of 64 bits. `here` says what stands
  /// for a varying part of the sum.
  llvm::Value* extended(unsigned k, llvm::IRBuilder<>& b, llvm::function_ref<llvm::Value*(llvm::Value*)> here) const;

 private:
  struct Base {
    IndexSum::Parts parts;
    bool is_signed;
    int64_t low, high;             ///< of the constants of its sums
    IndexSum::Reach reach;         ///< of the varying parts of its sums, where known
    llvm::Value* value = nullptr;  ///< with `low`
  };
  bool shares(const Base& base, const IndexSum& sum) const;
  void ask(llvm::Value* holds, bool uniform);
  void ask_for(Base& base);
  void ask_for_unknown(const IndexSum& sum, const Base& base);

  Recomputer copies_;
  const Shapes& shapes_;
  llvm::SmallVector<IndexSum, 8> sums_;
  llvm::SmallVector<unsigned, 8> base_of_;
  llvm::SmallVector<Base, 4> bases_;
  llvm::Value* all_ = nullptr;
};

}  // namespace lanza::compiler
