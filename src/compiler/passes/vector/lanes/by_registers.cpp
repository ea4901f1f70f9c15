#include "compiler/passes/vector/lanes/by_registers.hpp"

#include <llvm/Analysis/VectorUtils.h>

using namespace llvm;

namespace lanza::compiler {

Value* by_registers(IRBuilder<>& b, ArrayRef<Value*> operands, function_ref<Value*(ArrayRef<Value*>)> each) {
  constexpr unsigned kRegisterBits = 512;
  auto* type = cast<FixedVectorType>(operands[0]->getType());
  const unsigned lanes = type->getNumElements();
  if (lanes * type->getScalarSizeInBits() <= kRegisterBits) return each(operands);
  auto half = [&](unsigned first) {
    SmallVector<Value*, 4> parts;
    for (Value* operand : operands)
      parts.push_back(b.CreateShuffleVector(operand, createSequentialMask(first, lanes / 2, 0)));
    return by_registers(b, parts, each);
  };
  Value *low = half(0), *high = half(lanes / 2);
  return b.CreateShuffleVector(low, high, createSequentialMask(0, lanes, 0));
}

}  // namespace lanza::compiler
