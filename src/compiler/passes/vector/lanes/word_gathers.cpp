#include "compiler/passes/vector/lanes/word_gathers.hpp"

#include <optional>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/analysis/processors.hpp"
#include "compiler/passes/vector/lanes/loop_gathers.hpp"
#include "compiler/passes/vector/scalars/version_guards.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kWord = 4;
constexpr unsigned kFewestLanes = 8;

/// `base[index]` of elements of one or two bytes, an index of 32 bits in each lane.
struct PartGather {
  IntrinsicInst* gather;
  FixedVectorType* type;
  Value *base, *index;
  bool is_signed;
  unsigned size;  ///< bytes of an element

  unsigned lanes() const { return type->getNumElements(); }
};

std::optional<PartGather> as_part_gather(Instruction& i) {
  auto* gather = dyn_cast<IntrinsicInst>(&i);
  if (!gather || gather->getIntrinsicID() != Intrinsic::masked_gather || gather->hasMetadata(kAtEdge))
    return std::nullopt;
  auto* type = cast<FixedVectorType>(gather->getType());
  const unsigned bits = type->getScalarSizeInBits(), size = bits / 8;
  if ((bits != 8 && bits != 16) || type->getNumElements() < kFewestLanes) return std::nullopt;
  if (cast<ConstantInt>(gather->getArgOperand(1))->getZExtValue() < size) return std::nullopt;
  auto* address = dyn_cast<GetElementPtrInst>(gather->getArgOperand(0));
  if (!address || address->getNumIndices() != 1 || address->getPointerOperandType()->isVectorTy()) return std::nullopt;
  if (address->getDataLayout().getTypeAllocSize(address->getSourceElementType()) != size) return std::nullopt;
  // Of a table that LLVM knows it may know, too, what lies behind its end.
  if (isa<GlobalVariable>(getUnderlyingObject(address->getPointerOperand()))) return std::nullopt;
  Value* index;
  if (!match(address->getOperand(1), m_ZExtOrSExt(m_Value(index))) || isa<Constant>(index)) return std::nullopt;
  if (index->getType()->getScalarSizeInBits() > 32) return std::nullopt;
  return PartGather{gather, type, address->getPointerOperand(), index, isa<SExtInst>(address->getOperand(1)), size};
}

/// The word that holds each lane's element, and by how many bits it has to go down. Sums cannot wrap: the index is
/// divided first.
class Words {
 public:
  Words(const PartGather& part, IRBuilder<>& b)
      : part_(part), b_(b), numbers_(FixedVectorType::get(b.getInt32Ty(), part.lanes())) {
    const unsigned in_word = kWord / part.size, bits = Log2_32(in_word);
    Value* index = part.is_signed ? b.CreateSExt(part.index, numbers_) : b.CreateZExt(part.index, numbers_);
    word_ = part.is_signed ? b.CreateAShr(index, number(bits)) : b.CreateLShr(index, number(bits));
    byte_ = b.CreateAnd(index, number(in_word - 1));
    if (part.size > 1) byte_ = b.CreateShl(byte_, number(Log2_32(part.size)));
    if (getKnownAlignment(part.base, b.GetInsertBlock()->getDataLayout()) < kWord) carry();
  }

  Value* load() {
    Type* word = b_.getInt32Ty();
    Value* base = b_.CreateIntrinsic(Intrinsic::ptrmask, {part_.base->getType(), b_.getInt64Ty()},
                                     {part_.base, b_.getInt64(-uint64_t{kWord})});
    Value* at = b_.CreateGEP(word, base, b_.CreateSExt(word_, VectorType::getExtendedElementVectorType(numbers_)));
    CallInst* words = b_.CreateMaskedGather(numbers_, at, Align(kWord), part_.gather->getArgOperand(2),
                                            Constant::getNullValue(numbers_));
    words->copyMetadata(*part_.gather, {LLVMContext::MD_invariant_load});
    Value* element = b_.CreateTrunc(b_.CreateLShr(words, b_.CreateShl(byte_, number(3))),
                                    FixedVectorType::get(b_.getIntNTy(part_.size * 8), part_.lanes()));
    return b_.CreateBitCast(element, part_.type);
  }

 private:
  // The base lies within a word itself.
  void carry() {
    Value* within =
        b_.CreateAnd(b_.CreateTrunc(b_.CreatePtrToInt(part_.base, b_.getInt64Ty()), b_.getInt32Ty()), kWord - 1);
    byte_ = b_.CreateAdd(byte_, b_.CreateVectorSplat(part_.lanes(), within));
    word_ = b_.CreateAdd(word_, b_.CreateLShr(byte_, number(2)));
    byte_ = b_.CreateAnd(byte_, number(kWord - 1));
  }

  Constant* number(unsigned n) const { return ConstantInt::get(numbers_, n); }

  const PartGather& part_;
  IRBuilder<>& b_;
  FixedVectorType* numbers_;
  Value *word_, *byte_;
};

}  // namespace

bool gather_words(Function& run, const TargetMachine& host) {
  if (!gathers_fast(host) || !has_features(host, "+avx512f")) return false;
  SmallVector<PartGather, 8> parts;
  for (Instruction& i : instructions(run))
    if (const auto part = as_part_gather(i)) parts.push_back(*part);
  for (const PartGather& part : parts) {
    IRBuilder<> b(part.gather);
    Value* loaded = Words(part, b).load();
    Value *mask = part.gather->getArgOperand(2), *others = part.gather->getArgOperand(3);
    if (!match(mask, m_AllOnes()) && !isa<UndefValue>(others)) loaded = b.CreateSelect(mask, loaded, others);
    part.gather->replaceAllUsesWith(loaded);
    part.gather->eraseFromParent();
  }
  return !parts.empty();
}

}  // namespace lanza::compiler
