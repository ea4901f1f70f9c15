// Addresses as sums: which of them differ by a constant.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Value.h>

namespace lanza::compiler {

/// An address is the sum of the terms' values, each extended to 64 bits and times its factor, plus `constant` bytes.
/// That holds for active lanes: flags are believed. A function stands for what its calls give, the base of shared
/// memory.
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

/// Looks through address computations, sums and products by constants, and through extensions of what does not wrap:
/// flags say so, or `keeps_high_bits` of a value whose lanes differ in low bits only, of a sum with a constant if that
/// changes no others.
AddressTerms terms_of(
    const llvm::Value* address, const llvm::DataLayout& layout,
    llvm::function_ref<bool(const llvm::Value*)> keeps_high_bits = [](const llvm::Value*) { return false; });

}  // namespace lanza::compiler
