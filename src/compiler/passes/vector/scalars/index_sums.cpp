#include "compiler/passes/vector/scalars/index_sums.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Operator.h>

#include "compiler/passes/vector/group_form.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kDepth = 8;

class Collector {
 public:
  Collector(IndexSum& sum, const Shapes& shapes) : sum_(sum), shapes_(shapes) {}

  void add(Value* value, uint32_t factor, unsigned depth = 0) {
    if (auto* number = dyn_cast<ConstantInt>(value)) {
      sum_.constant += factor * static_cast<uint32_t>(number->getZExtValue());
      return;
    }
    auto* i = dyn_cast<BinaryOperator>(value);
    if (i && depth < kDepth && add_operands(*i, factor, depth + 1)) return;
    IndexSum::Parts& parts = shapes_.is_uniform(value) ? sum_.uniform : sum_.varying;
    auto* known = find_if(parts, [&](const IndexSum::Part& part) { return part.value == value; });
    if (known == parts.end())
      parts.push_back({value, factor});
    else
      known->factor += factor;
  }

 private:
  bool add_operands(const BinaryOperator& i, uint32_t factor, unsigned depth) {
    Value *a = i.getOperand(0), *b = i.getOperand(1);
    auto* number = dyn_cast<ConstantInt>(b);
    if (shapes_.is_uniform(&i) && !number) return false;  // one part
    switch (i.getOpcode()) {
      case Instruction::Or:
        if (!cast<PossiblyDisjointInst>(i).isDisjoint()) return false;
        [[fallthrough]];
      case Instruction::Add:
        add(a, factor, depth);
        add(b, factor, depth);
        return true;
      case Instruction::Sub:
        add(a, factor, depth);
        add(b, -factor, depth);
        return true;
      case Instruction::Mul:
        if (number) add(a, factor * static_cast<uint32_t>(number->getZExtValue()), depth);
        return number;
      case Instruction::Xor:  // by -1: -1 - a
        if (!number || !number->isMinusOne()) return false;
        sum_.constant -= factor;
        add(a, -factor, depth);
        return true;
      case Instruction::Shl:
        if (!number || number->getValue().uge(32)) return false;
        add(a, factor << number->getZExtValue(), depth);
        return true;
      default:
        return false;
    }
  }

  IndexSum& sum_;
  const Shapes& shapes_;
};

uint64_t limit(bool is_signed) { return is_signed ? INT32_MAX : UINT32_MAX; }

// Of a range this wide nearly no test would hold.
bool says_little(const IndexSum::Reach& reach, bool is_signed) { return reach.up > limit(is_signed) / 2; }

// The comparison by which a loop goes on, lane by lane.
ICmpInst* going_on(const Loop& loop) {
  auto* branch = loop.getLoopLatch() ? dyn_cast<BranchInst>(loop.getLoopLatch()->getTerminator()) : nullptr;
  if (!branch || !branch->isConditional() || branch->getSuccessor(0) != loop.getHeader()) return nullptr;
  Value* condition = branch->getCondition();
  auto* call = dyn_cast<CallInst>(condition);
  if (call && call->getCalledFunction() && call->getCalledFunction()->getName() == kAll)
    condition = call->getArgOperand(0);
  return dyn_cast<ICmpInst>(condition);
}

// `for (i = start; i < limit; i += step)`, the question at the loop's end.
std::optional<IndexSum::Counter> counter_of(Value* value, const Shapes& shapes, ScalarEvolution& evolution) {
  auto* phi = dyn_cast<PHINode>(value);
  auto* steps = phi ? dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(phi)) : nullptr;
  if (!steps || phi->getParent() != steps->getLoop()->getHeader()) return std::nullopt;
  const Loop& loop = *steps->getLoop();
  const ICmpInst* compare = going_on(loop);
  if (!compare || !ICmpInst::isLT(compare->getPredicate())) return std::nullopt;
  Value* limit = compare->getOperand(1);
  if (compare->getOperand(0) != phi->getIncomingValueForBlock(loop.getLoopLatch())) return std::nullopt;
  if (!shapes.is_uniform(limit) || !loop.isLoopInvariant(limit)) return std::nullopt;
  if (compare->isSigned() && !evolution.isKnownNonNegative(steps)) return std::nullopt;
  const APInt start = evolution.getUnsignedRangeMax(steps->getStart());
  if (start.isNegative()) return std::nullopt;
  return IndexSum::Counter{limit, static_cast<uint32_t>(start.getZExtValue()), compare->isSigned()};
}

