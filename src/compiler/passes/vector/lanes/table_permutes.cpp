#include "compiler/passes/vector/lanes/table_permutes.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/vector/analysis/processors.hpp"
#include "compiler/passes/vector/lanes/byte_parts.hpp"
#include "compiler/passes/vector/scalars/version_guards.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kPage = 4096;
constexpr unsigned kFewestLanes = 8;
constexpr unsigned kBitsOfStart = 16;   // far from where sums change their sign
constexpr unsigned kMostQuestions = 8;  // of a kernel
constexpr unsigned kOften = 1000;       // times as often lies a table on one page

bool has(const TargetMachine& host, const char* feature) { return has_features(host, feature); }

/// How a host permutes elements of one size by numbers at run time.
struct Permutes {
  unsigned in_one = 0;     ///< elements of a table that one register has; 0: it does not
  unsigned lanes = 0;      ///< that find theirs at once
  unsigned registers = 0;  ///< at most, of a table
  bool has_pairs = false;  ///< two registers at once
};

Permutes permutes_of(const TargetMachine& host, uint64_t size) {
  const Permutes wide{static_cast<unsigned>(64 / size), static_cast<unsigned>(64 / size), 4, true};
  if (size == 1 && has(host, "+avx512vbmi")) return wide;
  if (size == 2 && has(host, "+avx512bw")) return wide;
  if ((size == 4 || size == 8) && has(host, "+avx512f")) return wide;
  if (has(host, "+avx512f") || !has(host, "+avx2")) return {};
  if (size == 1) return {16, 32, 4, false};  // each half of a register by itself
  return size == 4 ? Permutes{8, 8, 2, false} : Permutes{};
}

/// The number of elements that an index may count; 0: more than a table has.
uint64_t elements_of(const Value* index, const Permutes& permutes, const DataLayout& layout) {
  APInt most = computeKnownBits(index, layout).getMaxValue();
  Value* inside;
  const APInt* divisor;
  if (match(index, m_ZExtOrSelf(m_URem(m_Value(inside), m_APInt(divisor)))) && !divisor->isZero())
    most = APIntOps::umin(most, (*divisor - 1).zext(most.getBitWidth()));
  return most.ult(uint64_t{permutes.in_one} * permutes.registers) ? PowerOf2Ceil(most.getZExtValue() + 1) : 0;
}

/// An index without what all lanes add to it, which is returned: a part of a larger table, `rows[6 * k + i % 6]`.
uint64_t take_start(Value*& index) {
  Value *sum, *inside;
  const APInt* start;
  if (!match(index, m_ZExtOrSelf(m_Value(sum)))) return 0;
  if (!match(sum, m_NUWAdd(m_Value(inside), m_APInt(start))) &&
      !match(sum, m_DisjointOr(m_Value(inside), m_APInt(start))))
    return 0;
  if (start->getActiveBits() > kBitsOfStart) return 0;
  index = inside;
  return start->getZExtValue();
}

class TablePermute {
 public:
  TablePermute(IntrinsicInst& gather, const TargetMachine& host)
      : gather_(gather),
        layout_(gather.getDataLayout()),
        type_(cast<FixedVectorType>(gather.getType())),
        lanes_(type_->getNumElements()),
        size_(layout_.getTypeStoreSize(type_->getElementType())),
        permutes_(permutes_of(host, size_)) {
    if (lanes_ < kFewestLanes || layout_.getTypeSizeInBits(type_->getElementType()) != size_ * 8) return;
    if (permutes_.in_one != 0 && !type_->getElementType()->isPointerTy()) find_index();
  }

  /// Whether it is one, and may be done.
  bool is_table() const { return elements_ != 0; }

  bool is_variable() const {
    APInt offset(64, 0);
    const Value* object = address_->getPointerOperand();
    object = object->stripAndAccumulateConstantOffsets(layout_, offset, true);
    uint64_t bytes = 0;
    if (auto* variable = dyn_cast<GlobalVariable>(object); variable && variable->hasDefinitiveInitializer())
      bytes = layout_.getTypeAllocSize(variable->getValueType());
    else if (auto* local = dyn_cast<AllocaInst>(object); local && local->isStaticAlloca())
      bytes = local->getAllocationSize(layout_).value_or(TypeSize::getFixed(0));
    return offset.isNonNegative() && offset.getZExtValue() + (start_ + elements_) * size_ <= bytes;
  }

  void replace() {
    IRBuilder<> b(&gather_);
    if (!is_variable()) return ask(b);
    gather_.replaceAllUsesWith(of_active(b, permuted(b)));
    gather_.eraseFromParent();
  }

