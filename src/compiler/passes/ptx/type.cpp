#include "compiler/passes/ptx/type.hpp"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/DerivedTypes.h>

namespace lanza::compiler::ptx {

llvm::Type* Type::ir(llvm::LLVMContext& context) const {
  if (is_float()) return bits == 32 ? llvm::Type::getFloatTy(context) : llvm::Type::getDoubleTy(context);
  return llvm::IntegerType::get(context, size());
}

std::optional<Type> type_of(llvm::StringRef modifier) {
  using Result = std::optional<Type>;
  return llvm::StringSwitch<Result>(modifier)
      .Case("pred", Type{Type::Predicate, 1})
      .Case("b8", Type{Type::Bits, 8})
      .Case("b16", Type{Type::Bits, 16})
      .Case("b32", Type{Type::Bits, 32})
      .Case("b64", Type{Type::Bits, 64})
      .Case("b128", Type{Type::Bits, 128})
      .Case("u8", Type{Type::Unsigned, 8})
      .Case("u16", Type{Type::Unsigned, 16})
      .Case("u32", Type{Type::Unsigned, 32})
      .Case("u64", Type{Type::Unsigned, 64})
      .Case("s8", Type{Type::Signed, 8})
      .Case("s16", Type{Type::Signed, 16})
      .Case("s32", Type{Type::Signed, 32})
      .Case("s64", Type{Type::Signed, 64})
      .Case("u16x2", Type{Type::Unsigned, 16, 2})
      .Case("s16x2", Type{Type::Signed, 16, 2})
      .Case("f32", Type{Type::Float, 32})
      .Case("f64", Type{Type::Float, 64})
      .Case("f16", Type{Type::Float, 16})
      .Case("f16x2", Type{Type::Float, 16, 2})
      .Case("bf16", Type{Type::Brain, 16})
      .Case("bf16x2", Type{Type::Brain, 16, 2})
      .Default(std::nullopt);
}

}  // namespace lanza::compiler::ptx
