// What a loop accesses, from its first address to its last, and whether that lies apart: asked at run time.
#pragma once

#include <optional>

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace lanza::compiler {

/// Addresses from `first` up to the end of what is accessed at `last`; the loop may go either way.
struct AddressRange {
  const llvm::SCEV *first, *last;
  uint64_t size;
  bool operator==(const AddressRange&) const = default;
};

/// Of `size` bytes at an address in a loop that ends after `turns` more turns; none: it is no sum of the same steps.
std::optional<AddressRange> range_of(const llvm::SCEV* address, uint64_t size, const llvm::Loop& loop,
                                     const llvm::SCEV* turns, llvm::ScalarEvolution& evolution);

/// A condition, made in front of a loop.
class ApartQuestion {
 public:
  ApartQuestion(llvm::Instruction& at, llvm::ScalarEvolution& evolution);

  /// Whether the addresses are known there.
  bool can(const AddressRange& range) const;
  void ask(const AddressRange& a, const AddressRange& b);
  /// That the predicate holds, too.
  void ask(const llvm::SCEVPredicate& predicate);
  /// The value in front of the loop.
  llvm::Value* value_of(const llvm::SCEV* expression);
  /// That all that was asked lies apart, for all lanes.
  llvm::Value* all();

 private:
  using Ends = std::pair<llvm::Value*, llvm::Value*>;  ///< the first byte, and the one behind the last
  Ends ends(const AddressRange& range);

  llvm::Instruction& at_;
  llvm::IRBuilder<> b_;
  llvm::SCEVExpander expander_;
  llvm::SmallVector<std::pair<AddressRange, Ends>, 8> known_;
  llvm::Value* all_ = nullptr;
};

}  // namespace lanza::compiler
