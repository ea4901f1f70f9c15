#include "compiler/passes/vector/lanes/word_gathers.hpp"

#include <optional>

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/vector/analysis/processors.hpp"
#include "compiler/passes/vector/lanes/hidden_values.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kWord = 4;
constexpr unsigned kFewestLanes = 8;
constexpr unsigned kRegister = 128, kWidest = 512;  // bits

/// Elements of one or two bytes.
struct PartGather {
  IntrinsicInst* gather;
  FixedVectorType* type;
  unsigned size;                            ///< bytes of an element
  Value *base = nullptr, *index = nullptr;  ///< `base[index]`, an index of 32 bits in each lane, if it is so
  bool is_signed = false;
  bool is_extended = false;  ///< to 32 bits, by all its users

  unsigned lanes() const { return type->getNumElements(); }
};

/// Whether lanes are known to lie constant steps apart.
bool has_steps(Value* addresses) {
  while (addresses->getType()->isVectorTy() && !isSplatValue(addresses)) {
    auto* step = dyn_cast<GetElementPtrInst>(addresses);
    if (!step) return false;
    for (Value* index : step->indices())
      if (index->getType()->isVectorTy() && !isa<Constant>(index) && !isSplatValue(index)) return false;
    addresses = step->getPointerOperand();
  }
  return true;
}

void find_index(PartGather& part) {
  auto* address = dyn_cast<GetElementPtrInst>(part.gather->getArgOperand(0));
  if (!address || address->getNumIndices() != 1 || address->getPointerOperandType()->isVectorTy()) return;
  if (address->getDataLayout().getTypeAllocSize(address->getSourceElementType()) != part.size) return;
  Value* index;
  if (!match(address->getOperand(1), m_ZExtOrSExt(m_Value(index)))) return;
  if (index->getType()->getScalarSizeInBits() > 32) return;
  part.base = address->getPointerOperand();
  part.index = index;
  part.is_signed = isa<SExtInst>(address->getOperand(1));
}

bool is_extended(const PartGather& part) {
  auto* numbers = FixedVectorType::get(Type::getInt32Ty(part.type->getContext()), part.lanes());
  return all_of(part.gather->users(), [&](User* u) { return isa<ZExtInst, SExtInst>(u) && u->getType() == numbers; });
}

/// As hide() takes them.
bool fills_register(const PartGather& part) {
  const unsigned bits = part.lanes() * part.size * 8;
  return isPowerOf2_32(bits) && bits >= kRegister && bits <= kWidest;
}

std::optional<PartGather> as_part_gather(Instruction& i) {
  auto* gather = dyn_cast<IntrinsicInst>(&i);
  if (!gather || gather->getIntrinsicID() != Intrinsic::masked_gather) return std::nullopt;
  auto* type = cast<FixedVectorType>(gather->getType());
  const unsigned bits = type->getScalarSizeInBits();
  PartGather part{gather, type, bits / 8};
  if ((bits != 8 && bits != 16) || part.lanes() < kFewestLanes) return std::nullopt;
  if (cast<ConstantInt>(gather->getArgOperand(1))->getZExtValue() < part.size) return std::nullopt;
  part.is_extended = type->isIntOrIntVectorTy() && is_extended(part);
  if (type->isIntOrIntVectorTy() && !part.is_extended && !fills_register(part)) return std::nullopt;
  Value* addresses = gather->getArgOperand(0);
  // Of a table that LLVM knows it may know, too, what lies behind its end.
  if (has_steps(addresses) || isa<GlobalVariable>(getUnderlyingObject(addresses))) return std::nullopt;
  find_index(part);
  return part;
}

/// The word that holds each lane's element, and by how many bits it has to go down.
class Words {
 public:
  Words(const PartGather& part, IRBuilder<>& b, const TargetTransformInfo& host)
      : part_(part), b_(b), host_(host), numbers_(FixedVectorType::get(b.getInt32Ty(), part.lanes())) {
    part.index ? count() : cut();
  }

  /// In place of the gather, or of what it is extended to.
  void load() {
    CallInst* words = b_.CreateMaskedGather(numbers_, words_, Align(kWord), part_.gather->getArgOperand(2),
                                            Constant::getNullValue(numbers_));
    words->copyMetadata(*part_.gather, {LLVMContext::MD_invariant_load});
    Value* lowered = b_.CreateLShr(words, b_.CreateShl(byte_, number(3)));
    if (part_.is_extended) return extend(lowered);
    Value* cut = b_.CreateTrunc(lowered, FixedVectorType::get(b_.getIntNTy(part_.size * 8), part_.lanes()));
    // Parts of 8 or 16 bits that are cut off and extended again LLVM 19's code generator makes extensions from 32 bits
    // to 32 of, which are none.
    if (part_.type->isIntOrIntVectorTy()) cut = hide(b_, cut, host_);
    part_.gather->replaceAllUsesWith(with_others(b_.CreateBitCast(cut, part_.type), part_.gather->getArgOperand(3)));
  }

