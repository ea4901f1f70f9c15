#include "compiler/passes/vector/lanes/aligned_gathers.hpp"

#include <optional>

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/vector/scalars/version_guards.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kFewestLanes = 8;
constexpr unsigned kMostGathers = 16;  // of a kernel
constexpr unsigned kMostSteps = 12;    // from a splat to an index
constexpr unsigned kLanesOfLoad = 4;   // at least, on average

using Numbers = SmallVector<APInt, 32>;

/// A vector as the sum, which wraps, of a number that all lanes share, null: 0, and one of each lane's own.
struct Pattern {
  Value* shared = nullptr;
  Numbers own;
};

/// What lanes' indices are where what they share is a multiple; what has to be asked for that is gathered.
class Patterns {
 public:
  Patterns(IRBuilder<>& b, unsigned lanes) : b_(b), lanes_(lanes) {}

  /// Null: no multiple was asked for.
  Value* question() const { return asks_for_multiple_ ? question_ : nullptr; }

  std::optional<Pattern> of(Value* v, unsigned steps = kMostSteps) {
    if (auto* constant = dyn_cast<Constant>(v)) return of_constant(*constant);
    const unsigned bits = v->getType()->getScalarSizeInBits();
    if (Value* all = getSplatValue(v)) return Pattern{all, Numbers(lanes_, APInt(bits, 0))};
    auto* i = dyn_cast<Instruction>(v);
    if (!i || steps == 0) return std::nullopt;
    if (isa<FreezeInst>(i)) return frozen(of(i->getOperand(0), steps - 1));
    if (auto* extension = dyn_cast<CastInst>(i)) return of_extension(*extension, steps - 1);
    if (i->getOpcode() == Instruction::Add || match(i, m_DisjointOr(m_Value(), m_Value())))
      return of_sum(*i, steps - 1);
    const APInt* number;
    if (!isa<BinaryOperator>(i) || !match(i->getOperand(1), m_APInt(number))) return std::nullopt;
    return of_part(cast<BinaryOperator>(*i), *number, steps - 1);
  }

 private:
  std::optional<Pattern> of_constant(Constant& constant) const {
    Pattern pattern;
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      auto* number = dyn_cast_or_null<ConstantInt>(constant.getAggregateElement(lane));
      if (!number) return std::nullopt;
      pattern.own.push_back(number->getValue());
    }
    return pattern;
  }

  std::optional<Pattern> frozen(std::optional<Pattern> pattern) {
    if (pattern && pattern->shared) pattern->shared = b_.CreateFreeze(pattern->shared);
    return pattern;
  }

  std::optional<Pattern> of_sum(Instruction& sum, unsigned steps) {
    auto left = of(sum.getOperand(0), steps);
    auto right = left ? of(sum.getOperand(1), steps) : std::nullopt;
    if (!right) return std::nullopt;
    if (left->shared && right->shared) left->shared = b_.CreateAdd(left->shared, right->shared);
    if (!left->shared) left->shared = right->shared;
    for (auto [mine, other] : zip_equal(left->own, right->own)) mine += other;
    return left;
  }

  std::optional<Pattern> of_extension(CastInst& cast, unsigned steps) {
    auto inside = isa<SExtInst, ZExtInst>(cast) ? of(cast.getOperand(0), steps) : std::nullopt;
    if (!inside) return std::nullopt;
    const bool is_signed = isa<SExtInst>(cast);
    if (!ask_for_room(*inside, is_signed)) return std::nullopt;
    const unsigned bits = cast.getType()->getScalarSizeInBits();
    for (APInt& number : inside->own) number = inside->shared || !is_signed ? number.zext(bits) : number.sext(bits);
    if (inside->shared)
      inside->shared = b_.CreateCast(cast.getOpcode(), inside->shared, cast.getType()->getScalarType());
    return inside;
  }

  std::optional<Pattern> of_part(BinaryOperator& i, const APInt& number, unsigned steps) {
    auto whole = of(i.getOperand(0), steps);
    if (!whole) return std::nullopt;
    const bool is_bits = i.getOpcode() == Instruction::And && (number + 1).isPowerOf2();
    const bool is_quotient = i.getOpcode() == Instruction::LShr || i.getOpcode() == Instruction::AShr;
    if (is_quotient || is_bits) {
      const unsigned low = is_bits ? number.countr_one() : number.getLimitedValue(64);
      if (low >= number.getBitWidth()) return std::nullopt;
      if (is_quotient && !ask_for_room(*whole, i.getOpcode() == Instruction::AShr)) return std::nullopt;
      if (whole->shared) ask_for_multiple(whole->shared, low);
    } else if (i.getOpcode() != Instruction::Shl && i.getOpcode() != Instruction::Mul) {
      return std::nullopt;
    }
    const bool keeps_shared = whole->shared && !is_bits;
    for (APInt& own : whole->own) own = folded(i.getOpcode(), own, number, keeps_shared);
    whole->shared = keeps_shared ? b_.CreateBinOp(i.getOpcode(), whole->shared, b_.getInt(number)) : nullptr;
    return whole;
  }

  // Beside a shared part lanes' own are small, and not negative.
  static APInt folded(unsigned opcode, const APInt& own, const APInt& number, bool has_shared) {
    switch (opcode) {
      case Instruction::And:
        return own & number;
      case Instruction::LShr:
        return own.lshr(number);
      case Instruction::AShr:
        return has_shared ? own.lshr(number) : own.ashr(number);
      case Instruction::Shl:
        return own.shl(number);
      default:
        return own * number;
    }
  }

  void ask(Value* holds) { question_ = question_ ? b_.CreateAnd(question_, holds) : holds; }

  void ask_for_multiple(Value* shared, unsigned low) {
    Value* rest = b_.CreateAnd(shared, APInt::getLowBitsSet(shared->getType()->getIntegerBitWidth(), low));
    ask(b_.CreateICmpEQ(rest, Constant::getNullValue(rest->getType())));
    asks_for_multiple_ = true;
  }

  // That no lane's sum wraps; false: some do, or are below what is shared.
  bool ask_for_room(const Pattern& pattern, bool is_signed) {
    if (!pattern.shared) return true;
    APInt most = pattern.own.front();
    for (const APInt& own : pattern.own) most = APIntOps::umax(most, own);
    if (most.isZero()) return true;
    const unsigned bits = most.getBitWidth();
    const APInt end = is_signed ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
    if (most.ugt(end.lshr(1))) return false;
    Value* limit = b_.getInt(end - most);
    ask(is_signed ? b_.CreateICmpSLE(pattern.shared, limit) : b_.CreateICmpULE(pattern.shared, limit));
    return true;
  }

  IRBuilder<>& b_;
  const unsigned lanes_;
  Value* question_ = nullptr;
  bool asks_for_multiple_ = false;
};

