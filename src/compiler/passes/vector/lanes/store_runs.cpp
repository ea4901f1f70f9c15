#include "compiler/passes/vector/lanes/store_runs.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/vector/analysis/processors.hpp"
#include "compiler/passes/vector/lanes/masked_stores.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostBits = 256;  // of a register: a load of what two stores have written would wait for them
constexpr unsigned kFew = 4;         // lanes; fewer are stored one by one
constexpr unsigned kMostSeen = 64;   // instructions that a mask is made of
constexpr size_t kMostStores = 16;   // with one mask
constexpr size_t kMostInAll = 48;    // of a kernel

/// Whether the lanes' places and numbers that they share are all that a mask is made of: it is the same, or nearly so,
/// from row to row, and its branches are foreseen.
class PlaceMask {
 public:
  static bool is(const Value& mask) { return PlaceMask().goes_by_place(mask); }

 private:
  bool goes_by_place(const Value& v) {
    auto* i = dyn_cast<Instruction>(&v);
    if (i && counts_lanes(*i)) return false;
    if (!i || !v.getType()->isVectorTy() || !seen_.insert(i).second) return true;
    if (seen_.size() > kMostSeen || v.getType()->isFPOrFPVectorTy()) return false;
    if (auto* load = dyn_cast<LoadInst>(i)) return isa<AllocaInst>(getUnderlyingObject(load->getPointerOperand()));
    if (isa<FCmpInst>(i) || !isa<CmpInst, BinaryOperator, CastInst, SelectInst, PHINode, FreezeInst, ShuffleVectorInst,
                                 InsertElementInst, MinMaxIntrinsic>(i))
      return false;
    return all_of(i->operands(), [&](const Use& operand) { return goes_by_place(*operand); });
  }

  // How many lanes are on (compress_stores()).
  static bool counts_lanes(const Instruction& number) {
    return match(&number, m_TruncOrSelf(m_ZExtOrSelf(m_Intrinsic<Intrinsic::ctpop>())));
  }

  SmallPtrSet<const Instruction*, 32> seen_;
};

/// The stores of one mask.
class RunOfLanes {
 public:
  explicit RunOfLanes(ArrayRef<IntrinsicInst*> stores) : stores_(stores), b_(stores.back()) {
    b_.SetCurrentDebugLocation(stores.back()->getDebugLoc());
  }

  void split() {
    IntrinsicInst* first = stores_.front();
    Value* mask = store_mask(*first);
    lanes_ = cast<FixedVectorType>(mask->getType())->getNumElements();
    Value* bits = b_.CreateBitCast(mask, b_.getIntNTy(lanes_));
    bits = b_.CreateZExtOrTrunc(bits, b_.getInt32Ty());
    first_ = b_.CreateBinaryIntrinsic(Intrinsic::cttz, bits, b_.getFalse());
    // The first bit added to the last ones carries to where no lane is.
    Value* carried = b_.CreateAdd(bits, b_.CreateAnd(bits, b_.CreateNeg(bits)));
    Value* is_run = b_.CreateIsNull(b_.CreateAnd(bits, carried));
    Instruction* end = stores_.back();
    Instruction* some = SplitBlockAndInsertIfThen(b_.CreateIsNotNull(bits), end, /*Unreachable=*/false);
    b_.SetInsertPoint(some);
    Instruction *all = nullptr, *part = nullptr, *run = nullptr, *rest = nullptr;
    SplitBlockAndInsertIfThenElse(b_.CreateICmpEQ(bits, b_.getInt32((1U << lanes_) - 1)), some, &all, &part);
    SplitBlockAndInsertIfThenElse(is_run, part, &run, &rest, MDBuilder(b_.getContext()).createLikelyBranchWeights());
    b_.SetInsertPoint(all);
    for (IntrinsicInst* store : stores_) store_all_lanes(b_, *store);
    for (IntrinsicInst* store : stores_) store->moveBefore(rest);
    b_.SetInsertPoint(run);
    count_ = b_.CreateUnaryIntrinsic(Intrinsic::ctpop, bits);
    keep_values();
    if (lanes_ > kFew) run = store_if(*run, kFew);
    b_.SetInsertPoint(run);
    store_few();
  }

