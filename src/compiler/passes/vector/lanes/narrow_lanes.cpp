#include "compiler/passes/vector/lanes/narrow_lanes.hpp"

#include <numeric>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kLeastBits = 128;  // a register

unsigned lanes_of(const Value& value) {
  auto* type = dyn_cast<FixedVectorType>(value.getType());
  return type ? type->getNumElements() : 0;
}

/// Lane l of the result follows from lane l of the operands, all of which have as many lanes.
bool is_lane_by_lane(const Instruction& i) {
  const unsigned lanes = lanes_of(i);
  if (lanes == 0 || isa<BitCastInst>(i) || i.isIntDivRem()) return false;
  auto* call = dyn_cast<IntrinsicInst>(&i);
  if (!isa<BinaryOperator, UnaryOperator, CmpInst, CastInst, SelectInst, FreezeInst>(i) &&
      !(call && isTriviallyVectorizable(call->getIntrinsicID()) && call->doesNotAccessMemory()))
    return false;
  return all_of(i.operands(), [&](const Use& v) { return isa<Function>(v) || lanes_of(*v) == lanes; });
}

bool is_vector_load(const Instruction& i) {
  auto* load = dyn_cast<LoadInst>(&i);
  return load && load->isSimple() && lanes_of(i) != 0;
}

/// The lanes of each vector that somebody looks at.
class LanesInUse {
 public:
  explicit LanesInUse(Function& function) {
    for (Instruction& i : instructions(function))
      if (!passes_on(i)) ask_all(i);
    while (!work_.empty()) ask(*work_.pop_back_val());
  }

  APInt of(const Instruction& i) const {
    auto known = used_.find(&i);
    return known == used_.end() ? APInt::getZero(lanes_of(i)) : known->second;
  }

 private:
  // Looks at lanes of its operands only for those of its own that are looked at.
  static bool passes_on(const Instruction& i) {
    if (is_lane_by_lane(i) || isa<ShuffleVectorInst>(i)) return true;
    if (auto* insert = dyn_cast<InsertElementInst>(&i)) return isa<ConstantInt>(insert->getOperand(2));
    return isa<PHINode>(i) && lanes_of(i) != 0;
  }

  void ask_all(const Instruction& i) {
    auto* extract = dyn_cast<ExtractElementInst>(&i);
    auto* lane = extract ? dyn_cast<ConstantInt>(extract->getIndexOperand()) : nullptr;
    for (const Use& v : i.operands()) {
      const unsigned lanes = lanes_of(*v);
      if (lanes == 0) continue;
      if (lane && lane->getValue().ult(lanes))
        use(v, APInt::getOneBitSet(lanes, lane->getZExtValue()));
      else
        use(v, APInt::getAllOnes(lanes));
    }
  }

  void ask(const Instruction& i) {
    const APInt lanes = of(i);
    if (auto* shuffle = dyn_cast<ShuffleVectorInst>(&i)) return ask_sources(*shuffle, lanes);
    if (auto* insert = dyn_cast<InsertElementInst>(&i)) {
      APInt others = lanes;
      const uint64_t lane = cast<ConstantInt>(insert->getOperand(2))->getZExtValue();
      if (lane < others.getBitWidth()) others.clearBit(lane);
      return use(insert->getOperand(0), others);
    }
    for (const Use& v : i.operands())
      if (lanes_of(*v) != 0) use(v, lanes);
  }

  void ask_sources(const ShuffleVectorInst& shuffle, const APInt& lanes) {
    const unsigned width = lanes_of(*shuffle.getOperand(0));
    APInt first = APInt::getZero(width), second = first;
    for (unsigned lane = 0; lane < lanes.getBitWidth(); ++lane) {
      const int source = shuffle.getMaskValue(lane);
      if (!lanes[lane] || source == PoisonMaskElem) continue;
      const auto from = static_cast<unsigned>(source);
      from < width ? first.setBit(from) : second.setBit(from - width);
    }
    use(shuffle.getOperand(0), first);
    use(shuffle.getOperand(1), second);
  }

  void use(const Value* value, const APInt& lanes) {
    auto* i = dyn_cast<Instruction>(value);
    if (!i || lanes.isZero()) return;
    auto [known, added] = used_.try_emplace(i, APInt::getZero(lanes.getBitWidth()));
    if (lanes.isSubsetOf(known->second)) return;
    known->second |= lanes;
    if (passes_on(*i)) work_.insert(i);
  }

  DenseMap<const Instruction*, APInt> used_;
  SmallSetVector<const Instruction*, 32> work_;
};

// So many of the first lanes hold all that are looked at; 0: that is no gain.
unsigned enough(const Instruction& i, const APInt& used) {
  const unsigned bits = cast<VectorType>(i.getType())->getElementType()->getPrimitiveSizeInBits().getFixedValue();
  if (used.isZero() || bits < 8) return 0;
  const auto count = static_cast<unsigned>(PowerOf2Ceil(used.getActiveBits()));
  const unsigned least = std::max(kLeastBits / bits, 1u);
  return std::max(count, least) <= used.getBitWidth() / 2 ? std::max(count, least) : 0;
}

SmallVector<int, 32> first_lanes(unsigned count, unsigned lanes) {
  SmallVector<int, 32> mask(lanes, PoisonMaskElem);
  std::iota(mask.begin(), mask.begin() + count, 0);
  return mask;
}

Value* narrowed(Instruction& i, unsigned count) {
  IRBuilder<> b(&i);
  auto first = [&](Value* v) { return b.CreateShuffleVector(v, first_lanes(count, count)); };
  Value* result;
  if (auto* shuffle = dyn_cast<ShuffleVectorInst>(&i)) {
    result = b.CreateShuffleVector(shuffle->getOperand(0), shuffle->getOperand(1),
                                   shuffle->getShuffleMask().take_front(count));
  } else if (auto* load = dyn_cast<LoadInst>(&i)) {
    Type* type = FixedVectorType::get(cast<VectorType>(i.getType())->getElementType(), count);
    LoadInst* fewer = b.CreateAlignedLoad(type, load->getPointerOperand(), load->getAlign());
    fewer->copyMetadata(*load, {LLVMContext::MD_invariant_load, LLVMContext::MD_dbg});
    result = fewer;
  } else if (auto* call = dyn_cast<IntrinsicInst>(&i)) {
    SmallVector<Value*, 4> operands;
    for (Value* v : call->args()) operands.push_back(first(v));
    Type* type = FixedVectorType::get(cast<VectorType>(i.getType())->getElementType(), count);
    result = b.CreateIntrinsic(type, call->getIntrinsicID(), operands, isa<FPMathOperator>(i) ? &i : nullptr);
  } else {
    Instruction* copy = i.clone();
    for (Use& v : copy->operands()) v.set(first(v));
    copy->mutateType(FixedVectorType::get(cast<VectorType>(i.getType())->getElementType(), count));
    result = b.Insert(copy);
  }
  return b.CreateShuffleVector(result, first_lanes(count, lanes_of(i)));
}

}  // namespace

bool narrow_lanes(Function& function) {
  const LanesInUse lanes(function);
  SmallVector<std::pair<Instruction*, unsigned>, 32> found;
  for (Instruction& i : instructions(function)) {
    if (!is_lane_by_lane(i) && !isa<ShuffleVectorInst>(i) && !is_vector_load(i)) continue;
    if (const unsigned count = enough(i, lanes.of(i))) found.emplace_back(&i, count);
  }
  for (auto [i, count] : found) {
    i->replaceAllUsesWith(narrowed(*i, count));
    i->eraseFromParent();
  }
  return !found.empty();
}

}  // namespace lanza::compiler
