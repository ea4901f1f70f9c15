#include "compiler/passes/vector/widen/record_words.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/widen/record_shuffles.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static bool is_part_of(unsigned bits, unsigned word_bits) {
  return (bits == 8 || bits == 16) && bits < word_bits && (word_bits == 16 || word_bits == 32);
}

// Else it is a number of which the lower bits are taken.
static bool is_loaded(const Value* word) {
  auto* call = dyn_cast<IntrinsicInst>(word);
  if (auto* phi = dyn_cast<PHINode>(word))
    return all_of(phi->incoming_values(), [](const Use& use) { return !isa<PHINode>(use) && is_loaded(use.get()); });
  return isa<LoadInst>(word) || (call && call->getIntrinsicID() == Intrinsic::masked_load);
}

WordPart as_word_part(Value& value) {
  Value *shifted, *word;
  if (!isa<FixedVectorType>(value.getType()) || !match(&value, m_Trunc(m_Value(shifted)))) return {};
  const APInt* shift;
  unsigned at = 0;
  if (match(shifted, m_LShr(m_Value(word), m_APInt(shift))))
    at = shift->getLimitedValue(64);
  else
    word = shifted;
  const unsigned bits = value.getType()->getScalarSizeInBits(), word_bits = word->getType()->getScalarSizeInBits();
  if (!is_part_of(bits, word_bits) || at % bits || at >= word_bits || !is_loaded(word)) return {};
  return {word, at / bits, word_bits / bits};
}

SmallVector<Value*, 16> split_words(IRBuilderBase& b, Value& word, unsigned parts) {
  auto* type = cast<FixedVectorType>(word.getType());
  const unsigned lanes = type->getNumElements();
  Type* part = b.getIntNTy(type->getScalarSizeInBits() / parts);
  Value* all = b.CreateBitCast(&word, FixedVectorType::get(part, lanes * parts));
  SmallVector<Value*, 16> vectors;
  for (unsigned q = 0; q < parts; ++q)
    vectors.push_back(b.CreateShuffleVector(all, createSequentialMask(q * lanes, lanes, 0)));
  return vectors;
}

// Writes each part at its place; true if the word is made of such, each once.
static bool find_parts(Value* word, SmallVectorImpl<Value*>& parts) {
  Value *x, *y;
  const APInt* shift = nullptr;
  if (match(word, m_Or(m_Value(x), m_Value(y)))) return find_parts(x, parts) && find_parts(y, parts);
  if (!match(word, m_Shl(m_Value(x), m_APInt(shift)))) x = word;
  if (!match(x, m_ZExt(m_Value(y)))) return false;
  const unsigned bits = y->getType()->getScalarSizeInBits(), word_bits = word->getType()->getScalarSizeInBits();
  const unsigned at = shift ? shift->getLimitedValue(64) : 0;
  if (!is_part_of(bits, word_bits) || at % bits || at >= word_bits) return false;
  parts.resize(word_bits / bits, nullptr);
  Value*& place = parts[at / bits];
  if (place || (parts[0] && parts[0]->getType() != y->getType())) return false;
  place = y;
  return true;
}

static Use* stored_value(Instruction& i) {
  if (isa<StoreInst>(i)) return &i.getOperandUse(0);
  auto* call = dyn_cast<IntrinsicInst>(&i);
  return call && call->getIntrinsicID() == Intrinsic::masked_store ? &call->getArgOperandUse(0) : nullptr;
}

// All of one type, computed in one block.
static bool belong_together(ArrayRef<Value*> parts) {
  auto* first = parts.size() < 2 ? nullptr : dyn_cast_or_null<Instruction>(parts[0]);
  return first && all_of(parts, [&](Value* part) {
           auto* i = dyn_cast_or_null<Instruction>(part);
           return i && !isa<PHINode>(i) && i->getParent() == first->getParent() && i->getType() == first->getType();
         });
}

std::vector<RecordWord> RecordWord::find_all(Function& kernel) {
  std::vector<RecordWord> found;
  for (Instruction& i : instructions(kernel)) {
    Use* use = stored_value(i);
    SmallVector<Value*, 4> parts;
    if (!use || !isa<FixedVectorType>(use->get()->getType())) continue;
    if (!find_parts(use->get(), parts) || !belong_together(parts)) continue;
    auto same = find_if(found, [&](const RecordWord& word) { return word.parts_ == parts; });
    if (same == found.end()) {
      same = found.insert(same, RecordWord());
      same->parts_ = parts;
    }
    same->uses_.push_back(use);
    same->words_.push_back(use->get());
  }
  return found;
}

CallInst* RecordWord::put_together() {
  auto* last = cast<Instruction>(parts_[0]);
  for (Value* part : parts_)
    if (last->comesBefore(cast<Instruction>(part))) last = cast<Instruction>(part);
  IRBuilder<ConstantFolder, IRBuilderCallbackInserter> b(
      last->getContext(), ConstantFolder(), IRBuilderCallbackInserter([&](Instruction* i) { made_.push_back(i); }));
  b.SetInsertPoint(last->getNextNode());
  CallInst* together = emit_put_together(b, parts_);
  SmallVector<Value*, 4> vectors;
  for (unsigned q = 0; q < parts_.size(); ++q) vectors.push_back(b.CreateExtractValue(together, q));
  while (vectors.size() > 1) {
    const unsigned lanes = cast<FixedVectorType>(vectors[0]->getType())->getNumElements();
    SmallVector<Value*, 4> joined;
    for (unsigned q = 0; q < vectors.size(); q += 2)
      joined.push_back(b.CreateShuffleVector(vectors[q], vectors[q + 1], createSequentialMask(0, 2 * lanes, 0)));
    vectors = joined;
  }
  Value* word = b.CreateBitCast(vectors[0], words_[0]->getType());
  for (Use* use : uses_) use->set(word);
  return together;
}

void RecordWord::undo() {
  for (auto [use, word] : zip(uses_, words_)) use->set(word);
  for (Instruction* i : reverse(made_)) i->eraseFromParent();
  made_.clear();
}

}  // namespace lanza::compiler
