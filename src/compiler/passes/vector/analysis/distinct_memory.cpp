#include "compiler/passes/vector/analysis/distinct_memory.hpp"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/KnownBits.h>

#include "compiler/passes/retarget.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kAddressBits = 64;
constexpr unsigned kDepth = 6;  // of index arithmetic

ConstantRange everywhere() { return ConstantRange::getFull(kAddressBits); }

// Signed, in the value's own width.
ConstantRange range_of(const Value& v, const DataLayout& layout, unsigned depth = kDepth) {
  ConstantRange plain = computeConstantRange(&v, /*ForSigned=*/true)
                            .intersectWith(ConstantRange::fromKnownBits(computeKnownBits(&v, layout), true));
  auto* i = dyn_cast<Operator>(&v);
  if (!i || depth == 0) return plain;
  auto of = [&](unsigned n) { return range_of(*i->getOperand(n), layout, depth - 1); };
  switch (i->getOpcode()) {
    case Instruction::ZExt:
      return plain.intersectWith(of(0).zeroExtend(plain.getBitWidth()));
    case Instruction::SExt:
      return plain.intersectWith(of(0).signExtend(plain.getBitWidth()));
    case Instruction::Add:
      return plain.intersectWith(of(0).add(of(1)));
    case Instruction::Sub:
      return plain.intersectWith(of(0).sub(of(1)));
    case Instruction::Mul:
      return plain.intersectWith(of(0).multiply(of(1)));
    case Instruction::Shl:
      return plain.intersectWith(of(0).shl(of(1)));
    case Instruction::Or:
      if (!cast<PossiblyDisjointInst>(i)->isDisjoint()) return plain;
      return plain.intersectWith(of(0).add(of(1)));
    default:
      return plain;
  }
}

ConstantRange bytes(int64_t count) { return {APInt(kAddressBits, static_cast<uint64_t>(count), true)}; }

// From the base of shared memory to the address.
ConstantRange offset_of(const Value* address, const DataLayout& layout) {
  ConstantRange offset = bytes(0);
  while (auto* step = dyn_cast<GEPOperator>(address)) {
    MapVector<Value*, APInt> variable;
    APInt constant(kAddressBits, 0);
    if (step->getType()->isVectorTy() || !step->collectOffset(layout, kAddressBits, variable, constant))
      return everywhere();
    offset = offset.add(bytes(constant.getSExtValue()));
    for (const auto& [index, factor] : variable) {
      const ConstantRange range = range_of(*index, layout).sextOrTrunc(kAddressBits);
      if (range.getSignedMin().getSignificantBits() > 31 || range.getSignedMax().getSignificantBits() > 31)
        return everywhere();
      offset = offset.add(range.multiply(bytes(factor.getSExtValue())));
    }
    address = step->getPointerOperand();
  }
  return isa<CallInst>(address) ? offset : everywhere();
}

}  // namespace

bool are_distinct(const Value* a, const Value* b) {
  const Value *x = getUnderlyingObject(a), *y = getUnderlyingObject(b);
  const auto is_elsewhere = [](const Value* own, const Value* argument) {
    return isa<Argument>(argument) && (is_shared_memory(own) || isa<AllocaInst>(own));
  };
  if (is_elsewhere(x, y) || is_elsewhere(y, x)) return x != y;
  return x != y && isIdentifiedObject(x) && isIdentifiedObject(y);
}

MemorySpan span_of(const Instruction& access) {
  const Value* address = getLoadStorePointerOperand(&access);
  if (!is_shared_memory(address)) return {address, everywhere()};
  const DataLayout& layout = access.getDataLayout();
  const uint64_t size = layout.getTypeStoreSize(getLoadStoreType(const_cast<Instruction*>(&access))).getFixedValue();
  const ConstantRange last(APInt(kAddressBits, 0), APInt(kAddressBits, size));
  return {address, offset_of(address, layout).add(last)};
}

// Other variables than the load's lie apart from all that goes with it.
SmallVector<MemorySpan, 4> may_come_behind(const MemorySpan& load, ArrayRef<MemorySpan> stores) {
  SmallVector<MemorySpan, 4> found;
  if (!load.shared.isFullSet())
    copy_if(stores, std::back_inserter(found),
            [&](const MemorySpan& store) { return !store.shared.isFullSet() && are_distinct(store, load); });
  return found;
}

bool are_distinct(const MemorySpan& a, const MemorySpan& b) {
  if (!a.shared.isFullSet() && !b.shared.isFullSet()) return a.shared.intersectWith(b.shared).isEmptySet();
  return are_distinct(a.address, b.address);
}

}  // namespace lanza::compiler
