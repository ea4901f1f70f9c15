#include "compiler/passes/vector/lanes/near_gathers.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/vector/scalars/version_guards.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostGathers = 16;  // of a kernel
constexpr unsigned kMostSteps = 64;    // from a lane's number to its index
constexpr unsigned kFarthest = 64;     // elements: no window is longer

/// Made of lanes' numbers and what all share, without a load: coordinates, that is, and not contents of a table.
bool is_computed(Value* indices) {
  SmallVector<Value*, 16> work{indices};
  SmallPtrSet<Value*, 32> seen;
  bool has_lanes = false;
  while (!work.empty()) {
    Value* v = work.pop_back_val();
    if (!v->getType()->isVectorTy() || getSplatValue(v) || !seen.insert(v).second) continue;
    if (isa<Constant>(v)) {
      has_lanes = true;
      continue;
    }
    auto* i = dyn_cast<Instruction>(v);
    if (!i || seen.size() > kMostSteps || i->mayReadOrWriteMemory()) return false;
    append_range(work, i->operands());
  }
  return has_lanes;
}

/// Where lanes of a gather lie: elements of a size behind each other, counted from lane 0's.
struct Place {
  Value* first = nullptr;      ///< lane 0's address
  Value* distances = nullptr;  ///< of each lane from it, in elements or bytes
  Value* is_exact = nullptr;   ///< null, or what has to hold that distances are right
  uint64_t unit = 1;           ///< what neighbours differ by
};

class NearGather {
 public:
  NearGather(IntrinsicInst& gather, const TargetMachine& host)
      : gather_(gather),
        host_(host),
        b_(&gather),
        type_(cast<FixedVectorType>(gather.getType())),
        lanes_(type_->getNumElements()),
        size_(type_->getScalarSizeInBits() / 8),
        is_whole_(match(gather.getArgOperand(2), m_AllOnes())) {}

  bool split() {
    const Place place = find_place();
    if (!place.first) return false;
    const bool by_window = is_whole_ && place.unit == 1 && can_permute();
    Value* numbers = place.distances;
    Value* last = by_window ? b_.CreateExtractElement(numbers, lanes_ - 1) : nullptr;
    Value* holds = by_window ? lie_between(numbers, last) : are_neighbours(place);
    if (place.is_exact) holds = b_.CreateAnd(holds, place.is_exact);
    Instruction *near_end, *far_end;
    SplitBlockAndInsertIfThenElse(holds, gather_.getIterator(), &near_end, &far_end);
    b_.SetInsertPoint(near_end);
    Value* near = by_window ? window(place.first, numbers, last) : neighbours(place.first);
    b_.SetInsertPoint(&gather_);
    PHINode* either = PHINode::Create(type_, 2, "", gather_.getParent()->begin());
    gather_.replaceAllUsesWith(either);
    gather_.moveBefore(far_end);
    either->addIncoming(near, near_end->getParent());
    either->addIncoming(&gather_, far_end->getParent());
    return true;
  }

 private:
  // What all lanes add is left out: then one comparison may stand for several gathers, and in front of a loop.
  Place find_place() {
    auto* address = dyn_cast<GetElementPtrInst>(gather_.getArgOperand(0));
    if (!address || address->getNumIndices() != 1) return {};
    const uint64_t unit = gather_.getDataLayout().getTypeAllocSize(address->getSourceElementType());
    Value *base = address->getPointerOperand(), *index = address->getOperand(1);
    if (base->getType()->isVectorTy()) {
      Value* shared = index->getType()->isVectorTy() ? getSplatValue(index) : index;
      if (!shared || !is_computed(base)) return {};
      return pointers(base, [&](Value* first) { return b_.CreateGEP(address->getSourceElementType(), first, shared); });
    }
    if (unit != size_ || !is_computed(index)) return {};
    return indices(base, index);
  }