// The parts themselves are never negative, where it is signed.
std::optional<IndexSum::Reach> reach_of(const IndexSum& sum, ScalarEvolution& evolution) {
  const uint64_t most = limit(sum.is_signed());
  IndexSum::Reach reach;
  for (const IndexSum::Part& part : sum.varying) {
    const auto factor = static_cast<int32_t>(part.factor);
    const auto size = static_cast<uint64_t>(std::abs(int64_t{factor}));
    const uint64_t largest = evolution.getUnsignedRangeMax(evolution.getSCEV(part.value)).getZExtValue();
    uint64_t& way = factor < 0 ? reach.down : reach.up;
    way += largest * size;
    if (largest > most || way > most) return std::nullopt;
  }
  return reach.up == UINT32_MAX ? std::nullopt : std::optional(reach);
}

}  // namespace

std::optional<IndexSum> index_sum(CastInst& extension, const Shapes& shapes, ScalarEvolution& evolution) {
  if (!isa<SExtInst, ZExtInst>(extension) || !extension.getSrcTy()->isIntegerTy(32)) return std::nullopt;
  if (!extension.getType()->isIntegerTy(64)) return std::nullopt;
  Value* index = extension.getOperand(0);
  if (!shapes[index].is_strided() || !shapes[&extension].is_varying()) return std::nullopt;
  IndexSum sum{&extension};
  Collector(sum, shapes).add(index, 1);
  if (sum.uniform.empty() || sum.varying.empty()) return std::nullopt;
  for (const IndexSum::Part& part : sum.varying)
    if (!shapes[part.value].is_strided() || !shapes.extends(part.value, sum.is_signed())) return std::nullopt;
  sum.reach = reach_of(sum, evolution);
  const bool may_ask = sum.varying.size() == 1 &&
                       std::abs(int64_t{static_cast<int32_t>(sum.varying.front().factor)}) <= kMostInterleaved;
  if (may_ask && sum.varying.front().factor == 1 && (!sum.reach || says_little(*sum.reach, sum.is_signed()))) {
    sum.counter = counter_of(sum.varying.front().value, shapes, evolution);
    if (sum.counter) sum.reach.reset();
  }
  return sum.reach || may_ask ? std::optional(std::move(sum)) : std::nullopt;
}

bool SumTests::shares(const Base& base, const IndexSum& sum) const {
  return base.is_signed == sum.is_signed() && base.parts.size() == sum.uniform.size() &&
         all_of(sum.uniform, [&](const IndexSum::Part& part) { return is_contained(base.parts, part); });
}

bool SumTests::take(const IndexSum& sum) {
  auto can = [&](const IndexSum::Part& part) { return copies_.can(part.value); };
  if (!all_of(sum.uniform, can) || (sum.counter && !copies_.can(sum.counter->limit))) return false;
  if (!sum.reach && !sum.counter && !all_of(sum.varying, can)) return false;
  const int64_t constant = static_cast<int32_t>(sum.constant);
  auto* base = find_if(bases_, [&](const Base& b) { return shares(b, sum); });
  if (base == bases_.end()) {
    bases_.push_back({sum.uniform, sum.is_signed(), constant, constant, {}});
    base = &bases_.back();
  }
  const int64_t low = std::min(base->low, constant), high = std::max(base->high, constant);
  const IndexSum::Reach own = sum.reach.value_or(IndexSum::Reach{});
  const IndexSum::Reach reach{std::max(base->reach.up, own.up), std::max(base->reach.down, own.down)};
  const uint64_t below = sum.is_signed() ? 0 : reach.down;
  if (below + reach.up + static_cast<uint64_t>(high - low) > limit(sum.is_signed())) return false;
  base->low = low, base->high = high, base->reach = reach;
  base_of_.push_back(static_cast<unsigned>(base - bases_.begin()));
  sums_.push_back(sum);
  return true;
}

