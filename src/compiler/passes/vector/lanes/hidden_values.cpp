#include "compiler/passes/vector/lanes/hidden_values.hpp"

#include <llvm/IR/InlineAsm.h>

using namespace llvm;

namespace lanza::compiler {

Value* hide(IRBuilderBase& b, Value* value, const TargetTransformInfo& host) {
  Type* type = value->getType();
  const unsigned bits = type->getPrimitiveSizeInBits();
  const unsigned widest = host.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  const bool is_vector = type->isVectorTy() && (bits == 128 || bits == 256 || bits == 512) && bits <= widest;
  if (!is_vector && !(type->isIntegerTy() && (bits == 8 || bits == 16 || bits == 32 || bits == 64))) return value;
  const char* registers = !is_vector ? "=r,0" : widest == 512 ? "=v,0" : "=x,0";
  return b.CreateCall(InlineAsm::get(FunctionType::get(type, {type}, false), "", registers, false), {value});
}

}  // namespace lanza::compiler