 private:
  // By the users' signs, in 32 bits.
  void extend(Value* lowered) {
    const unsigned above = 32 - 8 * part_.size;
    for (User* user : make_early_inc_range(part_.gather->users())) {
      auto* extension = cast<CastInst>(user);
      Value* extended = isa<SExtInst>(extension) ? b_.CreateAShr(b_.CreateShl(lowered, number(above)), number(above))
                                                 : b_.CreateAnd(lowered, number(~0U >> above));
      Value* others = b_.CreateCast(extension->getOpcode(), part_.gather->getArgOperand(3), numbers_);
      extension->replaceAllUsesWith(with_others(extended, others));
      extension->eraseFromParent();
    }
  }

  Value* with_others(Value* loaded, Value* others) {
    Value* mask = part_.gather->getArgOperand(2);
    const bool all = match(mask, m_AllOnes()) || isa<UndefValue>(part_.gather->getArgOperand(3));
    return all ? loaded : b_.CreateSelect(mask, loaded, others);
  }

  // Sums cannot wrap: the index is divided first.
  void count() {
    const unsigned in_word = kWord / part_.size, bits = Log2_32(in_word);
    Value* index = b_.CreateIntCast(part_.index, numbers_, part_.is_signed);
    Value* word = part_.is_signed ? b_.CreateAShr(index, number(bits)) : b_.CreateLShr(index, number(bits));
    byte_ = b_.CreateAnd(index, number(in_word - 1));
    if (part_.size > 1) byte_ = b_.CreateShl(byte_, number(Log2_32(part_.size)));
    if (getKnownAlignment(part_.base, b_.GetInsertBlock()->getDataLayout()) < kWord) word = carry(word);
    Type* wide = VectorType::getExtendedElementVectorType(numbers_);
    Value* base = b_.CreateIntrinsic(Intrinsic::ptrmask, {part_.base->getType(), b_.getInt64Ty()},
                                     {part_.base, b_.getInt64(-uint64_t{kWord})});
    words_ = b_.CreateGEP(b_.getInt32Ty(), base, b_.CreateSExt(word, wide));
  }

  // The base lies within a word itself.
  Value* carry(Value* word) {
    Value* within = b_.CreateTrunc(b_.CreatePtrToInt(part_.base, b_.getInt64Ty()), b_.getInt32Ty());
    byte_ = b_.CreateAdd(byte_, b_.CreateVectorSplat(part_.lanes(), b_.CreateAnd(within, kWord - 1)));
    Value* carried = b_.CreateAdd(word, b_.CreateLShr(byte_, number(2)));
    byte_ = b_.CreateAnd(byte_, number(kWord - 1));
    return carried;
  }

  // Addresses of 64 bits.
  void cut() {
    Value* addresses = part_.gather->getArgOperand(0);
    auto* wide = VectorType::getExtendedElementVectorType(numbers_);
    Value* bits = b_.CreatePtrToInt(addresses, wide);
    byte_ = b_.CreateAnd(b_.CreateTrunc(bits, numbers_), number(kWord - 1));
    words_ = b_.CreateIntToPtr(b_.CreateAnd(bits, ConstantInt::get(wide, -uint64_t{kWord})), addresses->getType());
  }

  Constant* number(unsigned n) const { return ConstantInt::get(numbers_, n); }

  const PartGather& part_;
  IRBuilder<>& b_;
  const TargetTransformInfo& host_;
  FixedVectorType* numbers_;
  Value *words_ = nullptr, *byte_ = nullptr;
};

}  // namespace

bool gather_words(Function& run, const TargetMachine& host) {
  if (!gathers_fast(host) || !has_features(host, "+avx512f")) return false;
  const TargetTransformInfo costs = host.getTargetTransformInfo(run);
  SmallVector<Instruction*, 8> gathers;
  for (Instruction& i : instructions(run))
    if (as_part_gather(i)) gathers.push_back(&i);
  for (Instruction* gather : gathers) {
    const auto part = as_part_gather(*gather);  // its index may be what another one was extended to
    if (!part) continue;
    IRBuilder<> b(gather);
    Words(*part, b, costs).load();
    gather->eraseFromParent();
  }
  return !gathers.empty();
}

}  // namespace lanza::compiler
