// The types of PTX's instructions.
#pragma once

#include <optional>

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Type.h>

namespace lanza::compiler::ptx {

struct Type {
  enum Kind { Bits, Unsigned, Signed, Float, Brain, Predicate };
  Kind kind = Bits;
  unsigned bits = 0;      ///< of an element
  unsigned elements = 1;  /// 2: "f16x2"

  bool is_integer() const { return kind == Bits || kind == Unsigned || kind == Signed; }
  bool is_signed() const { return kind == Signed; }
  bool is_float() const { return kind == Float && bits >= 32; }  ///< f32 and f64: what a host computes with
  bool is_half() const { return (kind == Float && bits == 16) || kind == Brain; }
  unsigned size() const { return bits * elements; }
  /// f32 and f64 are LLVM's; a predicate is an i1; all others are integers of their size.
  llvm::Type* ir(llvm::LLVMContext& context) const;
};

/// None: no type, or one that is not supported.
std::optional<Type> type_of(llvm::StringRef modifier);

inline constexpr Type kWord{Type::Bits, 32}, kLong{Type::Bits, 64}, kPredicate{Type::Predicate, 1};

}  // namespace lanza::compiler::ptx
