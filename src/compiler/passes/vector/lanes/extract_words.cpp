#include "compiler/passes/vector/lanes/extract_words.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/KnownBits.h>

#include "compiler/passes/vector/lanes/hidden_values.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kWord = 64, kFewest = 4;

static bool is_index(const Instruction& i) {
  return any_of(i.users(), [](const User* user) {
    return isa<GetElementPtrInst>(user) || (isa<SExtInst, ZExtInst>(user) && any_of(user->users(), [](const User* u) {
                                              return isa<GetElementPtrInst>(u);
                                            }));
  });
}

// Added to a counter, say. What is stored as it is leaves its vector for memory.
static bool is_computed_with(const Instruction& i) {
  return all_of(i.users(), [](const User* user) { return isa<BinaryOperator, AtomicRMWInst>(user); });
}

// Where bits of all lanes are known (x & 31), LLVM 19 may take the index above it for zeros, and both for one index.
static bool has_known_bits(const Value& vector, const DataLayout& layout) {
  return vector.getType()->getScalarSizeInBits() == 32 && !computeKnownBits(&vector, layout).isUnknown();
}

static bool is_part_of_word(const Instruction& i) {
  if (!isa<ExtractElementInst>(i) || !isa<ConstantInt>(i.getOperand(1))) return false;
  const auto* vector = cast<FixedVectorType>(i.getOperand(0)->getType());
  const unsigned bits = vector->getScalarSizeInBits();
  if (!i.getType()->isIntegerTy() || bits * vector->getNumElements() % kWord) return false;
  return bits == 8 || bits == 16 || (bits == 32 && (is_index(i) || is_computed_with(i)));
}

// In the order of the block: the first of them stands in front of all others.
static void take_words(Value* vector, ArrayRef<ExtractElementInst*> elements, const TargetTransformInfo& host) {
  const auto* type = cast<FixedVectorType>(vector->getType());
  const unsigned bits = type->getScalarSizeInBits(), in_word = kWord / bits;
  IRBuilder<> b(elements.front());
  if (const DataLayout& layout = elements.front()->getDataLayout(); has_known_bits(*vector, layout)) {
    vector = hide(b, vector, host);
    if (has_known_bits(*vector, layout)) return;
  }
  Type* word_type = b.getIntNTy(kWord);
  Value* words = b.CreateBitCast(vector, FixedVectorType::get(word_type, type->getNumElements() / in_word));
  SmallVector<Value*, 8> word;
  for (unsigned k = 0; k < type->getNumElements() / in_word; ++k) word.push_back(b.CreateExtractElement(words, k));
  for (ExtractElementInst* element : elements) {
    const uint64_t lane = cast<ConstantInt>(element->getIndexOperand())->getZExtValue();
    if (lane >= type->getNumElements()) continue;
    b.SetInsertPoint(element);
    Value* part = word[lane / in_word];
    if (const uint64_t shift = lane % in_word * bits) part = b.CreateLShr(part, shift);
    element->replaceAllUsesWith(b.CreateTrunc(part, element->getType()));
    element->eraseFromParent();
  }
}

void extract_words(Function& function, const TargetTransformInfo& host) {
  for (BasicBlock& block : function) {
    MapVector<Value*, SmallVector<ExtractElementInst*, 16>> of_vector;
    for (Instruction& i : block)
      if (is_part_of_word(i)) of_vector[i.getOperand(0)].push_back(cast<ExtractElementInst>(&i));
    for (auto& [vector, elements] : of_vector)
      if (elements.size() >= kFewest) take_words(vector, elements, host);
  }
}

}  // namespace lanza::compiler
