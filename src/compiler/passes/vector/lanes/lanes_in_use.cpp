#include "compiler/passes/vector/lanes/lanes_in_use.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace lanza::compiler {

unsigned lanes_of(const Value& value) {
  auto* type = dyn_cast<FixedVectorType>(value.getType());
  return type ? type->getNumElements() : 0;
}

bool is_lane_by_lane(const Instruction& i) {
  const unsigned lanes = lanes_of(i);
  if (lanes == 0 || i.isIntDivRem()) return false;
  auto* call = dyn_cast<IntrinsicInst>(&i);
  if (!isa<BinaryOperator, UnaryOperator, CmpInst, CastInst, SelectInst, FreezeInst>(i) &&
      !(call && isTriviallyVectorizable(call->getIntrinsicID()) && call->doesNotAccessMemory()))
    return false;
  return all_of(i.operands(), [&](const Use& v) { return isa<Function>(v) || lanes_of(*v) == lanes; });
}

static bool passes_on(const Instruction& i) {
  if (is_lane_by_lane(i) || isa<ShuffleVectorInst>(i)) return true;
  if (auto* insert = dyn_cast<InsertElementInst>(&i)) return isa<ConstantInt>(insert->getOperand(2));
  return isa<PHINode>(i) && lanes_of(i) != 0;
}

LanesInUse::LanesInUse(Function& function) {
  for (Instruction& i : instructions(function))
    if (!passes_on(i)) ask_all(i);
  while (!work_.empty()) ask(*work_.pop_back_val());
}

APInt LanesInUse::of(const Instruction& i) const {
  auto known = used_.find(&i);
  return known == used_.end() ? APInt::getZero(lanes_of(i)) : known->second;
}

void LanesInUse::ask_all(const Instruction& i) {
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

void LanesInUse::ask(const Instruction& i) {
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

void LanesInUse::ask_sources(const ShuffleVectorInst& shuffle, const APInt& lanes) {
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

void LanesInUse::use(const Value* value, const APInt& lanes) {
  auto* i = dyn_cast<Instruction>(value);
  if (!i || lanes.isZero()) return;
  auto [known, added] = used_.try_emplace(i, APInt::getZero(lanes.getBitWidth()));
  if (lanes.isSubsetOf(known->second)) return;
  known->second |= lanes;
  if (passes_on(*i)) work_.insert(i);
}

}  // namespace lanza::compiler
