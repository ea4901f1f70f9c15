#include "compiler/passes/vector/lanes/compress_stores.hpp"

#include <array>

#include <llvm/ADT/SetVector.h>
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

constexpr size_t kMostAsked = 8;  // scatters of a kernel: each is two pieces of code
constexpr unsigned kWords = 8;    // that vpermd permutes, by the lowest bits of as many numbers
constexpr unsigned kNumber = 4;   // bits of an entry of order_table() for each of them

// For each set of `lanes` lanes the words that come first when those that are on are packed, four bits a word.
GlobalVariable& order_table(Module& module, unsigned lanes) {
  const std::string name = ("lanza.packed." + Twine(lanes)).str();
  if (GlobalVariable* table = module.getNamedGlobal(name)) return *table;
  const unsigned words = kWords / lanes;
  SmallVector<uint32_t, 256> orders;
  for (unsigned on = 0; on < 1U << lanes; ++on) {
    uint32_t order = 0;
    unsigned at = 0;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if ((on >> lane & 1) == 0) continue;
      for (unsigned word = 0; word < words; ++word) order |= (lane * words + word) << kNumber * at++;
    }
    orders.push_back(order);
  }
  Constant* all = ConstantDataArray::get(module.getContext(), orders);
  auto* table = new GlobalVariable(module, all->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage, all, name);
  table->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return *table;
}

class RankedScatter {
 public:
  RankedScatter(IntrinsicInst& scatter, unsigned register_bits)
      : scatter_(scatter),
        mask_(scatter.getArgOperand(3)),
        values_(scatter.getArgOperand(0)),
        permutes_(register_bits < 512) {
    auto* type = cast<FixedVectorType>(values_->getType());
    lanes_ = type->getNumElements();
    bits_ = type->getScalarSizeInBits();
    in_one_ = bits_ == 32 || bits_ == 64 ? register_bits / bits_ : 0;
  }

  bool find(bool may_ask) {
    if (in_one_ == 0 || lanes_ % in_one_ != 0 || isa<Constant>(mask_)) return false;
    address_ = dyn_cast<GetElementPtrInst>(scatter_.getArgOperand(1));
    if (!address_ || address_->getNumIndices() != 1 || address_->getPointerOperandType()->isVectorTy()) return false;
    const DataLayout& layout = scatter_.getDataLayout();
    if (layout.getTypeAllocSize(address_->getSourceElementType()) != layout.getTypeStoreSize(element())) return false;
    Value* index = *address_->idx_begin();
    extension_ = dyn_cast<CastInst>(index);
    if (extension_ && !isa<SExtInst, ZExtInst>(extension_)) return false;
    if (is_rank(extension_ ? extension_->getOperand(0) : index)) return true;
    asks_ = may_ask && extension_ && extension_->getSrcTy()->getScalarSizeInBits() == 32 &&
            may_be_ranks(extension_->getOperand(0));
    return asks_;
  }

  void compress() {
    if (asks_) return compress_if_ranks();
    if (may_wrap_) ask();
    IRBuilder<> b(&scatter_);
    Value* base = first(b, *address_->idx_begin());
    Value* place = b.CreateGEP(address_->getSourceElementType(), address_->getPointerOperand(), base);
    for (unsigned at = 0; at < lanes_; at += in_one_) {
      Value *values = part(b, values_, at), *on = part(b, mask_, at);
      Value *count = count_of(b, on), *below = first_lanes(b, count);
      store(b, packed(b, values, on), place, below);
      place = b.CreateGEP(element(), place, count);
    }
    scatter_.eraseFromParent();
  }

 private:
  Type* element() const { return values_->getType()->getScalarType(); }

  Value* count_of(IRBuilder<>& b, Value* on) const {
    Value* bits = b.CreateBitCast(on, b.getIntNTy(in_one_));
    return b.CreateZExt(b.CreateUnaryIntrinsic(Intrinsic::ctpop, bits), b.getInt64Ty());
  }

