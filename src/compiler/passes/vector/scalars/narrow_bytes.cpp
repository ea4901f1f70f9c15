#include "compiler/passes/vector/scalars/narrow_bytes.hpp"

#include <unordered_map>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/scalars/saturate_extrema.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

/// How the low bits of a value give its 32.
struct Fit {
  bool as_signed = false, as_unsigned = false;
  bool spare = false;  ///< a bit is left over, as signed
  explicit operator bool() const { return as_signed || as_unsigned; }
};

/// Which numbers words may be: of sums and products LLVM's own knows whole bits only (`66 * r + 129 * g + 25 * b`).
class WordRanges {
 public:
  const ConstantRange& of(const Value* v, unsigned depth = 24) {
    if (auto known = ranges_.find(v); known != ranges_.end()) return known->second;
    const ConstantRange found = depth ? make(v, depth - 1) : ConstantRange::getFull(32);
    return ranges_.try_emplace(v, found).first->second;
  }

 private:
  ConstantRange make(const Value* v, unsigned depth) {
    if (auto* number = dyn_cast<ConstantInt>(v)) return number->getValue();
    if (auto* extension = dyn_cast<CastInst>(v)) return of_extension(*extension);
    if (auto* select = dyn_cast<SelectInst>(v))
      return of(select->getTrueValue(), depth).unionWith(of(select->getFalseValue(), depth));
    if (auto* call = dyn_cast<IntrinsicInst>(v)) return of_call(*call, depth);
    auto* i = dyn_cast<BinaryOperator>(v);
    if (!i) return ConstantRange::getFull(32);
    const ConstantRange a = of(i->getOperand(0), depth), b = of(i->getOperand(1), depth);
    if (auto* by = b.getSingleElement(); by && i->getOpcode() == Instruction::Shl && by->ult(31))
      return a.multiply(APInt(32, 1).shl(*by));  // of what may be negative more is known of products
    return a.binaryOp(i->getOpcode(), b);
  }

  static ConstantRange of_extension(const CastInst& cast) {
    if (!isa<ZExtInst, SExtInst>(cast)) return ConstantRange::getFull(32);
    return ConstantRange::getFull(cast.getSrcTy()->getIntegerBitWidth()).castOp(cast.getOpcode(), 32);
  }

  ConstantRange of_call(const IntrinsicInst& call, unsigned depth) {
    const Intrinsic::ID id = call.getIntrinsicID();
    if (id == Intrinsic::abs) return of(call.getArgOperand(0), depth).abs();
    if (!isa<MinMaxIntrinsic>(call)) return ConstantRange::getFull(32);
    return ConstantRange::intrinsic(id, {of(call.getArgOperand(0), depth), of(call.getArgOperand(1), depth)});
  }

  std::unordered_map<const Value*, ConstantRange> ranges_;
};

class ByteArithmetic {
 public:
  ByteArithmetic(Function& kernel, const GroupShape& group, unsigned bits)
      : kernel_(kernel), layout_(kernel.getParent()->getDataLayout()), shapes_(kernel, group), bits_(bits) {}

