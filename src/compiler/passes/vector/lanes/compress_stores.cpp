#include "compiler/passes/vector/lanes/compress_stores.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/vector/analysis/processors.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kRegister = 512;

class RankedScatter {
 public:
  explicit RankedScatter(IntrinsicInst& scatter)
      : scatter_(scatter), mask_(scatter.getArgOperand(3)), values_(scatter.getArgOperand(0)) {
    auto* type = cast<FixedVectorType>(values_->getType());
    lanes_ = type->getNumElements();
    const unsigned bits = type->getScalarSizeInBits();
    in_one_ = bits == 32 || bits == 64 ? kRegister / bits : 0;
  }

  bool find() {
    if (in_one_ == 0 || lanes_ % in_one_ != 0 || isa<Constant>(mask_)) return false;
    address_ = dyn_cast<GetElementPtrInst>(scatter_.getArgOperand(1));
    if (!address_ || address_->getNumIndices() != 1 || address_->getPointerOperandType()->isVectorTy()) return false;
    const DataLayout& layout = scatter_.getDataLayout();
    if (layout.getTypeAllocSize(address_->getSourceElementType()) != layout.getTypeStoreSize(element())) return false;
    Value* index = *address_->idx_begin();
    extension_ = dyn_cast<CastInst>(index);
    if (extension_ && !isa<SExtInst, ZExtInst>(extension_)) return false;
    return is_rank(extension_ ? extension_->getOperand(0) : index);
  }

  void compress() {
    if (may_wrap_) ask();
    IRBuilder<> b(&scatter_);
    Value* base = first(b, *address_->idx_begin());
    Value* place = b.CreateGEP(address_->getSourceElementType(), address_->getPointerOperand(), base);
    const Align align(cast<ConstantInt>(scatter_.getArgOperand(2))->getZExtValue());
    Type* bits = b.getIntNTy(in_one_);
    for (unsigned at = 0; at < lanes_; at += in_one_) {
      Value *values = part(b, values_, at), *on = part(b, mask_, at);
      Value* count = b.CreateZExt(b.CreateUnaryIntrinsic(Intrinsic::ctpop, b.CreateBitCast(on, bits)), b.getInt64Ty());
      Value* below = b.CreateNot(b.CreateShl(b.getInt64(-1), count));
      Value* packed = b.CreateIntrinsic(Intrinsic::x86_avx512_mask_compress, {values->getType()},
                                        {values, Constant::getNullValue(values->getType()), on});
      b.CreateMaskedStore(packed, place, align, b.CreateBitCast(b.CreateTrunc(below, bits), on->getType()));
      place = b.CreateGEP(element(), place, count);
    }
    scatter_.eraseFromParent();
  }

 private:
  Type* element() const { return values_->getType()->getScalarType(); }

  // An extended sum may wrap between two lanes (`blockIdx.x * blockDim.x + rank` is unsigned): the scatter stays for
  // the groups where it would.
  void ask() {
    IRBuilder<> b(&scatter_);
    Value* base = first(b, extension_->getOperand(0));
    const unsigned bits = base->getType()->getIntegerBitWidth();
    const bool is_signed = isa<SExtInst>(extension_);
    const APInt most = is_signed ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
    Value* last = b.getInt(most - lanes_);
    Value* goes = is_signed ? b.CreateICmpSLE(base, last) : b.CreateICmpULE(base, last);
    Instruction *compressed = nullptr, *scattered = nullptr;
    SplitBlockAndInsertIfThenElse(goes, &scatter_, &compressed, &scattered);
    scatter_.clone()->insertBefore(scattered);
    scatter_.moveBefore(compressed);
  }

  // The number of active lanes below each, and what all lanes share.
  bool is_rank(Value* index) {
    Value *a, *c;
    while (match(index, m_Add(m_Value(a), m_Value(c)))) {
      auto* sum = cast<BinaryOperator>(index);
      may_wrap_ |= extension_ && !(isa<SExtInst>(extension_) ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap());
      if (isSplatValue(a)) std::swap(a, c);
      if (!getSplatValue(c)) return false;
      index = a;
    }
    Constant* below;
    Value* votes;
    if (!match(index, m_Intrinsic<Intrinsic::ctpop>(m_And(m_Value(votes), m_Constant(below))))) return false;
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      auto* number = dyn_cast_or_null<ConstantInt>(below->getAggregateElement(lane));
      if (!number || number->getValue() != APInt::getLowBitsSet(number->getBitWidth(), lane)) return false;
    }
    Value* word = getSplatValue(votes);
    return word && match(word, m_ZExtOrSelf(m_BitCast(m_Specific(mask_))));
  }

  // The index of the first active lane.
  Value* first(IRBuilder<>& b, Value* index) const {
    if (auto* extension = dyn_cast<CastInst>(index)) {
      Value* narrow = first(b, extension->getOperand(0));
      return isa<SExtInst>(extension) ? b.CreateSExt(narrow, b.getInt64Ty()) : b.CreateZExt(narrow, b.getInt64Ty());
    }
    Value* sum = Constant::getNullValue(index->getType()->getScalarType());
    Value *a, *c;
    while (match(index, m_Add(m_Value(a), m_Value(c)))) {
      if (isSplatValue(a)) std::swap(a, c);
      sum = b.CreateAdd(sum, getSplatValue(c));
      index = a;
    }
    return sum;
  }

  Value* part(IRBuilder<>& b, Value* v, unsigned at) const {
    return lanes_ == in_one_ ? v : b.CreateShuffleVector(v, createSequentialMask(at, in_one_, 0));
  }

  IntrinsicInst& scatter_;
  Value *mask_, *values_;
  GetElementPtrInst* address_ = nullptr;
  CastInst* extension_ = nullptr;  // of the index
  bool may_wrap_ = false;
  unsigned lanes_, in_one_;
};

}  // namespace

bool compress_stores(Function& run, const TargetMachine& host) {
  if (!has_features(host, "+avx512f")) return false;
  SmallVector<IntrinsicInst*, 8> scatters;
  for (Instruction& i : instructions(run))
    if (auto* call = dyn_cast<IntrinsicInst>(&i); call && call->getIntrinsicID() == Intrinsic::masked_scatter)
      scatters.push_back(call);
  bool changed = false;
  for (IntrinsicInst* scatter : scatters)
    if (RankedScatter ranked(*scatter); ranked.find()) {
      ranked.compress();
      changed = true;
    }
  return changed;
}

}  // namespace lanza::compiler