  // The first lanes, as many.
  Value* first_lanes(IRBuilder<>& b, Value* count) const {
    if (permutes_) {
      Value* all = b.CreateVectorSplat(in_one_, b.CreateTrunc(count, b.getIntNTy(bits_)));
      return b.CreateICmpUGT(all, lane_numbers(b));
    }
    Value* below = b.CreateNot(b.CreateShl(b.getInt64(-1), count));
    return b.CreateBitCast(b.CreateTrunc(below, b.getIntNTy(in_one_)), FixedVectorType::get(b.getInt1Ty(), in_one_));
  }

  Constant* lane_numbers(IRBuilder<>& b) const {
    SmallVector<Constant*, 16> numbers;
    for (unsigned lane = 0; lane < in_one_; ++lane) numbers.push_back(ConstantInt::get(b.getIntNTy(bits_), lane));
    return ConstantVector::get(numbers);
  }

  Value* packed(IRBuilder<>& b, Value* lanes, Value* on) const {
    if (permutes_) return permuted(b, lanes, on);
    return b.CreateIntrinsic(Intrinsic::x86_avx512_mask_compress, {lanes->getType()},
                             {lanes, Constant::getNullValue(lanes->getType()), on});
  }

  // Lanes that are off are somewhere behind the others.
  Value* permuted(IRBuilder<>& b, Value* lanes, Value* on) const {
    GlobalVariable& table = order_table(*scatter_.getModule(), in_one_);
    Value* entry = b.CreateZExt(b.CreateBitCast(on, b.getIntNTy(in_one_)), b.getInt64Ty());
    Value* order = b.CreateLoad(b.getInt32Ty(), b.CreateGEP(b.getInt32Ty(), &table, entry));
    SmallVector<Constant*, kWords> shifts;
    for (unsigned word = 0; word < kWords; ++word) shifts.push_back(b.getInt32(kNumber * word));
    order = b.CreateLShr(b.CreateVectorSplat(kWords, order), ConstantVector::get(shifts));
    Value* words = b.CreateBitCast(b.CreateFreeze(lanes), order->getType());
    return b.CreateBitCast(b.CreateIntrinsic(Intrinsic::x86_avx2_permd, {}, {words, order}), lanes->getType());
  }

  void store(IRBuilder<>& b, Value* lanes, Value* place, Value* below) const {
    const Align align(cast<ConstantInt>(scatter_.getArgOperand(2))->getZExtValue());
    b.CreateMaskedStore(lanes, place, align, below);
  }

  // Sums of what lanes have in memory, or of each other's: a scan's; numbers of votes, whose word was stored. What is
  // gathered, or made of bits, is somewhere.
  static bool may_be_ranks(Value* index) {
    constexpr unsigned kMost = 64;
    SmallSetVector<Value*, 16> from;
    from.insert(index);
    for (size_t k = 0; k < from.size(); ++k) {
      auto* i = dyn_cast<Instruction>(from[k]);
      if (!i || !i->getType()->isVectorTy() || isSplatValue(i) || isa<LoadInst>(i)) continue;
      const Intrinsic::ID id = isa<IntrinsicInst>(i) ? cast<IntrinsicInst>(i)->getIntrinsicID() : 0;
      if (id == Intrinsic::masked_load || id == Intrinsic::ctpop) continue;
      const bool is_sum = i->getOpcode() == Instruction::Add || i->getOpcode() == Instruction::Sub;
      if (from.size() > kMost ||
          !(is_sum || isa<ShuffleVectorInst, InsertElementInst, SelectInst, PHINode, ZExtInst, SExtInst>(i)))
        return false;
      if (auto* choice = dyn_cast<SelectInst>(i))
        from.insert(choice->op_begin() + 1, choice->op_end());
      else if (!(isa<CastInst>(i) && i->getOperand(0)->getType()->isIntOrIntVectorTy(1)))
        from.insert(i->op_begin(), i->op_end());
    }
    return true;
  }

