// Arguments that code may hold as numbers: what a kernel is asked to do again and again, it is compiled for.
//
// A filter of 3 x 3 whose size is an argument has loops that nobody can unroll, and quotients that cost a division
// each. Once launches with the same small whole numbers have taken long enough, the kernel is compiled once more behind
// them, with these numbers in place of the arguments; others keep the code for any. The results are the same, bit by
// bit. Both are tried by turns then, and the faster one stays.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include <lanza/dim3.hpp>
#include <lanza/signature.hpp>

namespace lanza::executor {

/// A whole number among the arguments.
struct FoldedArgument {
  unsigned parameter;        ///< of the signature, from 0
  std::size_t offset, size;  ///< bytes of the packed argument block
  std::int64_t value;
};
using FoldedArguments = std::vector<FoldedArgument>;  // by parameter

/// The integers of 32 and 64 bits of a signature.
class FoldableParameters {
 public:
  explicit FoldableParameters(const Signature& signature);

  /// The arguments of such a launch that are worth it: from -64 to 64, a block's threads, or twice as many.
  FoldedArguments of(const Dim3& block, const void* arguments) const;
  /// Equal for launches of which that is the same; 0: nothing is worth it. Does not allocate.
  std::uint64_t key_of(const Dim3& block, const void* arguments) const noexcept;

 private:
  struct Place {
    unsigned parameter;
    std::size_t offset, size;
    bool is_signed;
  };
  std::vector<Place> places_;
};

/// Whether a launch has those numbers.
bool holds(const FoldedArguments& folded, const void* arguments) noexcept;

/// How long launches with the same numbers have taken. Thread-safe.
class FoldHeat {
 public:
  /// Another launch with these numbers, of so many nanoseconds. True once for them: when they have taken `limit`.
  bool grows(std::uint64_t key, double nanoseconds, double limit) noexcept;
  /// They begin anew.
  void cools(std::uint64_t key) noexcept;

 private:
  struct Entry {
    std::uint64_t key = 0, last = 0;
    double nanoseconds = 0;
    bool is_hot = false;
  };
  std::mutex mutex_;
  std::array<Entry, 8> entries_;  // the latest
  std::uint64_t launches_ = 0;
};

}  // namespace lanza::executor
