// Addresses as sums: of what all threads share, times numbers that go by the thread and its turn alone.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/vector/scalars/recompute.hpp"
#include "compiler/passes/vector/scalars/thread_numbers.hpp"

namespace lanza::compiler {

/// Values that all threads of a block share, each with a number, in the order in which they were found.
class SharedValues {
 public:
  using Extension = Recomputer::Extension;
  struct Shared {
    llvm::Value* value;
    Extension extension;  ///< to 64 bits
    bool operator==(const Shared&) const = default;
  };

  explicit SharedValues(std::function<bool(const llvm::Value&)> is_shared) : is_shared_(std::move(is_shared)) {}

  std::optional<unsigned> number_of(llvm::Value& v, Extension extension);
  const Shared& operator[](unsigned n) const { return values_[n]; }

 private:
  std::function<bool(const llvm::Value&)> is_shared_;
  std::vector<Shared> values_;
};

/// `(first + ty - 1) * w + tx` is first * w times 1, w times ty - 1, and 1 times tx. Flags are believed, as they hold
/// in threads that come there.
class ThreadSums {
 public:
  using Product = llvm::SmallVector<unsigned, 2>;  ///< of shared values, by their numbers, ascending; empty: 1
  using Sum = std::map<Product, ThreadNumbers::Number>;

  ThreadSums(SharedValues& shared, ThreadNumbers& numbers) : shared_(shared), numbers_(numbers) {}

  /// Bytes from `base` on; nothing: it is no such sum.
  std::optional<Sum> offset(llvm::Value& address, const llvm::Value& base);

 private:
  using Extension = Recomputer::Extension;

  std::optional<Sum> of(llvm::Value& v, Extension extension, unsigned depth);
  std::optional<Sum> of_operation(llvm::Instruction& i, Extension extension, unsigned depth);
  std::optional<Sum> product(const Sum& a, const Sum& b);
  void add(Sum& sum, const Sum& other, int64_t times);

  SharedValues& shared_;
  ThreadNumbers& numbers_;
};

/// Products of shared values, computed in 64 bits in front of an instruction.
class SharedProducts {
 public:
  SharedProducts(const SharedValues& shared, Recomputer& place) : shared_(shared), place_(place) {}

  llvm::IRBuilder<>& builder() { return place_.builder; }
  llvm::Value* of(const ThreadSums::Product& product);

 private:
  const SharedValues& shared_;
  Recomputer& place_;
  std::map<ThreadSums::Product, llvm::Value*> known_;
};

}  // namespace lanza::compiler
