#include "compiler/passes/vector/lanes/picked_lanes.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace lanza::compiler {

// Sapphire Rapids hands a load what lies in the first half of a store of 64 bytes in 5 cycles, in the other one in 17.
static constexpr unsigned kHandedOn = 256;  // bits

// Elements of whole bytes, of which an index can be cut down to the lanes.
static bool lies_in_memory(const FixedVectorType& type, const DataLayout& layout) {
  const uint64_t bits = layout.getTypeSizeInBits(type.getElementType()).getFixedValue();
  return bits >= 8 && isPowerOf2_64(bits) && isPowerOf2_32(type.getNumElements());
}

// The outermost one in which the vector stays what it is: where it is stored.
static Loop* loop_of_one_vector(const ExtractElementInst& lane, const LoopInfo& loops) {
  auto* vector = dyn_cast<Instruction>(lane.getVectorOperand());
  if (!vector || isa<ConstantInt>(lane.getIndexOperand())) return nullptr;
  Loop* found = nullptr;
  for (Loop* loop = loops.getLoopFor(lane.getParent()); loop && !loop->contains(vector); loop = loop->getParentLoop())
    found = loop;
  return found;
}

static AllocaInst* store_in_front(Value& vector, const Loop& loop, Function& run) {
  IRBuilder<> b(&*run.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  AllocaInst* memory = b.CreateAlloca(vector.getType());
  b.SetInsertPoint(loop.getLoopPreheader()->getTerminator());
  const auto* type = cast<FixedVectorType>(vector.getType());
  const unsigned bits = run.getDataLayout().getTypeSizeInBits(type->getElementType()).getFixedValue();
  const unsigned lanes = type->getNumElements();
  const unsigned part = std::min(lanes, kHandedOn / bits);
  for (unsigned first = 0; first < lanes; first += part) {
    Value* some =
        part == lanes ? &vector : b.CreateShuffleVector(&vector, to_vector<32>(seq<int>(first, first + part)));
    Value* place = b.CreateConstInBoundsGEP1_64(type->getElementType(), memory, first);
    // Volatile, else code generation makes one store of them again.
    b.CreateAlignedStore(some, place, commonAlignment(memory->getAlign(), first * bits / 8), part != lanes);
  }
  return memory;
}

static void load(ExtractElementInst& lane, AllocaInst& memory) {
  IRBuilder<> b(&lane);
  const auto* type = cast<FixedVectorType>(memory.getAllocatedType());
  // An index beyond the lanes gives any value, and reads no other memory.
  Value* index = b.CreateZExtOrTrunc(lane.getIndexOperand(), b.getInt64Ty());
  index = b.CreateAnd(index, type->getNumElements() - 1);
  Value* place = b.CreateInBoundsGEP(type->getElementType(), &memory, index);
  lane.replaceAllUsesWith(b.CreateLoad(lane.getType(), place));
  lane.eraseFromParent();
}

bool store_picked_lanes(Function& run, LoopInfo& loops, DominatorTree& dominators) {
  MapVector<std::pair<Value*, Loop*>, SmallVector<ExtractElementInst*, 4>> picked;
  for (Instruction& i : instructions(run)) {
    auto* lane = dyn_cast<ExtractElementInst>(&i);
    auto* type = lane ? dyn_cast<FixedVectorType>(lane->getVectorOperandType()) : nullptr;
    if (!type || !lies_in_memory(*type, run.getDataLayout())) continue;
    if (Loop* loop = loop_of_one_vector(*lane, loops)) picked[{lane->getVectorOperand(), loop}].push_back(lane);
  }
  for (auto& [where, lanes] : picked) {
    Loop* loop = where.second;
    if (!loop->getLoopPreheader() &&
        !InsertPreheaderForLoop(loop, &dominators, &loops, nullptr, /*PreserveLCSSA=*/false))
      continue;
    AllocaInst* memory = store_in_front(*where.first, *where.second, run);
    for (ExtractElementInst* lane : lanes) load(*lane, *memory);
  }
  return !picked.empty();
}

}  // namespace lanza::compiler
