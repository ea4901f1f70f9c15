// Which quotient or remainder of a flat index a value is, whatever the rows are.
#pragma once

#include <optional>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstrTypes.h>

namespace lanza::compiler {

/// Of a product of integers made of the kernel's arguments, each once or more often.
using IndexFactors = llvm::SmallVector<llvm::Value*, 4>;

/// A shift is a power of two.
IndexFactors index_factors(llvm::Value* product);

/// Those of `all` that are left without `some`; nothing: `some` are not all among them.
std::optional<IndexFactors> without_factors(IndexFactors all, const IndexFactors& some);

IndexFactors factor_product(IndexFactors a, const IndexFactors& b);

/// A quotient or a remainder of 32 or 64 bits by a number made of the kernel's arguments, also by a power of two, as
/// LLVM writes it.
struct IndexDivision {
  llvm::BinaryOperator* operation = nullptr;
  bool is_remainder = false;
  llvm::Value* divisor = nullptr;  ///< without its guard
};

std::optional<IndexDivision> as_index_division(llvm::Instruction& i);

/// By a number above 0, as launches ask for. Shifts have a quotient for less.
bool can_be_real(const IndexDivision& division);

/// A divisor without its guard, also where LLVM has put that in front of an extension.
llvm::Value* without_division_guard(llvm::Value* guarded);

/// index / below % size
struct IndexSpan {
  IndexFactors below;
  std::optional<IndexFactors> size;  ///< nothing: there is no end

  /// A quotient or remainder of it; nothing: that is no such part of the index.
  std::optional<IndexSpan> part(const IndexFactors& divisor, bool is_remainder) const;
};

}  // namespace lanza::compiler
