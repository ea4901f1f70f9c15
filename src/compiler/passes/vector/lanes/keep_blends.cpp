#include "compiler/passes/vector/lanes/keep_blends.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/passes/vector/lanes/hidden_values.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kRegister = 512;

enum class From { Any, Old, New };
using Places = SmallVector<From, 16>;

bool is_blend(const ShuffleVectorInst& shuffle) {
  return isa<FixedVectorType>(shuffle.getType()) && shuffle.getType()->getPrimitiveSizeInBits() == kRegister &&
         shuffle.getType()->getScalarSizeInBits() >= 32 && shuffle.isSelect() &&
         shuffle.getOperand(0) != shuffle.getOperand(1);
}

unsigned lanes_of(const Value* v) { return cast<FixedVectorType>(v->getType())->getNumElements(); }

// What a mask can keep from being written, where it adds to `old`.
bool can_be_masked(const Value* value, const Value* old) {
  auto* call = dyn_cast<IntrinsicInst>(value);
  if (call && call->getIntrinsicID() == Intrinsic::fma) return is_contained(call->args(), old);
  return isa<BinaryOperator>(value);
}

/// A blend of `old` and `made`, which is computed from it.
class Blend {
 public:
  explicit Blend(ShuffleVectorInst& blend) : blend_(blend) {}

  bool find() {
    for (unsigned made : {0u, 1u}) {
      made_ = dyn_cast<Instruction>(blend_.getOperand(made));
      old_ = blend_.getOperand(1 - made);
      if (!made_ || isa<Constant>(old_) || !can_be_masked(made_, old_)) continue;
      for (unsigned lane = 0; lane < lanes_of(&blend_); ++lane)
        places_.push_back(takes(blend_, lane, made_) ? From::New : takes(blend_, lane, old_) ? From::Old : From::Any);
      if (find_others()) return true;
      places_.clear();
      others_.clear();
    }
    return false;
  }

  template <class MaskOf>
  void replace(MaskOf mask_of) {
    Value* masked = IRBuilder<>(&blend_).CreateSelect(mask_of(places_), made_, old_);
    blend_.replaceAllUsesWith(masked);
    for (ShuffleVectorInst* other : others_) replace_other(*other, masked, mask_of);
  }

 private:
  // Whatever else takes of the new vector, by blends further down, finds it in this one too.
  bool find_others() {
    for (User* user : made_->users()) {
      if (user == &blend_) continue;
      auto* other = dyn_cast<ShuffleVectorInst>(user);
      if (!other || !is_blend(*other)) return false;
      if (other->getParent() != blend_.getParent() || !blend_.comesBefore(other)) return false;
      for (unsigned lane = 0; lane < places_.size(); ++lane) {
        if (!takes(*other, lane, made_)) continue;
        if (places_[lane] == From::Old) return false;
        places_[lane] = From::New;
      }
      others_.push_back(other);
    }
    return true;
  }

  bool takes(const ShuffleVectorInst& blend, unsigned lane, const Value* of) const {
    const int at = blend.getMaskValue(lane);
    return at >= 0 && blend.getOperand(static_cast<unsigned>(at) / lanes_of(&blend_)) == of;
  }

  // What was added to the old vector is added to the blend, where it takes places that are the old one's.
  template <class MaskOf>
  void replace_other(ShuffleVectorInst& other, Value* masked, MaskOf mask_of) {
    auto* sum = dyn_cast<IntrinsicInst>(other.getOperand(other.getOperand(0) == made_ ? 1 : 0));
    Places taken(places_.size(), From::Any);
    bool joins = sum && sum->hasOneUse() && sum->getIntrinsicID() == Intrinsic::fma && sum->getArgOperand(2) == old_ &&
                 sum->getParent() == other.getParent() && cast<Instruction>(masked)->comesBefore(sum);
    for (unsigned lane = 0; joins && lane < places_.size(); ++lane) {
      if (!takes(other, lane, sum)) continue;
      taken[lane] = From::New;
      joins = places_[lane] != From::New;
    }
    if (!joins) {
      other.replaceUsesOfWith(made_, masked);
      return;
    }
    sum->setArgOperand(2, masked);
    other.replaceAllUsesWith(IRBuilder<>(&other).CreateSelect(mask_of(taken), sum, masked));
  }

  ShuffleVectorInst& blend_;
  Instruction* made_ = nullptr;
  Value* old_ = nullptr;
  Places places_;
  SmallVector<ShuffleVectorInst*, 2> others_;
};

bool is_permuted(const ShuffleVectorInst& blend) {
  return any_of(blend.users(), [](const User* user) {
    auto* permutation = dyn_cast<ShuffleVectorInst>(user);
    return permutation && permutation->isSingleSource() && !permutation->changesLength();
  });
}

}  // namespace

bool keep_blends(Function& run, const TargetTransformInfo& host) {
  if (host.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue() < kRegister) return false;
  SmallDenseMap<std::pair<uint64_t, unsigned>, Value*, 4> masks;
  auto mask_of = [&](const Places& places) {
    uint64_t bits = 0;
    for (auto [lane, from] : enumerate(places)) bits |= static_cast<uint64_t>(from == From::New) << lane;
    const auto lanes = static_cast<unsigned>(places.size());
    Value*& mask = masks[{bits, lanes}];
    if (mask) return mask;
    IRBuilder<> b(&*run.getEntryBlock().getFirstInsertionPt());
    return mask = b.CreateBitCast(hide(b, b.getIntN(lanes, bits), host), FixedVectorType::get(b.getInt1Ty(), lanes));
  };
  SmallVector<ShuffleVectorInst*, 16> blends;
  for (Instruction& i : instructions(run))
    if (auto* shuffle = dyn_cast<ShuffleVectorInst>(&i); shuffle && is_blend(*shuffle) && is_permuted(*shuffle))
      blends.push_back(shuffle);
  bool changed = false;
  for (ShuffleVectorInst* shuffle : blends) {
    Blend blend(*shuffle);
    if (!blend.find()) continue;
    blend.replace(mask_of);
    changed = true;
  }
  return changed;
}

}  // namespace lanza::compiler