  bool run() {
    std::vector<Instruction*> order;
    for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&kernel_))
      for (Instruction& i : *block) order.push_back(&i);
    std::vector<Instruction*> candidates;
    for (Instruction* i : order)
      if (may_narrow(*i)) candidates.push_back(i);
    for (Instruction* i : candidates) narrow(*i);
    return changed_;
  }

 private:
  // What comes narrow or may be made so, and what is asked of it. Of other values nothing need be known: of rounds of
  // a hash LLVM takes long to find that nothing is.
  bool may_narrow(Instruction& i) {
    const bool of_narrow =
        any_of(i.operands(), [&](Value* v) { return comes_narrow(v) || may_be_narrow_.contains(v); });
    if (!of_narrow && !isa<TruncInst>(i) && !is_abs(i) && !chooses_by_narrow(i)) return false;
    for (Value* operand : i.operands())
      if (is_word(operand)) fit_of(operand);
    if (isa<ICmpInst>(i) || (is_word(&i) && !isa<PHINode>(i) && fit_of(&i))) may_be_narrow_.insert(&i);
    return true;
  }

  static bool is_abs(const Value& v) {
    auto* call = dyn_cast<IntrinsicInst>(&v);
    return call && call->getIntrinsicID() == Intrinsic::abs;
  }

  bool chooses_by_narrow(const Instruction& i) const {
    auto* choice = dyn_cast<SelectInst>(&i);
    auto* asked = choice ? dyn_cast<ICmpInst>(choice->getCondition()) : nullptr;
    return asked && asked->getOperand(0)->getType()->isIntegerTy() &&
           asked->getOperand(0)->getType()->getScalarSizeInBits() <= bits_;
  }

  // As it was before anything was narrowed: of fewer bits LLVM knows less.
  Fit fit_of(Value* v) {
    if (fits_.try_emplace(v).second) {
      if (isa<MinMaxIntrinsic>(v)) {  // one of the two; LLVM looks only so deep into a chain of them
        const Fit x = fit_of(cast<User>(v)->getOperand(0)), y = fit_of(cast<User>(v)->getOperand(1));
        const Fit either{x.as_signed && y.as_signed, x.as_unsigned && y.as_unsigned, x.spare && y.spare};
        if (either) return fits_[v] = either;
      }
      const unsigned copies = ComputeNumSignBits(v, layout_);
      const KnownBits known = computeKnownBits(v, layout_);
      const ConstantRange& range = ranges_.of(v);
      const unsigned wanted = std::min(33 - copies, range.getMinSignedBits());  // as signed
      const bool low = known.countMinLeadingZeros() >= 32 - bits_ || range.getUnsignedMax().isIntN(bits_);
      const bool positive = known.isNonNegative() || is_magnitude(v);
      fits_[v] = {wanted <= bits_, low || (positive && copies >= 32 - bits_), wanted < bits_};
    }
    return fits_[v];
  }

  // Of something that is not the smallest integer.
  bool is_magnitude(Value* v) const {
    return is_abs(*v) && ComputeNumSignBits(cast<IntrinsicInst>(v)->getArgOperand(0), layout_) > 1;
  }

  bool is_word(const Value* v) const { return v->getType()->isIntegerTy(32); }

  void narrow(Instruction& i) {
    if (auto* compare = dyn_cast<ICmpInst>(&i)) return narrow_comparison(*compare);
    if (auto* cut = dyn_cast<TruncInst>(&i)) return narrow_cut(*cut);
    if (!is_word(&i) || !shapes_[&i].is_varying()) return;
    const Fit fit = fit_of(&i);
    if (!fit) return;
    IRBuilder<> b(&i);
    Value* narrowed = nullptr;
    if (is_modular(i)) {
      if (all_fit(i.operands())) narrowed = operation(b, cast<BinaryOperator>(i));
    } else if (auto* shift = dyn_cast<BinaryOperator>(&i)) {
      narrowed = this->shift(b, *shift);
    } else if (auto* select = dyn_cast<SelectInst>(&i)) {
      if (all_fit(drop_begin(i.operands())) || is_narrow_choice(*select))
        narrowed = b.CreateSelect(select->getCondition(), cut(b, i.getOperand(1)), cut(b, i.getOperand(2)));
    } else if (auto* intrinsic = dyn_cast<IntrinsicInst>(&i)) {
      narrowed = call(b, *intrinsic);
    }
    if (!narrowed) return;
    Value* again = fit.as_unsigned ? b.CreateZExt(narrowed, i.getType()) : b.CreateSExt(narrowed, i.getType());
    fits_[again] = fit;
    i.replaceAllUsesWith(again);
    changed_ = true;
  }

  // And one of them has no more bits already: else there is nothing to win.
  template <class Range>
  bool all_fit(Range&& operands) {
    return any_of(operands, [&](Value* v) { return comes_narrow(v); }) &&
           all_of(operands, [&](Value* v) { return static_cast<bool>(fit_of(v)); });
  }

  // `if (a[j] < least) at = j`, of constants, by what is asked of bytes: only compared and chosen from, so that masks
  // need not be widened.
  bool is_narrow_choice(SelectInst& choice) {
    return chooses_by_narrow(choice) && isa<ConstantInt>(choice.getTrueValue()) &&
           isa<ConstantInt>(choice.getFalseValue()) && fit_of(choice.getTrueValue()) &&
           fit_of(choice.getFalseValue()) && all_of(choice.users(), [](const User* user) {
             return isa<SelectInst, ICmpInst>(user) || cast<Instruction>(user)->getOpcode() == Instruction::And;
           });
  }

  // The low bits of the result follow from the low bits of the operands.
  bool is_modular(const Instruction& i) const {
    switch (i.getOpcode()) {
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::And:
      case Instruction::Or:
      case Instruction::Xor:
        return true;
      case Instruction::Mul:  // of which, as of shifts, processors have none of bytes
        return bits_ >= 16;
      default:
        return false;
    }
  }

  // The high byte of a sum of shorts: whatever lies above them is not asked for.
  void narrow_cut(TruncInst& cut) {
    auto* shift = dyn_cast<BinaryOperator>(cut.getOperand(0));
    if (bits_ < 16 || !shift || !is_word(shift) || !shapes_[&cut].is_varying()) return;
    auto* by = dyn_cast<ConstantInt>(shift->getOperand(1));
    const bool right = shift->getOpcode() == Instruction::LShr || shift->getOpcode() == Instruction::AShr;
    if (!right || !by || by->getValue().ugt(bits_ - cut.getType()->getScalarSizeInBits())) return;
    if (isa<Constant>(shift->getOperand(0)) || !has_low_bits(shift->getOperand(0))) return;
    IRBuilder<> b(&cut);
    Value* part = b.CreateLShr(low_bits(b, shift->getOperand(0)), b.getIntN(bits_, by->getZExtValue()));
    cut.replaceAllUsesWith(b.CreateTrunc(part, cut.getType()));
    changed_ = true;
  }

  // Of arithmetic whose low bits follow from those of values that come narrow.
  bool has_low_bits(Value* v, unsigned depth = 8) const {
    if (isa<ConstantInt>(v) || comes_narrow(v)) return true;
    auto* i = dyn_cast<BinaryOperator>(v);
    return i && depth && is_modular(*i) && has_low_bits(i->getOperand(0), depth - 1) &&
           has_low_bits(i->getOperand(1), depth - 1);
  }

  Value* low_bits(IRBuilder<>& b, Value* v) {
    auto* i = dyn_cast<BinaryOperator>(v);
    if (!i) return cut(b, v);
    Value* left = low_bits(b, i->getOperand(0));
    return b.CreateBinOp(i->getOpcode(), left, low_bits(b, i->getOperand(1)));
  }

  Value* cut(IRBuilder<>& b, Value* v) { return b.CreateTrunc(v, b.getIntNTy(bits_)); }

  Value* operation(IRBuilder<>& b, BinaryOperator& i) {
    Value* left = cut(b, i.getOperand(0));
    return b.CreateBinOp(i.getOpcode(), left, cut(b, i.getOperand(1)));
  }

  // Left: the result fits, so nothing is lost above. Right: what comes in from above are copies of the sign, or zeros.
  Value* shift(IRBuilder<>& b, BinaryOperator& i) {
    auto* by = dyn_cast<ConstantInt>(i.getOperand(1));
    if (!i.isShift() || bits_ < 16 || !by || by->getValue().uge(bits_) || !comes_narrow(i.getOperand(0)))
      return nullptr;
    const Fit fit = fit_of(i.getOperand(0));
    const bool right = i.getOpcode() != Instruction::Shl;
    if (right ? !(i.getOpcode() == Instruction::AShr ? fit.as_signed : fit.as_unsigned) : !fit) return nullptr;
    return b.CreateBinOp(i.getOpcode(), cut(b, i.getOperand(0)), b.getIntN(bits_, by->getZExtValue()));
  }

  // Signed where both are as signed, unsigned where both are as unsigned: order is kept either way.
  bool ordered(Value* x, Value* y, bool as_signed) {
    const Fit a = fit_of(x), c = fit_of(y);
    return as_signed ? a.as_signed && c.as_signed : a.as_unsigned && c.as_unsigned;
  }

  Value* call(IRBuilder<>& b, IntrinsicInst& i) {
    if (i.getIntrinsicID() == Intrinsic::abs) {
      if (!ordered(i.getArgOperand(0), i.getArgOperand(0), true)) return distance(b, i.getArgOperand(0));
      return b.CreateBinaryIntrinsic(Intrinsic::abs, cut(b, i.getArgOperand(0)), b.getFalse());
    }
    auto* extreme = dyn_cast<MinMaxIntrinsic>(&i);
    if (!extreme) return nullptr;
    Value *x = extreme->getLHS(), *y = extreme->getRHS();
    const bool as_signed = ordered(x, y, true);
    if (!comes_narrow(x) && !comes_narrow(y)) return nullptr;
    if (!as_signed && !ordered(x, y, false)) return nullptr;
    // Values that fit as unsigned are not negative, so signed order is theirs as well.
    if (as_signed && !extreme->isSigned() && !ordered(x, y, false)) return nullptr;
    const bool greater = ICmpInst::isGT(extreme->getPredicate());
    const Intrinsic::ID id =
        as_signed ? (greater ? Intrinsic::smax : Intrinsic::smin) : (greater ? Intrinsic::umax : Intrinsic::umin);
    Value* left = cut(b, x);
    return b.CreateBinaryIntrinsic(id, left, cut(b, y));
  }

  // The magnitude of a difference that has one bit more: the greater less the lesser.
  Value* distance(IRBuilder<>& b, Value* difference) {
    auto* sub = dyn_cast<BinaryOperator>(difference);
    if (!sub || sub->getOpcode() != Instruction::Sub || !sub->hasOneUse()) return nullptr;
    Value *x = sub->getOperand(0), *y = sub->getOperand(1);
    const bool as_signed = ordered(x, y, true);
    if ((!comes_narrow(x) && !comes_narrow(y)) || (!as_signed && !ordered(x, y, false))) return nullptr;
    Value* left = cut(b, x);
    Value* right = cut(b, y);
    Value* greater = b.CreateBinaryIntrinsic(as_signed ? Intrinsic::smax : Intrinsic::umax, left, right);
    return b.CreateSub(greater, b.CreateBinaryIntrinsic(as_signed ? Intrinsic::smin : Intrinsic::umin, left, right));
  }

  void narrow_comparison(ICmpInst& compare) {
    Value *x = compare.getOperand(0), *y = compare.getOperand(1);
    if (!is_word(x) || !shapes_[&compare].is_varying() || (!comes_narrow(x) && !comes_narrow(y))) return;
    IRBuilder<> b(&compare);
    if (asks_beside_range(compare)) {
      compare.replaceAllUsesWith(compare_with_bound(b, compare));
      shapes_.erase(compare);
      changed_ = true;
      return;
    }
    if (shapes_.is_uniform(y)) y = clamp_bound(b, compare, x, y);
    const bool as_signed = ordered(x, y, true);
    if (!as_signed && !ordered(x, y, false)) return;
    ICmpInst::Predicate predicate = compare.getPredicate();
    if (!as_signed && compare.isSigned()) predicate = ICmpInst::getUnsignedPredicate(predicate);
    Value* left = cut(b, x);
    compare.replaceAllUsesWith(b.CreateICmp(predicate, left, cut(b, y)));
    changed_ = true;
  }

  // Values that use all of their bits, and a bound that all lanes share, which may lie beside them.
  bool asks_beside_range(ICmpInst& compare) {
    Value *x = compare.getOperand(0), *bound = compare.getOperand(1);
    return compare.isSigned() && comes_narrow(x) && fit_of(x) && !fit_of(x).spare && shapes_.is_uniform(bound) &&
           !isa<Constant>(bound) && !fit_of(bound);
  }

  // In their bits with the nearest of them; a bound that is none of them answers for all lanes.
  Value* compare_with_bound(IRBuilder<>& b, ICmpInst& compare) {
    Value *x = compare.getOperand(0), *bound = compare.getOperand(1);
    const bool as_signed = fit_of(x).as_signed;
    Value* least = b.getInt32(as_signed ? -(1 << (bits_ - 1)) : 0);
    Value* most = b.getInt32((1 << (as_signed ? bits_ - 1 : bits_)) - 1);
    Value* nearest = b.CreateBinaryIntrinsic(Intrinsic::smax, bound, least);
    nearest = b.CreateBinaryIntrinsic(Intrinsic::smin, nearest, most);
    Value* left = cut(b, x);
    const auto predicate = as_signed ? compare.getPredicate() : compare.getUnsignedPredicate();
    Value* answer = b.CreateICmp(predicate, left, cut(b, nearest));
    // The nearest answers for a bound beyond it, but where x is the nearest itself.
    const bool is_below = compare.getPredicate() == ICmpInst::ICMP_SGT || compare.getPredicate() == ICmpInst::ICMP_SLE;
    Value* beside = is_below ? b.CreateICmpSLT(bound, least) : b.CreateICmpSGT(bound, most);
    return compare.isStrictPredicate() ? b.CreateOr(answer, beside) : b.CreateAnd(answer, b.CreateNot(beside));
  }

  // A bound that all lanes share, cut to what lies beyond all values that spare a bit.
  Value* clamp_bound(IRBuilder<>& b, const ICmpInst& compare, Value* x, Value* bound) {
    const bool by_sign = compare.isSigned() || compare.isEquality();
    if (isa<Constant>(bound) || !by_sign || fit_of(bound) || !fit_of(x).spare) return bound;
    Value* low = b.CreateBinaryIntrinsic(Intrinsic::smax, bound, b.getInt32(-(1 << (bits_ - 1))));
    return b.CreateBinaryIntrinsic(Intrinsic::smin, low, b.getInt32((1 << (bits_ - 1)) - 1));
  }

  // Not an index that happens to be small: that would be narrowed only to be compared.
  bool comes_narrow(const Value* v) const {
    auto* extension = dyn_cast<CastInst>(v);
    return extension && isa<SExtInst, ZExtInst>(extension) && extension->getSrcTy()->getScalarSizeInBits() <= bits_;
  }

  Function& kernel_;
  const DataLayout& layout_;
  Shapes shapes_;
  const unsigned bits_;
  DenseMap<Value*, Fit> fits_;
  SmallPtrSet<const Value*, 32> may_be_narrow_;
  WordRanges ranges_;
  bool changed_ = false;
};

}  // namespace

bool narrow_bytes(Function& kernel, const GroupShape& group) {
  if (group.lanes == 1) return false;
  const bool saturates = saturate_extrema(kernel);
  const bool to_bytes = ByteArithmetic(kernel, group, 8).run();
  return ByteArithmetic(kernel, group, 16).run() || to_bytes || saturates;
}

}  // namespace lanza::compiler
