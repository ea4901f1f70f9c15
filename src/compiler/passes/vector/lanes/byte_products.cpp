#include "compiler/passes/vector/lanes/byte_products.hpp"

#include <algorithm>
#include <optional>

#include <llvm/ADT/SmallSet.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/IR/ValueMap.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/vector/analysis/processors.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostLeaves = 260;  // of a sum: of 64 words

constexpr uint64_t kAllBits = 255;

/// One of a word's four, or some bits of it, extended to 32 bits.
struct Byte {
  Value* word = nullptr;  ///< a scalar: all lanes share it
  unsigned number = 0;
  bool is_signed = false;
  uint64_t bits = kAllBits;
};

/// By whole bytes.
bool is_shift(const APInt& bits) { return bits.ult(32) && bits.urem(8) == 0; }

std::optional<Byte> as_byte(Value* v) {
  if (Value* shared = v->getType()->isVectorTy() ? getSplatValue(v) : nullptr; shared && !isa<Constant>(shared))
    return as_byte(shared);
  Value* word;
  const APInt *left, *right;
  if (match(v, m_AShr(m_Shl(m_Value(word), m_APInt(left)), m_SpecificInt(24))) && is_shift(*left))
    return Byte{word, 3 - static_cast<unsigned>(left->getZExtValue() / 8), true};
  if (match(v, m_Shr(m_Value(word), m_SpecificInt(24)))) return Byte{word, 3, isa<AShrOperator>(v)};
  Value *low, *byte;  // a word whose lowest it is
  const APInt* bits = nullptr;
  const bool is_extended = match(v, m_ZExtOrSExt(m_Value(byte))) && byte->getType()->getScalarSizeInBits() == 8;
  if (is_extended ? !match(byte, m_Trunc(m_Value(low))) : !match(v, m_And(m_Value(low), m_APInt(bits)))) return {};
  if (low->getType() != v->getType() || (bits && bits->ugt(kAllBits))) return {};
  Byte found{low, 0, isa<SExtInst>(v), bits ? bits->getZExtValue() : kAllBits};
  if (match(low, m_Shr(m_Value(word), m_APInt(right))) && is_shift(*right)) {
    found.word = word;
    found.number = static_cast<unsigned>(right->getZExtValue() / 8);
  }
  return found;
}

/// What a product takes of a word.
struct Factor {
  Value* word;
  bool is_signed;
  uint64_t bits = 0;

  bool is_of(const Byte& byte) const { return byte.word == word && byte.is_signed == is_signed; }
  void add(const Byte& byte) { bits |= byte.bits << 8 * byte.number; }
  /// The word, without the other bits.
  Value* value(IRBuilder<>& b) const {
    constexpr uint64_t kWord = 0xffffffff;
    return bits == kWord ? word : b.CreateAnd(word, ConstantInt::get(word->getType(), bits));
  }
};

/// The products of two words' bytes that are among the leaves of a sum.
struct Products {
  Factor a, b;
  SmallVector<Instruction*, 4> of_bytes;
  SmallSet<unsigned, 4> numbers;

  bool belongs(const Byte& x, const Byte& y) const { return a.is_of(x) && b.is_of(y) && !numbers.contains(x.number); }
  void add(Instruction& product, const Byte& x, const Byte& y) {
    of_bytes.push_back(&product);
    numbers.insert(x.number);
    a.add(x);
    b.add(y);
  }
};

/// A sum that is no part of another one.
class Sum {
 public:
  explicit Sum(Instruction& root) : root_(root) {}

  /// True where words' products are in it.
  bool find() {
    SmallVector<Value*, 16> work{root_.getOperand(0), root_.getOperand(1)};
    while (!work.empty()) {
      Value* v = work.pop_back_val();
      if (++leaves_ > kMostLeaves) return false;
      Value *x, *y;
      if (match(v, m_OneUse(m_Add(m_Value(x), m_Value(y)))))
        work.append({x, y});
      else if (!take_product(v))
        others_.push_back(v);
    }
    erase_if(products_, [&](const Products& p) {
      if (p.of_bytes.size() == 4) return false;
      others_.append(p.of_bytes.begin(), p.of_bytes.end());
      return true;
    });
    return !products_.empty();
  }