/// Lanes' places as an address and bytes behind it.
struct Places {
  Value* base = nullptr;
  SmallVector<int64_t, 32> bytes;
};

std::optional<Places> places_of(IntrinsicInst& gather, IRBuilder<>& b, Patterns& patterns) {
  const DataLayout& layout = gather.getDataLayout();
  Places places;
  places.bytes.assign(cast<FixedVectorType>(gather.getType())->getNumElements(), 0);
  Value *address = gather.getArgOperand(0), *shared = b.getInt64(0);
  while (address->getType()->isVectorTy()) {
    auto* step = dyn_cast<GetElementPtrInst>(address);
    if (!step) return std::nullopt;
    for (auto i = gep_type_begin(step), end = gep_type_end(step); i != end; ++i) {
      Value* index = i.getOperand();
      if (StructType* record = i.getStructTypeOrNull()) {
        if (index->getType()->isVectorTy()) index = getSplatValue(index);
        auto* member = dyn_cast_or_null<ConstantInt>(index);
        if (!member) return std::nullopt;
        const uint64_t at = layout.getStructLayout(record)->getElementOffset(member->getZExtValue()).getFixedValue();
        shared = b.CreateAdd(shared, b.getInt64(at));
        continue;
      }
      const auto size = static_cast<int64_t>(i.getSequentialElementStride(layout).getFixedValue());
      if (index->getType()->isVectorTy()) {
        const auto pattern = index->getType()->getScalarSizeInBits() == 64 ? patterns.of(index) : std::nullopt;
        if (!pattern) return std::nullopt;
        for (auto [bytes, own] : zip_equal(places.bytes, pattern->own)) bytes += own.getSExtValue() * size;
        index = pattern->shared;
      }
      if (index)
        shared = b.CreateAdd(shared, b.CreateMul(b.CreateSExtOrTrunc(index, b.getInt64Ty()), b.getInt64(size)));
    }
    address = step->getPointerOperand();
  }
  places.base = b.CreatePtrAdd(address, shared);
  return places;
}

/// Lanes from `first` on that lie side by side, or at one place.
struct Run {
  unsigned first, count;
  bool is_one;
};

