// Arguments that code may hold as numbers: what a kernel is asked to do again and again, it is compiled for.
//
// A filter of 3 x 3 whose size is an argument has loops that nobody can unroll, and quotients that cost a division
// each, and rows whose length is one begin at no place that anybody knows. Once launches with the same whole numbers
// have taken long enough, the kernel is compiled once more behind them, with these numbers in place of the arguments;
// others keep the code for any. The results are the same, bit by bit. Both are tried by turns then, and the faster one
// stays: first with the small numbers, as launches differ in the great ones, then with all.
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
  bool operator==(const FoldedArgument&) const = default;
};
using FoldedArguments = std::vector<FoldedArgument>;  // by parameter

/// Which of a launch's whole numbers code is to hold, in the order in which they are tried.
enum class FoldReach : std::uint8_t {
  Small,  ///< from -64 to 64, a block's threads, or twice as many
  All,    ///< from -2^24 to 2^24
  Tiny,   ///< from -8 to 8: loops of more turns stay loops
};
constexpr std::size_t fold_reaches = 3;

/// The integers of 32 and 64 bits of a signature.
class FoldableParameters {
 public:
  explicit FoldableParameters(const Signature& signature);

  /// Those arguments of such a launch.
  FoldedArguments of(FoldReach, const Dim3& block, const void* arguments) const;
  /// Equal for launches of which that is the same; 0: there are none. Does not allocate.
  std::uint64_t key_of(FoldReach, const Dim3& block, const void* arguments) const noexcept;

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
