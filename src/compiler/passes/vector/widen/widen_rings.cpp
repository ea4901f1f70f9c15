// Neighbours on a ring whose size is a power of two, `a[(x + by) & (size - 1)]`: those up to its end, and those behind.
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/cost_notes.hpp"
#include "compiler/passes/vector/widen/widener.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

constexpr char kTwoParts[] =
    "neighbours on a ring ask whether its end is among them, and are two vectors by masks then; with its beginning "
    "once more behind its end (a[size + i] = a[i]) they would be one";

constexpr int64_t kLeastElement = 4;  // bytes: not every host loads narrower ones by a mask

// All other operands of the address are the same for all lanes.
std::optional<Widener::Ring> Widener::ring_of(Value* address, int64_t size) {
  auto* element = dyn_cast<GetElementPtrInst>(address);
  if (!element || size < kLeastElement || lanes_ == 1 ||
      layout_.getTypeAllocSize(element->getResultElementType()) != static_cast<uint64_t>(size))
    return {};
  for (Value* operand : drop_end(element->operands()))
    if (!shapes_.is_uniform(operand)) return {};
  Value *index = *std::prev(element->idx_end()), *sum;
  const APInt* last;
  if (!match(index, m_ZExtOrSelf(m_And(m_Value(sum), m_LowBitMask(last)))) || last->isAllOnes()) return {};
  const Shape shape = shapes_[sum];
  if (last->ult(lanes_ - 1) || last->getActiveBits() > 31 || !shape.is_strided() || std::abs(shape.stride) != 1)
    return {};
  const bool backwards = shape.stride < 0;
  Value* lowest = scalar(sum);
  if (backwards) lowest = b_.CreateSub(lowest, ConstantInt::get(sum->getType(), lanes_ - 1));
  Value* first = b_.CreateAnd(lowest, ConstantInt::get(sum->getType(), *last), "first");
  auto* begin = cast<GetElementPtrInst>(element->clone());
  for (Use& operand : drop_end(begin->operands())) operand = scalar(operand);
  begin->setOperand(begin->getNumOperands() - 1, b_.CreateZExt(first, b_.getInt64Ty()));
  b_.Insert(begin, "begin");
  const auto all = static_cast<int64_t>(last->getZExtValue() + 1);
  Value* left = b_.CreateSub(b_.getInt32(static_cast<uint32_t>(all)), b_.CreateZExtOrTrunc(first, b_.getInt32Ty()));
  Value* is_before = b_.CreateICmpULT(steps(b_.getInt32Ty(), 1), splat(left), "before.end");
  return Ring{begin, b_.CreateConstGEP1_64(b_.getInt8Ty(), begin, -all * size), is_before, backwards};
}

Value* Widener::load_ring(LoadInst& load) {
  const auto size = static_cast<int64_t>(layout_.getTypeStoreSize(load.getType()));
  const auto ring = load.isSimple() ? ring_of(load.getPointerOperand(), size) : std::nullopt;
  if (!ring) return nullptr;
  Type* type = wide(load.getType());
  const auto load_those = [&](Value* begin, Value* those, Value* others) {
    CallInst* part = b_.CreateMaskedLoad(type, begin, load.getAlign(), active_on(*ring, those), others);
    part->copyMetadata(load, {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias});
    note_cost(*part, kRingCost, kTwoParts);
    return part;
  };
  Value* before_end = load_those(ring->begin, ring->is_before, Constant::getNullValue(type));
  Value* all = load_those(ring->behind, b_.CreateNot(ring->is_before), before_end);
  return ring->backwards ? reversed(all) : all;
}

bool Widener::store_ring(StoreInst& store) {
  const auto size = static_cast<int64_t>(layout_.getTypeStoreSize(store.getValueOperand()->getType()));
  const auto ring = store.isSimple() ? ring_of(store.getPointerOperand(), size) : std::nullopt;
  if (!ring) return false;
  Value* lanes = vector(store.getValueOperand());
  if (ring->backwards) lanes = reversed(lanes);
  b_.CreateMaskedStore(lanes, ring->begin, store.getAlign(), active_on(*ring, ring->is_before));
  b_.CreateMaskedStore(lanes, ring->behind, store.getAlign(), active_on(*ring, b_.CreateNot(ring->is_before)));
  return true;
}

Value* Widener::active_on(const Ring& ring, Value* those) {
  Value* active = mask();
  return active ? b_.CreateAnd(ring.backwards ? reversed(active) : active, those) : those;
}

}  // namespace lanza::compiler