  Place pointers(Value* base, function_ref<Value*(Value*)> moved) {
    base = b_.CreateFreeze(base);
    Value* first = b_.CreateExtractElement(base, uint64_t{0});
    Type* numbers = VectorType::get(b_.getInt64Ty(), type_->getElementCount());
    Value* from = b_.CreatePtrToInt(first, b_.getInt64Ty());
    Value* distances = b_.CreateSub(b_.CreatePtrToInt(base, numbers), splat(from));
    if (!is_whole_ || !can_permute() || size_ == 1) return {moved(first), distances, nullptr, size_};
    // Elements: what lies in between two of them is far from both.
    Value* bits = ConstantInt::get(numbers, Log2_64(size_));
    return {moved(first), b_.CreateIntrinsic(Intrinsic::fshr, {numbers}, {distances, distances, bits}), nullptr, 1};
  }

  // Of 32 bits, extended: the distance of lanes is right where the index of the first is not near its end.
  Place indices(Value* base, Value* index) {
    Value* narrow = nullptr;
    const bool is_signed = isa<SExtInst>(index);
    if (!match(index, m_ZExtOrSExt(m_Value(narrow))) || narrow->getType()->getScalarSizeInBits() != 32) narrow = index;
    Value *moving = narrow, *shared = nullptr, *a, *c;
    if (match(narrow, m_Add(m_Value(a), m_Value(c)))) {
      if (getSplatValue(a)) std::swap(a, c);
      shared = getSplatValue(c);
      if (shared) moving = a;
    }
    if (isa<Constant>(moving)) return {};  // known before
    moving = b_.CreateFreeze(moving);      // idle lanes may hold anything
    Value* least = b_.CreateExtractElement(moving, uint64_t{0});
    Value* distances = b_.CreateSub(moving, splat(least));
    Value* first = shared ? b_.CreateAdd(shared, least) : least;
    Place place{nullptr, distances, nullptr, 1};
    if (narrow != index) {
      first = b_.CreateFreeze(first);
      const APInt end = (is_signed ? APInt::getSignedMaxValue(32) : APInt::getMaxValue(32)) - kFarthest;
      Constant* most = ConstantInt::get(first->getType(), end);
      place.is_exact = is_signed ? b_.CreateICmpSLT(first, most) : b_.CreateICmpULT(first, most);
      first = is_signed ? b_.CreateSExt(first, b_.getInt64Ty()) : b_.CreateZExt(first, b_.getInt64Ty());
    }
    place.first = b_.CreateGEP(type_->getElementType(), base, first);
    return place;
  }

  Value* splat(Value* v) { return b_.CreateVectorSplat(type_->getElementCount(), v); }

  Value* are_neighbours(const Place& place) {
    Type* type = place.distances->getType();
    SmallVector<Constant*, 64> steps;
    for (unsigned lane = 0; lane < lanes_; ++lane)
      steps.push_back(ConstantInt::get(type->getScalarType(), lane * place.unit));
    return all(b_.CreateICmpEQ(place.distances, ConstantVector::get(steps)));
  }

  Value* lie_between(Value* numbers, Value* last) {
    const unsigned most = size_ == 1 ? 64 : 2 * lanes_;
    Value* near = b_.CreateICmpULT(last, ConstantInt::get(last->getType(), most));
    return b_.CreateAnd(near, all(b_.CreateICmpULE(numbers, splat(last))));
  }

  Value* all(Value* lanes) {
    Type* bits = b_.getIntNTy(lanes_);
    return b_.CreateICmpEQ(b_.CreateBitCast(lanes, bits), Constant::getAllOnesValue(bits));
  }

  Value* neighbours(Value* first) {
    const Align align(cast<ConstantInt>(gather_.getArgOperand(1))->getZExtValue());
    if (is_whole_) return b_.CreateAlignedLoad(type_, first, align);
    return b_.CreateMaskedLoad(type_, first, align, gather_.getArgOperand(2), gather_.getArgOperand(3));
  }