  ArrayRef<Products> products() const { return products_; }

  /// What is added to the words' products: last what the sum of a loop's turn waits for.
  Value* rest(IRBuilder<>& b) {
    Value* sum = nullptr;
    std::stable_partition(others_.begin(), others_.end(), [](Value* v) { return !isa<PHINode>(v); });
    for (Value* v : others_) sum = sum ? b.CreateAdd(sum, v) : v;
    return sum ? sum : Constant::getNullValue(root_.getType());
  }

 private:
  bool take_product(Value* v) {
    Value *x, *y;
    if (!match(v, m_OneUse(m_Mul(m_Value(x), m_Value(y))))) return false;
    const auto a = as_byte(x), b = as_byte(y);
    if (!a || !b || a->number != b->number) return false;
    auto& product = *cast<Instruction>(v);
    for (Products& known : products_) {
      const bool is_turned = !known.belongs(*a, *b);
      if (is_turned && !known.belongs(*b, *a)) continue;
      is_turned ? known.add(product, *b, *a) : known.add(product, *a, *b);
      return true;
    }
    products_.push_back({{a->word, a->is_signed}, {b->word, b->is_signed}, {}, {}});
    products_.back().add(product, *a, *b);
    return true;
  }

  Instruction& root_;
  SmallVector<Products, 4> products_;
  SmallVector<Value*, 8> others_;
  unsigned leaves_ = 0;
};

/// A sum that is too large, and by how much.
struct Excessive {
  Value *sum, *excess;
};

using Excesses = ValueMap<Value*, Excessive>;  // of sums that are there: one that a later one has in it may go

/// Instructions of the host, for vectors of words.
class Dot {
 public:
  Dot(IRBuilder<>& b, const TargetMachine& host, Excesses& known) : b_(b), host_(host), known_(known) {}

  bool is_there() const { return has("+avx2"); }

  /// sum + the products of the bytes of a and b.
  Value* add(Value* sum, Value* a, Value* b, bool a_signed, bool b_signed) {
    const unsigned lanes = cast<FixedVectorType>(sum->getType())->getNumElements(), most = has("+avx512bw") ? 16 : 8;
    if (lanes <= most) return add_part(sum, a, b, a_signed, b_signed);
    SmallVector<Value*, 4> parts;
    for (unsigned first = 0; first < lanes; first += most) {
      auto part = [&](Value* v) {
        return v->getType()->isVectorTy() ? b_.CreateShuffleVector(v, createSequentialMask(first, most, 0)) : v;
      };
      parts.push_back(add_part(part(sum), part(a), part(b), a_signed, b_signed));
    }
    return concatenateVectors(b_, parts);
  }

 private:
  bool has(const char* feature) const { return has_features(host_, feature); }
  bool has_vnni(unsigned lanes) const {
    if (lanes == 16) return has("+avx512vnni");
    return has("+avxvnni") || has("+avx512vnni,+avx512vl");
  }

  Value* add_part(Value* sum, Value* a, Value* b, bool a_signed, bool b_signed) {
    const unsigned lanes = cast<FixedVectorType>(sum->getType())->getNumElements();
    if (!a->getType()->isVectorTy()) a = b_.CreateVectorSplat(lanes, a);
    if (!b->getType()->isVectorTy()) b = b_.CreateVectorSplat(lanes, b);
    if (!has_vnni(lanes)) return add_words(add_words(sum, a, b, a_signed, b_signed, 0), a, b, a_signed, b_signed, 8);
    // The first without a sign, the second with one: x + 128 for x, and 128 times the others' sum too much; or x - 128.
    if (!a_signed && b_signed) return add_bytes(sum, a, b);
    if (a_signed && !b_signed) return add_bytes(sum, b, a);
    if (getSplatValue(a_signed ? a : b)) std::swap(a, b);  // what comes with its broadcast stays as it is
    Constant* high = ConstantInt::get(sum->getType(), 0x80808080U);
    Excessive now{sum, Constant::getNullValue(sum->getType())};
    if (auto before = known_.find(sum); before != known_.end()) now = before->second;  // taken off once, behind all
    now.excess = a_signed ? add_bytes(now.excess, high, b) : add_bytes(now.excess, a, high);
    (a_signed ? a : b) = b_.CreateXor(a_signed ? a : b, high);
    now.sum = add_bytes(now.sum, a, b);
    Value* all = b_.CreateSub(now.sum, now.excess);
    known_[all] = now;
    return all;
  }

