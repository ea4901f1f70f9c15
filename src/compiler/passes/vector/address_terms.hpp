// Addresses as sums: which of them differ by a constant.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Value.h>

namespace lanza::compiler {

/// An address is the sum of the terms' values, each extended to 64 bits and times its factor, plus `constant` bytes.
/// That holds for active lanes: flags are believed.
struct AddressTerms {
  enum Extension : uint8_t { None, Sign, Zero };
  struct Term {
    const llvm::Value* value;
    Extension extension;
    uint64_t factor;
    bool operator==(const Term&) const = default;
  };
  llvm::SmallVector<Term, 4> terms;  ///< each value once
  uint64_t constant = 0;

  /// True when the addresses differ by the difference of their constants, in every lane.
  bool has_same_terms(const AddressTerms& other) const;
};

/// Looks through address computations, sums and products by constants, and through extensions of what does not wrap.
AddressTerms terms_of(const llvm::Value* address, const llvm::DataLayout& layout);

}  // namespace lanza::compiler