 private:
  // One index differs between lanes, and counts elements.
  void find_index() {
    address_ = dyn_cast<GetElementPtrInst>(gather_.getArgOperand(0));
    if (!address_ || address_->getPointerOperandType()->isVectorTy()) return;
    for (auto i = gep_type_begin(address_), end = gep_type_end(address_); i != end; ++i) {
      if (!i.getOperand()->getType()->isVectorTy()) continue;
      if (index_ || i.isStruct() || i.getSequentialElementStride(layout_) != size_) return void(elements_ = 0);
      index_ = own_ = i.getOperand();
      elements_ = isa<Constant>(index_) ? 0 : elements_of(index_, permutes_, layout_);
      if (elements_ <= permutes_.in_one && elements_ != 0) continue;
      Value* own = index_;
      const uint64_t start = take_start(own);
      const uint64_t elements = elements_of(own, permutes_, layout_);
      if (elements == 0 || (elements_ != 0 && elements >= elements_)) continue;
      own_ = own;
      start_ = start;
      elements_ = elements;
    }
  }

  bool has_all_lanes() const { return match(gather_.getArgOperand(2), m_AllOnes()); }

  Value* table(IRBuilder<>& b) const {
    SmallVector<Value*, 4> indices;
    for (Value* index : address_->indices())
      indices.push_back(index == index_ ? ConstantInt::get(index->getType()->getScalarType(), start_) : index);
    return b.CreateGEP(address_->getSourceElementType(), address_->getPointerOperand(), indices);
  }

  void ask(IRBuilder<>& b) {
    Value* in_page = b.CreateAnd(b.CreatePtrToInt(table(b), b.getInt64Ty()), kPage - 1);
    Value* on_one = b.CreateICmpULE(in_page, b.getInt64(kPage - elements_ * size_));
    if (!has_all_lanes()) {
      Value* active = b.CreateFreeze(gather_.getArgOperand(2));
      on_one = b.CreateAnd(on_one, b.CreateIsNotNull(b.CreateBitCast(active, b.getIntNTy(lanes_))));
    }
    Instruction *whole, *apart;
    SplitBlockAndInsertIfThenElse(on_one, &gather_, &whole, &apart,
                                  MDBuilder(b.getContext()).createBranchWeights(kOften, 1));
    b.SetInsertPoint(whole);
    Value* permuted = of_active(b, this->permuted(b));
    PHINode* either = PHINode::Create(type_, 2, "", gather_.getParent()->begin());
    either->addIncoming(permuted, whole->getParent());
    gather_.replaceAllUsesWith(either);
    gather_.moveBefore(apart);
    gather_.setMetadata(kAtEdge, MDNode::get(b.getContext(), {}));
    either->addIncoming(&gather_, apart->getParent());
  }

  Align alignment() const { return Align(cast<ConstantInt>(gather_.getArgOperand(1))->getZExtValue()); }
  FixedVectorType* numbers(IRBuilder<>& b, uint64_t count) const {
    return FixedVectorType::get(b.getIntNTy(size_ * 8), count);
  }

  Value* of_active(IRBuilder<>& b, Value* permuted) const {
    return has_all_lanes() ? permuted : b.CreateSelect(gather_.getArgOperand(2), permuted, gather_.getArgOperand(3));
  }

  static Value* resized(IRBuilder<>& b, Value* v, uint64_t first, uint64_t wanted) {
    const uint64_t count = cast<FixedVectorType>(v->getType())->getNumElements();
    if (count == wanted && first == 0) return v;
    SmallVector<int, 64> order;
    for (uint64_t k = first; k < first + wanted; ++k) order.push_back(k < count ? static_cast<int>(k) : PoisonMaskElem);
    return b.CreateShuffleVector(v, order);
  }

  // Registers full of the table, and lanes in parts that fill one, too.
  Value* permuted(IRBuilder<>& b) const {
    const uint64_t in_one = permutes_.in_one, at_once = permutes_.lanes;
    Value* first = table(b);
    SmallVector<Value*, 4> parts;
    for (uint64_t at = 0; at < elements_; at += in_one) {
      const uint64_t count = std::min(in_one, elements_);
      Value* from = b.CreateConstGEP1_64(type_->getElementType(), first, at);
      Value* part = resized(b, b.CreateAlignedLoad(numbers(b, count), from, alignment()), 0, in_one);
      parts.push_back(in_one < at_once ? concatenateVectors(b, {part, part}) : part);
    }
    Value* order = size_ == 1 ? byte_at(b, own_, 0) : nullptr;
    if (!order) order = b.CreateZExtOrTrunc(own_, numbers(b, lanes_));
    SmallVector<Value*, 4> results;
    for (uint64_t at = 0; at < lanes_; at += at_once) {
      Value* found = of_one(b, parts, resized(b, order, at, at_once));
      results.push_back(resized(b, found, 0, std::min<uint64_t>(at_once, lanes_)));
    }
    return b.CreateBitCast(concatenateVectors(b, results), type_);
  }

