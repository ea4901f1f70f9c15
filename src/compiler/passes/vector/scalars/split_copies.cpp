#include "compiler/passes/vector/scalars/split_copies.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/passes/vector/analysis/shapes.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr uint64_t kMostWords = 16;
constexpr uint64_t kLeastGathers = 3, kMostGathers = 4;  // that take less time than each lane's own copy

// Bytes; 0: not known, or others may watch.
uint64_t size_of(const MemCpyInst& copy) {
  auto* length = dyn_cast<ConstantInt>(copy.getLength());
  return length && !copy.isVolatile() ? length->getZExtValue() : 0;
}

// Bytes of the words that it consists of, 4 at most.
uint64_t word_of(const MemCpyInst& copy) {
  uint64_t word = std::min(copy.getSourceAlign().valueOrOne(), copy.getDestAlign().valueOrOne()).value();
  word = std::min<uint64_t>(word, 4);
  while (size_of(copy) % word) word /= 2;
  return word;
}

bool follow_on_each_other(const MemCpyInst& copy, const Shapes& shapes) {
  const auto size = static_cast<int64_t>(size_of(copy));
  const Shape from = shapes[copy.getSource()], to = shapes[copy.getDest()];
  const auto are_neighbours = [&](const Shape& shape) { return shape.is_strided() && std::abs(shape.stride) == size; };
  const uint64_t words = size_of(copy) / word_of(copy);
  const bool may_gather = words >= kLeastGathers && words <= kMostGathers;
  return are_neighbours(to) && (may_gather || from.is_uniform() || are_neighbours(from));
}

bool is_short(const MemCpyInst& copy) { return size_of(copy) && size_of(copy) / word_of(copy) <= kMostWords; }

bool is_own(const MemCpyInst& copy) {
  return isa<AllocaInst>(getUnderlyingObject(copy.getSource())) || isa<AllocaInst>(getUnderlyingObject(copy.getDest()));
}

void split(MemCpyInst& copy) {
  const uint64_t word = word_of(copy);
  IRBuilder<> b(&copy);
  Type* type = b.getIntNTy(static_cast<unsigned>(8 * word));
  SmallVector<Value*, kMostWords> words;
  const auto place = [&](Value* base, uint64_t at) {
    return at ? b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, at) : base;
  };
  for (uint64_t at = 0; at < size_of(copy); at += word)
    words.push_back(b.CreateAlignedLoad(type, place(copy.getSource(), at),
                                        commonAlignment(copy.getSourceAlign().valueOrOne(), at)));
  for (auto [k, value] : enumerate(words))
    b.CreateAlignedStore(value, place(copy.getDest(), k * word),
                         commonAlignment(copy.getDestAlign().valueOrOne(), k * word));
  copy.eraseFromParent();
}

}  // namespace

bool split_copies(Function& kernel, const GroupShape& group) {
  SmallVector<MemCpyInst*, 8> copies;
  for (Instruction& i : instructions(kernel))
    if (auto* copy = dyn_cast<MemCpyInst>(&i); copy && is_short(*copy) && !is_own(*copy)) copies.push_back(copy);
  if (copies.empty() || group.lanes == 1) return false;
  const Shapes shapes(kernel, group);
  erase_if(copies, [&](MemCpyInst* copy) { return !follow_on_each_other(*copy, shapes); });
  for (MemCpyInst* copy : copies) split(*copy);
  return !copies.empty();
}

}  // namespace lanza::compiler