void SumTests::ask(Value* holds, bool uniform) {
  IRBuilder<>& b = copies_.builder;
  if (!uniform) holds = emit_collective(b, kAll, holds);
  all_ = all_ ? b.CreateAnd(all_, holds) : holds;
}

void SumTests::ask_for(Base& base) {
  IRBuilder<>& b = copies_.builder;
  for (const IndexSum::Part& part : base.parts) {
    Value* value = copies_.copy(part.value);
    if (part.factor != 1) value = b.CreateMul(value, b.getInt32(part.factor));
    base.value = base.value ? b.CreateAdd(base.value, value) : value;
  }
  if (base.low != 0) base.value = b.CreateAdd(base.value, b.getInt32(static_cast<uint32_t>(base.low)));
  const uint64_t most = limit(base.is_signed) - base.reach.up - static_cast<uint64_t>(base.high - base.low);
  const uint64_t least = base.reach.down + (base.is_signed ? uint64_t{1} << 31 : 0);  // INT_MIN + down
  auto number = [&](uint64_t value) { return b.getInt32(static_cast<uint32_t>(value)); };
  if (most != limit(base.is_signed))
    ask(b.CreateICmp(base.is_signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE, base.value, number(most)), true);
  if (base.reach.down != 0)
    ask(b.CreateICmp(base.is_signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE, base.value, number(least)), true);
}

// What the lanes have is compared with what their common part leaves, or, where they go backwards, with what may be
// taken away from it.
void SumTests::ask_for_unknown(const IndexSum& sum, const Base& base) {
  IRBuilder<>& b = copies_.builder;
  const int64_t above = static_cast<int32_t>(sum.constant) - base.low;
  if (base.is_signed) ask(b.CreateICmpSGE(base.value, b.getInt32(0)), true);
  Value* room = b.CreateSub(b.getInt32(static_cast<uint32_t>(limit(base.is_signed) - above)), base.value);
  if (!sum.counter) {
    const IndexSum::Part& part = sum.varying.front();
    if (const auto factor = static_cast<int32_t>(part.factor); factor < 0) {
      room =
          b.CreateUDiv(base.is_signed ? b.getInt32(INT32_MAX) : base.value, b.getInt32(static_cast<uint32_t>(-factor)));
      return ask(b.CreateICmpULE(copies_.copy(part.value), room), false);
    }
    if (part.factor != 1) room = b.CreateUDiv(room, b.getInt32(part.factor));
    return ask(b.CreateICmpULE(copies_.copy(part.value), room), false);
  }
  Value* last = b.CreateSub(copies_.copy(sum.counter->limit), b.getInt32(1));
  last = b.CreateBinaryIntrinsic(sum.counter->is_signed ? Intrinsic::smax : Intrinsic::umax, last,
                                 b.getInt32(sum.counter->start));
  ask(b.CreateICmpULE(last, room), true);
}

Value* SumTests::all() {
  for (Base& base : bases_) ask_for(base);
  for (unsigned k = 0; k < sums_.size(); ++k)
    if (!sums_[k].reach) ask_for_unknown(sums_[k], bases_[base_of_[k]]);
  return all_ ? all_ : copies_.builder.getTrue();
}

// In 64 bits, so that nothing hangs on flags that it would lose where it meets the sum that may wrap.
Value* SumTests::extended(unsigned k, IRBuilder<>& b, function_ref<Value*(Value*)> here) const {
  const IndexSum& sum = sums_[k];
  const Base& base = bases_[base_of_[k]];
  Type* type = sum.extension->getType();
  Value* result = sum.is_signed() ? b.CreateSExt(base.value, type) : b.CreateZExt(base.value, type);
  for (const IndexSum::Part& part : sum.varying) {
    Value* own = here(part.value);
    Value* value = sum.is_signed() ? b.CreateSExt(own, type) : b.CreateZExt(own, type);
    const auto factor = static_cast<int32_t>(part.factor);
    if (factor != 1 && factor != -1) value = b.CreateMul(value, ConstantInt::getSigned(type, factor));
    result = factor == -1 ? b.CreateSub(result, value) : b.CreateAdd(result, value);
  }
  const int64_t above = static_cast<int32_t>(sum.constant) - base.low;
  return above == 0 ? result : b.CreateAdd(result, b.getInt64(static_cast<uint64_t>(above)));
}

}  // namespace lanza::compiler
