// Addresses of lanes as sums, to find those that lie side by side.
#pragma once

#include <compare>
#include <cstdint>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Value.h>

namespace lanza::compiler {

/// How an index becomes one of 64 bits.
enum class Extension : uint8_t { None, Signed, Unsigned };

/// What an address is made of, but for constants; of a vector of addresses, in each lane.
struct Term {
  const llvm::Value* value;
  Extension extension;
  int64_t bytes;  ///< that it counts for
  auto operator<=>(const Term&) const = default;
};

/// An address as something that two of them may have in common, and a number of bytes.
struct Place {
  llvm::SmallVector<Term, 4> terms;  ///< sorted
  int64_t bytes = 0;
};

/// Of a scalar address, or of a vector's: two places with the same terms differ by their bytes, in each lane.
Place place_of(const llvm::Value* address, const llvm::DataLayout& layout);

}  // namespace lanza::compiler