  Value* add_bytes(Value* sum, Value* without_sign, Value* with_sign) {
    const unsigned lanes = cast<FixedVectorType>(sum->getType())->getNumElements();
    const Intrinsic::ID id = lanes == 16  ? Intrinsic::x86_avx512_vpdpbusd_512
                             : lanes == 8 ? Intrinsic::x86_avx512_vpdpbusd_256
                                          : Intrinsic::x86_avx512_vpdpbusd_128;
    return b_.CreateIntrinsic(id, {}, {sum, without_sign, with_sign});
  }

  // The lower bytes of all shorts, or the higher ones.
  Value* add_words(Value* sum, Value* a, Value* b, bool a_signed, bool b_signed, unsigned shift) {
    const unsigned lanes = cast<FixedVectorType>(sum->getType())->getNumElements();
    auto* shorts = FixedVectorType::get(b_.getInt16Ty(), 2 * lanes);
    auto half = [&](Value* v, bool is_signed) {
      v = b_.CreateBitCast(v, shorts);
      if (shift == 0) v = is_signed ? b_.CreateShl(v, 8) : b_.CreateAnd(v, ConstantInt::get(shorts, 255));
      return is_signed ? b_.CreateAShr(v, 8) : b_.CreateLShr(v, shift);
    };
    const Intrinsic::ID id = lanes == 16  ? Intrinsic::x86_avx512_pmaddw_d_512
                             : lanes == 8 ? Intrinsic::x86_avx2_pmadd_wd
                                          : Intrinsic::x86_sse2_pmadd_wd;
    return b_.CreateAdd(sum, b_.CreateIntrinsic(id, {}, {half(a, a_signed), half(b, b_signed)}));
  }

  IRBuilder<>& b_;
  const TargetMachine& host_;
  Excesses& known_;
};

bool is_root(Instruction& i) {
  auto* type = dyn_cast<FixedVectorType>(i.getType());
  if (i.getOpcode() != Instruction::Add || !type || !type->getElementType()->isIntegerTy(32)) return false;
  if (type->getNumElements() < 4 || !isPowerOf2_32(type->getNumElements())) return false;
  return !i.hasOneUse() || cast<Instruction>(*i.user_begin())->getOpcode() != Instruction::Add;
}

}  // namespace

bool add_byte_products(Function& run, const TargetMachine& host) {
  SmallVector<WeakTrackingVH, 16> roots;
  for (Instruction& i : instructions(run))
    if (is_root(i)) roots.push_back(&i);
  Excesses known;
  bool changed = false;
  for (WeakTrackingVH& handle : roots) {
    auto* root = dyn_cast_or_null<Instruction>(handle);
    if (!root) continue;
    IRBuilder<> b(root);
    Dot dot(b, host, known);
    Sum sum(*root);
    if (!dot.is_there() || !sum.find()) continue;
    Value* result = sum.rest(b);
    for (const auto& [x, y, of_bytes, numbers] : sum.products())
      result = dot.add(result, x.value(b), y.value(b), x.is_signed, y.is_signed);
    root->replaceAllUsesWith(result);
    RecursivelyDeleteTriviallyDeadInstructions(root);
    changed = true;
  }
  return changed;
}

}  // namespace lanza::compiler
