#include "compiler/passes/vector/scalars/prefetch_turns.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static constexpr unsigned kMostArrays = 8;
static constexpr uint64_t kAhead = 1024;  // bytes

// The index, or what differs from it by a constant.
static bool follows(const Value* v, const Value* index) {
  const Value* before;
  return v == index ||
         ((match(v, m_ZExtOrSExt(m_Value(before))) || match(v, m_Add(m_Value(before), m_ConstantInt()))) &&
          follows(before, index));
}

// Bytes from one element to the next; 0 where the address depends on the index in another way.
static uint64_t element_size(const GetElementPtrInst& address, const Value* index) {
  const DataLayout& layout = address.getModule()->getDataLayout();
  uint64_t size = 0;
  for (auto type = gep_type_begin(address); type != gep_type_end(address); ++type) {
    if (isa<Constant>(type.getOperand())) continue;
    if (size || !type.isSequential() || !follows(type.getOperand(), index)) return 0;
    size = type.getSequentialElementStride(layout).getFixedValue();
  }
  return size;
}

void prefetch_turns(ArrayRef<BasicBlock*> loop, const Value* index, Value* turn, uint64_t elements, uint64_t most) {
  SmallPtrSet<const Value*, 8> arrays;
  for (BasicBlock* block : loop)
    for (Instruction& i : *block) {
      auto* address = dyn_cast_or_null<GetElementPtrInst>(getLoadStorePointerOperand(&i));
      const uint64_t size = address ? element_size(*address, index) : 0;
      if (!size || size > most || arrays.size() == kMostArrays || !arrays.insert(address->getPointerOperand()).second)
        continue;
      IRBuilder<> b(&i);
      const uint64_t turns = std::max(kAhead / (size * elements), uint64_t{1});
      Value* bytes = b.CreateMul(b.CreateSExt(turn, b.getInt64Ty()), b.getInt64(size * turns));
      Value* there = b.CreateGEP(b.getInt8Ty(), address, bytes);
      b.CreateIntrinsic(Intrinsic::prefetch, {there->getType()},
                        {there, b.getInt32(isa<StoreInst>(i)), b.getInt32(3), b.getInt32(1)});
    }
}

}  // namespace lanza::compiler