 private:
  uint64_t size_of(const IntrinsicInst& store) const {
    return stored_value(store)->getType()->getScalarSizeInBits() / 8;
  }

  void keep_values() {
    BasicBlock& entry = b_.GetInsertBlock()->getParent()->getEntryBlock();
    for (IntrinsicInst* store : stores_) {
      Value* value = stored_value(*store);
      auto* kept = new AllocaInst(value->getType(), 0, nullptr, Align(32), "kept", entry.begin());
      b_.CreateAlignedStore(value, kept, Align(32));
      kept_.push_back(kept);
    }
  }

  // Where it goes on if there are fewer.
  Instruction* store_if(Instruction& at, unsigned lanes) {
    b_.SetInsertPoint(&at);
    Value* are_enough = b_.CreateICmpUGE(count_, b_.getInt32(lanes));
    Instruction *then = nullptr, *otherwise = nullptr;
    SplitBlockAndInsertIfThenElse(are_enough, &at, &then, &otherwise);
    b_.SetInsertPoint(then);
    store_ends(lanes);
    return otherwise;
  }

  Value* lane(Value* behind_first) { return b_.CreateZExt(b_.CreateAdd(first_, behind_first), b_.getInt64Ty()); }

  // So many lanes from the first one on, and so many up to the last one.
  void store_ends(unsigned lanes) {
    copy_all({lane(b_.getInt32(0)), lane(b_.CreateSub(count_, b_.getInt32(lanes)))}, lanes);
  }

  // One, two or three: the first, the last, and the one between.
  void store_few() {
    copy_all({lane(b_.getInt32(0)), lane(b_.CreateLShr(count_, 1)), lane(b_.CreateSub(count_, b_.getInt32(1)))}, 1);
  }

  void copy_all(std::initializer_list<Value*> from, unsigned lanes) {
    for (auto [store, kept] : zip(stores_, kept_))
      for (Value* first : from) copy(*store, *kept, first, lanes);
  }

  void copy(const IntrinsicInst& store, AllocaInst& kept, Value* lane, unsigned lanes) {
    Type* element = stored_value(store)->getType()->getScalarType();
    Type* type = lanes == 1 ? element : FixedVectorType::get(element, lanes);
    const Align align = commonAlignment(store_align(store), size_of(store));
    Value* part = b_.CreateAlignedLoad(type, b_.CreateInBoundsGEP(element, &kept, lane), Align(size_of(store)));
    b_.CreateAlignedStore(part, b_.CreateGEP(element, stored_at(store), lane), align)->copyMetadata(store);
  }

  const ArrayRef<IntrinsicInst*> stores_;
  IRBuilder<> b_;
  unsigned lanes_ = 0;
  Value *first_ = nullptr, *count_ = nullptr;
  SmallVector<AllocaInst*, 4> kept_;
};

bool is_worth_it(ArrayRef<IntrinsicInst*> stores) {
  auto* mask = cast<FixedVectorType>(store_mask(*stores[0])->getType());
  const unsigned lanes = mask->getNumElements();
  return (lanes == kFew || lanes == 2 * kFew) && stores.size() <= kMostStores &&
         all_of(stores, [&](const IntrinsicInst* store) {
           const Type* type = stored_value(*store)->getType()->getScalarType();
           return !type->isPointerTy() && type->getScalarSizeInBits() * lanes <= kMostBits;
         });
}

}  // namespace

bool store_runs(Function& run, const TargetMachine& host) {
  if (stores_masked_fast(host)) return false;
  size_t all = 0;
  bool changed = false;
  for (const MaskedStores& stores : find_masked_stores(run)) {
    if (!is_worth_it(stores) || !PlaceMask::is(*store_mask(*stores[0]))) continue;
    all += stores.size();
    if (all > kMostInAll) break;
    RunOfLanes(stores).split();
    changed = true;
  }
  return changed;
}

}  // namespace lanza::compiler
