#include "compiler/passes/vector/lanes/few_places.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr uint64_t kMostValues = 4;
constexpr size_t kFewestGathers = 3;  // with the same numbers, where no loop is around them
constexpr unsigned kMostSteps = 8;    // from a number to an index

struct FewPlaces {
  IntrinsicInst* gather;
  GetElementPtrInst* address;
};

/// How many values the lanes' numbers may have, from 0 on; 0: more than a few.
uint64_t values_of(Value* numbers, const DataLayout& layout) {
  const APInt* divisor;
  APInt most = computeKnownBits(numbers, layout).getMaxValue();
  if (match(numbers, m_URem(m_Value(), m_APInt(divisor))) && !divisor->isZero())
    most = APIntOps::umin(most, *divisor - 1);
  return most.ult(kMostValues) ? most.getZExtValue() + 1 : 0;
}

/// What differs between lanes in `index`: numbers of few values, of which the rest is arithmetic with what all share.
Value* numbers_in(Value* index, const DataLayout& layout) {
  for (unsigned steps = 0; steps < kMostSteps; ++steps) {
    if (isa<Constant>(index)) return nullptr;
    if (values_of(index, layout) > 1) return index;
    Value *a, *c;
    if (match(index, m_ZExtOrSExt(m_Value(a))) || match(index, m_Trunc(m_Value(a)))) {
      index = a;
    } else if (match(index, m_BinOp(m_Value(a), m_Value(c))) && !cast<Instruction>(index)->isIntDivRem()) {
      if (isSplatValue(a)) std::swap(a, c);
      if (!isSplatValue(c)) return nullptr;
      index = a;
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

/// `index` of a lane whose number is `number`.
Value* index_of(IRBuilder<>& b, Value* index, Value* numbers, Value* number) {
  if (index == numbers) return number;
  if (isSplatValue(index)) {
    Value* each = getSplatValue(index);
    return each ? each : b.CreateExtractElement(index, uint64_t{0});
  }
  if (auto* cast = dyn_cast<CastInst>(index))
    return b.CreateCast(cast->getOpcode(), index_of(b, cast->getOperand(0), numbers, number),
                        index->getType()->getScalarType());
  auto* operation = cast<BinaryOperator>(index);
  return b.CreateBinOp(operation->getOpcode(), index_of(b, operation->getOperand(0), numbers, number),
                       index_of(b, operation->getOperand(1), numbers, number));
}

/// Lanes' numbers, and who has which.
class FewNumbers {
 public:
  FewNumbers(Value* numbers, uint64_t values, IRBuilder<>& b) : numbers_(numbers) {
    auto* type = cast<FixedVectorType>(numbers->getType());
    Value* known = b.CreateFreeze(numbers);
    Value* first = b.CreateExtractElement(known, uint64_t{0});
    for (uint64_t value = 0; value < values; ++value) {
      Constant* number = ConstantInt::get(type->getElementType(), value);
      Value* have = b.CreateICmpEQ(known, ConstantVector::getSplat(type->getElementCount(), number));
      Value* any = b.CreateIsNotNull(b.CreateBitCast(have, b.getIntNTy(type->getNumElements())));
      have_.push_back(have);
      number_.push_back(b.CreateSelect(any, number, first));
    }
  }

  void load(const FewPlaces& places) const {
    IRBuilder<> b(places.gather);
    auto* type = cast<FixedVectorType>(places.gather->getType());
    const Align align(cast<ConstantInt>(places.gather->getArgOperand(1))->getZExtValue());
    Value* result = nullptr;
    for (auto [have, number] : zip(have_, number_)) {
      SmallVector<Value*, 4> indices;
      for (Value* index : places.address->indices())
        indices.push_back(index->getType()->isVectorTy() ? index_of(b, index, numbers_, number) : index);
      Value* place = b.CreateGEP(places.address->getSourceElementType(), places.address->getPointerOperand(), indices);
      LoadInst* load = b.CreateAlignedLoad(type->getElementType(), place, align);
      load->copyMetadata(*places.gather,
                         {LLVMContext::MD_invariant_load, LLVMContext::MD_alias_scope, LLVMContext::MD_noalias});
      Value* each = b.CreateVectorSplat(type->getElementCount(), load);
      result = result ? b.CreateSelect(have, each, result) : each;
    }
    places.gather->replaceAllUsesWith(result);
    places.gather->eraseFromParent();
  }

 private:
  Value* numbers_;
  SmallVector<Value*, kMostValues> have_, number_;
};

/// The one index of a gather's address that differs between lanes.
Value* index_in(const GetElementPtrInst& address) {
  if (address.getPointerOperandType()->isVectorTy()) return nullptr;
  Value* own = nullptr;
  for (Value* index : address.indices())
    if (index->getType()->isVectorTy()) {
      if (own) return nullptr;
      own = index;
    }
  return own;
}

using ByNumbers = MapVector<Value*, SmallVector<FewPlaces, 4>>;

ByNumbers find_all(Function& run) {
  ByNumbers found;
  for (Instruction& i : instructions(run)) {
    auto* gather = dyn_cast<IntrinsicInst>(&i);
    if (!gather || gather->getIntrinsicID() != Intrinsic::masked_gather) continue;
    if (!match(gather->getArgOperand(2), m_AllOnes()) || gather->getType()->getScalarType()->isPointerTy()) continue;
    auto* address = dyn_cast<GetElementPtrInst>(gather->getArgOperand(0));
    Value* index = address ? index_in(*address) : nullptr;
    Value* numbers = index ? numbers_in(index, run.getDataLayout()) : nullptr;
    if (isa_and_nonnull<Instruction>(numbers)) found[numbers].push_back({gather, address});
  }
  return found;
}

}  // namespace

bool choose_few_places(Function& run) {
  ByNumbers found = find_all(run);
  if (found.empty()) return false;
  const DominatorTree dominators(run);
  const LoopInfo loops(dominators);
  bool changed = false;
  for (auto& [numbers, places] : found) {
    auto* made = cast<Instruction>(numbers);
    const Loop* around = loops.getLoopFor(made->getParent());
    erase_if(places, [&, few = places.size() < kFewestGathers](const FewPlaces& each) {
      return few && loops.getLoopFor(each.gather->getParent()) == around;
    });
    if (places.empty()) continue;
    IRBuilder<> b(made->getParent(), *made->getInsertionPointAfterDef());
    const FewNumbers few(numbers, values_of(numbers, run.getDataLayout()), b);
    for (const FewPlaces& each : places) few.load(each);
    changed = true;
  }
  return changed;
}

}  // namespace lanza::compiler