  Value* of_one(IRBuilder<>& b, ArrayRef<Value*> parts, Value* order) const {
    if (!permutes_.has_pairs) return chosen(b, parts, order);
    if (parts.size() == 1) return b.CreateIntrinsic(of_register(), {}, {parts[0], order});
    Value* low = b.CreateIntrinsic(of_pair(), {}, {parts[0], order, parts[1]});
    if (parts.size() == 2) return low;
    Value* high = b.CreateIntrinsic(of_pair(), {}, {parts[2], order, parts[3]});
    return b.CreateSelect(is_beyond(b, order, 2), high, low);
  }

  // Of each register what lies there, and a choice between them.
  Value* chosen(IRBuilder<>& b, ArrayRef<Value*> parts, Value* order) const {
    if (parts.size() == 1)
      return b.CreateIntrinsic(size_ == 1 ? Intrinsic::x86_avx2_pshuf_b : Intrinsic::x86_avx2_permd, {},
                               {parts[0], order});
    const size_t half = parts.size() / 2;
    Value* low = chosen(b, parts.take_front(half), order);
    Value* high = chosen(b, parts.drop_front(half), order);
    if (half == 2) return b.CreateSelect(is_beyond(b, order, 2), high, low);
    Value* bit = b.CreateAnd(order, ConstantInt::get(order->getType(), permutes_.in_one));
    return b.CreateSelect(b.CreateIsNotNull(bit), high, low);
  }

  Value* is_beyond(IRBuilder<>& b, Value* order, uint64_t registers) const {
    return b.CreateICmpUGE(order, ConstantInt::get(order->getType(), registers * permutes_.in_one));
  }

  Intrinsic::ID of_register() const {
    if (size_ == 1) return Intrinsic::x86_avx512_permvar_qi_512;
    if (size_ == 2) return Intrinsic::x86_avx512_permvar_hi_512;
    return size_ == 4 ? Intrinsic::x86_avx512_permvar_si_512 : Intrinsic::x86_avx512_permvar_di_512;
  }
  Intrinsic::ID of_pair() const {
    if (size_ == 1) return Intrinsic::x86_avx512_vpermi2var_qi_512;
    if (size_ == 2) return Intrinsic::x86_avx512_vpermi2var_hi_512;
    return size_ == 4 ? Intrinsic::x86_avx512_vpermi2var_d_512 : Intrinsic::x86_avx512_vpermi2var_q_512;
  }

  IntrinsicInst& gather_;
  const DataLayout& layout_;
  FixedVectorType* type_;
  const uint64_t lanes_, size_;
  const Permutes permutes_;
  GetElementPtrInst* address_ = nullptr;
  Value *index_ = nullptr, *own_ = nullptr;  ///< the latter without what all lanes add
  uint64_t start_ = 0;                       ///< which is this
  uint64_t elements_ = 0;                    ///< of the table
};

}  // namespace

bool permute_tables(Function& run, const TargetMachine& host) {
  SmallVector<IntrinsicInst*, 16> gathers;
  for (Instruction& i : instructions(run))
    if (auto* gather = dyn_cast<IntrinsicInst>(&i); gather && gather->getIntrinsicID() == Intrinsic::masked_gather)
      gathers.push_back(gather);
  unsigned questions = 0;
  bool changed = false;
  for (IntrinsicInst* gather : gathers) {
    TablePermute permute(*gather, host);
    if (!permute.is_table() || (!permute.is_variable() && ++questions > kMostQuestions)) continue;
    permute.replace();
    changed = true;
  }
  return changed;
}

bool is_in_short_table(const GetElementPtrInst& address, Type* element, const TargetMachine& host) {
  const DataLayout& layout = address.getDataLayout();
  const uint64_t size = layout.getTypeStoreSize(element);
  const Permutes permutes = permutes_of(host, size);
  if (permutes.in_one == 0 || layout.getTypeAllocSize(address.getResultElementType()) != size) return false;
  return elements_of(address.getOperand(address.getNumOperands() - 1), permutes, layout) != 0;
}

}  // namespace lanza::compiler