  // Register by register: the places of those that are on follow on each other, and their sum does not wrap.
  void compress_if_ranks() {
    IRBuilder<> b(&scatter_);
    Value* index = extension_->getOperand(0);
    const bool is_signed = isa<SExtInst>(extension_);
    const APInt most = (is_signed ? APInt::getSignedMaxValue(32) : APInt::getMaxValue(32)) - lanes_;
    Value* follow = b.getTrue();
    SmallVector<std::array<Value*, 3>, 4> parts;  // of values: those, as many first lanes, the first one's index
    for (unsigned at = 0; at < lanes_; at += in_one_) {
      Value *on = part(b, mask_, at), *below = first_lanes(b, count_of(b, on));
      Value* places = part(b, index, at);
      if (bits_ > 32) places = b.CreateZExt(places, FixedVectorType::get(b.getInt64Ty(), in_one_));
      places = packed(b, places, on);
      Value* first = b.CreateExtractElement(places, uint64_t{0});
      Value* all = b.CreateVectorSplat(in_one_, first);
      Value* elsewhere = b.CreateICmpNE(places, b.CreateAdd(all, lane_numbers(b)));
      elsewhere = b.CreateBitCast(b.CreateAnd(elsewhere, below), b.getIntNTy(in_one_));
      first = b.CreateTrunc(first, b.getInt32Ty());
      Value* goes = is_signed ? b.CreateICmpSLE(first, b.getInt(most)) : b.CreateICmpULE(first, b.getInt(most));
      follow = b.CreateAnd(follow, b.CreateAnd(b.CreateIsNull(elsewhere), goes));
      Value* index_of_first = b.CreateCast(extension_->getOpcode(), first, b.getInt64Ty());
      parts.push_back({packed(b, part(b, values_, at), on), below, index_of_first});
    }
    Instruction *compressed = nullptr, *scattered = nullptr;
    SplitBlockAndInsertIfThenElse(follow, &scatter_, &compressed, &scattered);
    b.SetInsertPoint(compressed);
    for (const auto& [lanes, below, first] : parts)
      store(b, lanes, b.CreateGEP(address_->getSourceElementType(), address_->getPointerOperand(), first), below);
    scatter_.moveBefore(scattered);
  }

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
      if (!getSplatValue(c) && !is_first_for_all(c)) return false;
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

  // What is computed in a few lanes of a vector, of which one is for all.
  static bool is_first_for_all(const Value* v) {
    auto* shuffle = dyn_cast<ShuffleVectorInst>(v);
    return shuffle && all_of(shuffle->getShuffleMask(), [](int lane) { return lane == 0; });
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
      Value* number = getSplatValue(c);
      sum = b.CreateAdd(
          sum, number ? number : b.CreateExtractElement(cast<ShuffleVectorInst>(c)->getOperand(0), uint64_t{0}));
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
  bool may_wrap_ = false, asks_ = false;
  const bool permutes_;  ///< by AVX2, which has no compression
  unsigned lanes_, bits_, in_one_;
};

unsigned register_bits(const TargetMachine& host) {
  return has_features(host, "+avx512f") ? 512 : has_features(host, "+avx2") ? 256 : 0;
}

}  // namespace

bool compress_stores(Function& run, const TargetMachine& host) {
  const unsigned bits = register_bits(host);
  if (bits == 0) return false;
  SmallVector<IntrinsicInst*, 8> scatters;
  for (Instruction& i : instructions(run))
    if (auto* call = dyn_cast<IntrinsicInst>(&i); call && call->getIntrinsicID() == Intrinsic::masked_scatter)
      scatters.push_back(call);
  const bool may_ask = scatters.size() <= kMostAsked;
  bool changed = false;
  for (IntrinsicInst* scatter : scatters)
    if (RankedScatter ranked(*scatter, bits); ranked.find(may_ask)) {
      ranked.compress();
      changed = true;
    }
  return changed;
}

}  // namespace lanza::compiler