  bool has(const char* feature) const { return host_.getMCSubtargetInfo()->checkFeatures(feature); }
  bool can_permute() const {
    if (size_ == 1) return lanes_ <= 64 && lanes_ >= 16 && has("+avx512vbmi");
    return size_ == 4 && lanes_ == 16 && has("+avx512f");
  }

  // Elements behind the last lane's are 0, and not touched.
  Value* window(Value* first, Value* numbers, Value* last) {
    last = b_.CreateZExtOrTrunc(last, b_.getInt64Ty());
    if (size_ == 1) {
      auto* bytes = FixedVectorType::get(b_.getInt8Ty(), 64);
      Value* touched =
          b_.CreateBitCast(b_.CreateNot(b_.CreateShl(b_.getInt64(-2), last)), FixedVectorType::get(b_.getInt1Ty(), 64));
      Value* from = b_.CreateMaskedLoad(bytes, first, Align(1), touched, Constant::getNullValue(bytes));
      Value* order = b_.CreateTrunc(numbers, FixedVectorType::get(b_.getInt8Ty(), lanes_));
      Value* permuted = b_.CreateIntrinsic(Intrinsic::x86_avx512_permvar_qi_512, {}, {from, extended(order, 64)});
      return b_.CreateShuffleVector(permuted, first_lanes());
    }
    auto* words = FixedVectorType::get(b_.getInt32Ty(), 16);
    Value* touched = b_.CreateTrunc(b_.CreateNot(b_.CreateShl(b_.getInt64(-2), last)), b_.getInt32Ty());
    auto load = [&](uint64_t half) {
      Value* mask = b_.CreateBitCast(b_.CreateTrunc(b_.CreateLShr(touched, half * 16), b_.getInt16Ty()),
                                     FixedVectorType::get(b_.getInt1Ty(), 16));
      Value* from = b_.CreateConstGEP1_64(b_.getInt32Ty(), first, half * 16);
      return b_.CreateMaskedLoad(words, from, Align(size_), mask, Constant::getNullValue(words));
    };
    Value* order = b_.CreateTrunc(numbers, words);
    Value* permuted = b_.CreateIntrinsic(Intrinsic::x86_avx512_vpermi2var_d_512, {}, {load(0), order, load(1)});
    return b_.CreateBitCast(permuted, type_);
  }

  Value* extended(Value* v, unsigned lanes) {
    SmallVector<int, 64> order;
    for (unsigned k = 0; k < lanes; ++k) order.push_back(k < lanes_ ? static_cast<int>(k) : PoisonMaskElem);
    return lanes == lanes_ ? v : b_.CreateShuffleVector(v, order);
  }
  SmallVector<int, 64> first_lanes() const {
    SmallVector<int, 64> order;
    for (unsigned k = 0; k < lanes_; ++k) order.push_back(static_cast<int>(k));
    return order;
  }

  IntrinsicInst& gather_;
  const TargetMachine& host_;
  IRBuilder<> b_;
  FixedVectorType* const type_;
  const unsigned lanes_;
  const uint64_t size_;
  const bool is_whole_;  ///< all lanes
};

}  // namespace

bool split_near_gathers(Function& run, const TargetMachine& host) {
  SmallVector<IntrinsicInst*, 16> gathers;
  for (Instruction& i : instructions(run)) {
    auto* gather = dyn_cast<IntrinsicInst>(&i);
    if (!gather || gather->getIntrinsicID() != Intrinsic::masked_gather || gather->hasMetadata(kAtEdge)) continue;
    if (cast<FixedVectorType>(gather->getType())->getNumElements() >= 8) gathers.push_back(gather);
  }
  if (gathers.size() > kMostGathers) return false;
  bool changed = false;
  for (IntrinsicInst* gather : gathers) changed |= NearGather(*gather, host).split();
  return changed;
}

}  // namespace lanza::compiler