SmallVector<Run, 8> runs_of(ArrayRef<int64_t> bytes, int64_t size) {
  SmallVector<Run, 8> runs;
  for (unsigned lane = 0; lane < bytes.size();) {
    Run run{lane, 1, false};
    const int64_t step = lane + 1 < bytes.size() ? bytes[lane + 1] - bytes[lane] : size;
    run.is_one = step == 0;
    if (step == 0 || step == size)
      while (lane + run.count < bytes.size() && bytes[lane + run.count] - bytes[lane + run.count - 1] == step)
        ++run.count;
    runs.push_back(run);
    lane += run.count;
  }
  return runs;
}

Value* load(IRBuilder<>& b, IntrinsicInst& gather, const Places& places, ArrayRef<Run> runs) {
  auto* type = cast<FixedVectorType>(gather.getType());
  const unsigned lanes = type->getNumElements();
  const Align align = cast<ConstantInt>(gather.getArgOperand(1))->getAlignValue();
  Value* all = nullptr;
  for (const Run& run : runs) {
    Value* at = b.CreatePtrAdd(places.base, b.getInt64(places.bytes[run.first]));
    Type* loaded = run.is_one ? type->getElementType() : FixedVectorType::get(type->getElementType(), run.count);
    LoadInst* part = b.CreateAlignedLoad(loaded, at, align);
    part->copyMetadata(gather, {LLVMContext::MD_invariant_load, LLVMContext::MD_alias_scope, LLVMContext::MD_noalias});
    SmallVector<int, 32> order(lanes, PoisonMaskElem), choice(lanes);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const bool is_here = lane >= run.first && lane < run.first + run.count;
      if (is_here) order[lane] = static_cast<int>(run.is_one ? 0 : lane - run.first);
      choice[lane] = static_cast<int>(is_here ? lanes + lane : lane);
    }
    Value* spread = run.is_one ? b.CreateVectorSplat(lanes, part) : b.CreateShuffleVector(part, order);
    all = all ? b.CreateShuffleVector(all, spread, choice) : spread;
  }
  return all;
}

void load_or_gather(IntrinsicInst& gather, Value* question, const Places& places, ArrayRef<Run> runs) {
  Instruction *known_end, *other_end;
  SplitBlockAndInsertIfThenElse(question, gather.getIterator(), &known_end, &other_end,
                                MDBuilder(gather.getContext()).createLikelyBranchWeights());
  IRBuilder<> b(known_end);
  Value* loaded = load(b, gather, places, runs);
  PHINode* either = PHINode::Create(gather.getType(), 2, "", gather.getParent()->begin());
  gather.replaceAllUsesWith(either);
  gather.moveBefore(other_end);
  either->addIncoming(loaded, known_end->getParent());
  either->addIncoming(&gather, other_end->getParent());
}

bool split(IntrinsicInst& gather) {
  auto* type = cast<FixedVectorType>(gather.getType());
  Instruction* before = gather.getPrevNode();
  IRBuilder<> b(&gather);
  Patterns patterns(b, type->getNumElements());
  if (const auto places = places_of(gather, b, patterns); places && patterns.question()) {
    const auto size = static_cast<int64_t>(gather.getDataLayout().getTypeStoreSize(type->getElementType()));
    const auto runs = runs_of(places->bytes, size);
    if (runs.size() * kLanesOfLoad <= type->getNumElements()) {
      load_or_gather(gather, patterns.question(), *places, runs);
      return true;
    }
  }
  while (gather.getPrevNode() != before) gather.getPrevNode()->eraseFromParent();
  return false;
}

bool is_candidate(const Instruction& i) {
  auto* gather = dyn_cast<IntrinsicInst>(&i);
  return gather && gather->getIntrinsicID() == Intrinsic::masked_gather && !gather->hasMetadata(kAtEdge) &&
         match(gather->getArgOperand(2), m_AllOnes()) &&
         cast<FixedVectorType>(gather->getType())->getNumElements() >= kFewestLanes;
}

}  // namespace

bool split_aligned_gathers(Function& run) {
  SmallVector<IntrinsicInst*, 16> gathers;
  for (Instruction& i : instructions(run))
    if (is_candidate(i)) gathers.push_back(cast<IntrinsicInst>(&i));
  if (gathers.size() > kMostGathers) return false;
  bool changed = false;
  for (IntrinsicInst* gather : gathers) changed |= split(*gather);
  return changed;
}

}  // namespace lanza::compiler
