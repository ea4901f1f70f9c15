#include "compiler/passes/vector/run/stagger_arrays.hpp"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace lanza::compiler {

// Of arrays of 2 KiB, also every second or third one, four are 1 KiB apart at least, and of 16 stores of each none
// meets another one's loads.
static constexpr uint64_t kStagger = 512, kLong = 1024;

uint64_t staggered(uint64_t bytes) { return bytes >= kLong && bytes % kLong == 0 ? bytes + kStagger : bytes; }

void stagger_arrays(Function& run) {
  const DataLayout& layout = run.getParent()->getDataLayout();
  for (Instruction& i : run.getEntryBlock()) {
    auto* array = dyn_cast<AllocaInst>(&i);
    if (!array || !array->isStaticAlloca() || array->isArrayAllocation()) continue;
    const uint64_t bytes = layout.getTypeAllocSize(array->getAllocatedType()).getFixedValue();
    if (staggered(bytes) == bytes) continue;
    Type* gap = ArrayType::get(Type::getInt8Ty(run.getContext()), staggered(bytes) - bytes);
    array->setAllocatedType(StructType::get(array->getAllocatedType(), gap));
  }
}

}  // namespace lanza::compiler
