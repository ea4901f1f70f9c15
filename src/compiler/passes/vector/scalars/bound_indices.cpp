#include "compiler/passes/vector/scalars/bound_indices.hpp"

#include <cmath>
#include <utility>

#include <llvm/ADT/Sequence.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/guard_division.hpp"
#include "compiler/passes/vector/scalars/launch_ranges.hpp"
#include "compiler/passes/vector/scalars/launch_rings.hpp"
#include "compiler/passes/vector/scalars/launch_windows.hpp"
#include "compiler/passes/vector/scalars/narrow_indices.hpp"
#include "compiler/passes/vector/scalars/quotient_rows.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostRequired = 48;  // conditions: a launch takes less than a microsecond in all

class BoundIndices {
 public:
  BoundIndices(Function& kernel, FunctionAnalysisManager& analyses, LaunchTest& test)
      : kernel_(kernel),
        loops_(analyses.getResult<LoopAnalysis>(kernel)),
        test_(test),
        ranges_(loops_, analyses.getResult<DominatorTreeAnalysis>(kernel),
                analyses.getResult<ScalarEvolutionAnalysis>(kernel), test_) {}

  void run() {
    settle_divisors();
    NarrowIndices narrow(kernel_, ranges_, test_);
    narrow.run([&](Value& value) { require(value); });
    bound_addresses();
    for (const Loop* loop : loops_.getLoopsInPreorder()) bound_counters(*loop);
    for (Instruction& i : instructions(kernel_))
      if (auto* question = dyn_cast<ICmpInst>(&i); question && question->isUnsigned()) sign(*question);
    for (Instruction& i : make_early_inc_range(instructions(kernel_)))
      if ((i.getOpcode() == Instruction::SRem || i.getOpcode() == Instruction::URem) && i.getType()->isIntegerTy(32))
        put_on_ring(cast<BinaryOperator>(i));
    narrow.erase();
    mark_launch_windows(loops_, ranges_, test_, [&](const KnownRange& known) { require(known); });
  }

  void bound_addresses() {
    for (Instruction& i : instructions(kernel_))
      if (auto* address = dyn_cast<GetElementPtrInst>(&i))
        for (Value* index : address->indices()) visit(index);
  }

 private:
  // Sizes that a kernel divides by are not 0, nor -1: then nothing guards the division.
  void settle_divisors() {
    SmallSetVector<Value*, 4> sizes;
    for (Instruction& i : instructions(kernel_)) {
      if (!i.isIntDivRem()) continue;
      Value* size = unguarded_divisor(i.getOperand(1));
      if (size != i.getOperand(1)) sizes.insert(size);
    }
    for (Value* size : sizes) {
      const KnownRange known = ranges_.of(*size);
      if (!known.range.is_exact() || !known.range || !test_.is_usually_at_least(known.range.low, 1)) continue;
      require(known);
      test_.require(test_.is_at_least(known.range.low, 1));
      for (User* user : SmallVector<User*, 16>(size->users())) settle_guard(*user);
    }
  }

  static void settle_guard(User& user) {
    const APInt* number;
    Value* size;
    if (match(&user, m_UMax(m_Value(size), m_One()))) user.replaceAllUsesWith(size);
    if (match(&user, m_Add(m_Value(), m_One())))
      for (User* question : SmallVector<User*, 4>(user.users()))
        if (match(question, m_SpecificICmp(ICmpInst::ICMP_ULT, m_Specific(&user), m_SpecificInt(2))))
          answer_no(*question);
    if (match(&user, m_SpecificICmp(ICmpInst::ICMP_EQ, m_Value(), m_APInt(number))) &&
        (number->isZero() || number->isAllOnes()))
      answer_no(user);
  }

  // What becomes dead stays for others to clear away: it may be the next user of a size, or a size.
  static void answer_no(User& question) {
    for (User* user : question.users())
      if (auto* choice = dyn_cast<SelectInst>(user); choice && choice->getCondition() == &question)
        choice->replaceAllUsesWith(choice->getFalseValue());
    question.replaceAllUsesWith(ConstantInt::getFalse(question.getContext()));
  }

  // The extensions that an index of 64 bits is made of.
  void visit(Value* index) {
    auto* i = dyn_cast<Instruction>(index);
    if (!i || !visited_.insert(i).second) return;
    if (isa<ZExtInst>(i)) return bound(*i);
    if (isa<SExtInst>(i)) return bound(*i->getOperand(0));
    if (!isa<BinaryOperator, PHINode, SelectInst, FreezeInst>(i)) return;
    switch (i->getOpcode()) {
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::Mul:
      case Instruction::Shl:
      case Instruction::Or:
      case Instruction::PHI:
      case Instruction::Select:
      case Instruction::Freeze:
        for (Value* operand : i->operands()) visit(operand);
        break;
      default:
        break;
    }
  }

  void bound_counters(const Loop& loop) {
    if (!loop.getLoopLatch()) return;
    for (PHINode& phi : loop.getHeader()->phis())
      if (phi.getType()->isIntegerTy(32) || phi.getType()->isIntegerTy(64))
        if (ranges_.of(phi).range) bound(*phi.getIncomingValueForBlock(loop.getLoopLatch()));
  }

  // A guard, or a question at a loop's end, of numbers that are not negative is one of signed numbers: passes that copy
  // guarded code ask no more then whether the limit is beyond 2^31.
  void sign(ICmpInst& question) {
    if (any_of(question.operands(), [](const Use& operand) { return isa<Constant>(operand); })) return;
    const auto left = ranges_.of_natural(*question.getOperand(0)), right = ranges_.of_natural(*question.getOperand(1));
    if (!left.range || !right.range || test_.required() >= kMostRequired) return;
    question.setPredicate(question.getSignedPredicate());
    require(left);
    require(right);
  }

  void require(const KnownRange& known) {
    for (Value* condition : known.needs) test_.require(condition);
    for (Value* part : known.parts) require(*part);
  }

  // A column, then, of a row that the quotient is: it was made to be beyond the divisor. The launch would be refused,
  // and the kernel be compiled once more.
  static bool is_divided(const Value& dividend, const Value& size) {
    return any_of(dividend.users(), [&](const User* user) {
      auto* quotient = dyn_cast<BinaryOperator>(user);
      return quotient && (quotient->getOpcode() == Instruction::SDiv || quotient->getOpcode() == Instruction::UDiv) &&
             quotient->getOperand(0) == &dividend && unguarded_divisor(quotient->getOperand(1)) == &size;
    });
  }

  // `(x + dx + width) % width`, where the launch's threads all have 0 <= x < width, by a guard or as there are no more,
  // or where some lie beyond, by less than a turn.
  void put_on_ring(BinaryOperator& remainder) {
    Value* size = unguarded_divisor(remainder.getOperand(1));
    Value* index = index_on_ring(remainder, *size);
    if (!index || isa<Constant>(size) || test_.required() >= kMostRequired || blocks_overlap(*index)) return;
    if (is_divided(*remainder.getOperand(0), *size) || is_divided(*index, *size)) return;
    const KnownRange x = ranges_.natural_in(*remainder.getParent(), *index), n = ranges_.of_natural(*size);
    if (!x.range || !n.range) return;
    const bool beyond = x.range.high == ranges_.of_natural(*index).range.high && is_asked_about(*index, *size);
    Value* lies_inside = beyond ? lies_within_two(x.range.high, n.range.low) : test_.is_less(x.range.high, n.range.low);
    if (match(lies_inside, m_Zero())) return;  // in no launch
    require(x);
    require(n);
    test_.require(lies_inside);
    stand_on_ring(remainder, *index, beyond);
  }

  // A kernel that asks elsewhere whether threads lie on the ring has launches in which some do not.
  static bool is_asked_about(const Value& index, const Value& size) {
    return any_of(index.users(), [&](const User* user) {
      auto* question = dyn_cast<ICmpInst>(user);
      return question && question->isRelational() && is_contained(question->operands(), &size);
    });
  }

  // Index and step fit in 31 bits, too.
  Value* lies_within_two(Value* index, Value* size) {
    Value* end = test_.least(test_.product(size, test_.number(2)), test_.number(INT32_MAX));
    return test_.is_less(test_.sum(index, test_.number(1)), end);
  }

  // What a block's threads count reaches into the next block's (`blockIdx.y * 8 + threadIdx.y * 9`, the rows at a
  // tile's ends; `blockIdx.x * 16 + i % 18`, a tile with its halo): a launch that covers the ring has some beyond it,
  // so would be refused, and all be compiled again.
  bool blocks_overlap(Value& index) {
    double blocks[3] = {}, threads[3] = {}, others = 0;
    SmallVector<Value*, 8> parts{&index};
    while (!parts.empty()) {
      Value *part = parts.pop_back_val(), *left, *right;
      if (match(part, m_AddLike(m_Value(left), m_Value(right)))) {
        parts.append({left, right});
        continue;
      }
      const APInt* by;
      double factor = 1;
      if (match(part, m_Mul(m_Value(left), m_APInt(by))))
        part = left, factor = static_cast<double>(by->getSExtValue());
      else if (match(part, m_Shl(m_Value(left), m_APInt(by))))
        part = left, factor = std::exp2(by->getZExtValue());
      auto* number = dyn_cast<IntrinsicInst>(part);
      const unsigned id = number ? number->getIntrinsicID() : 0, thread = id - Intrinsic::nvvm_read_ptx_sreg_tid_x,
                     block = id - Intrinsic::nvvm_read_ptx_sreg_ctaid_x;
      if (block < 3) {
        blocks[block] += factor;
        continue;
      }
      const LaunchRange range = ranges_.of_natural(*part).range;
      if (const auto most = range ? constant_of(range.high) : std::nullopt)
        (thread < 3 ? threads[thread] : others) += factor * *most;
    }
    return any_of(seq(0, 3), [&](int axis) { return blocks[axis] > 0 && threads[axis] + others >= blocks[axis]; });
  }

  // Null: the dividend is another sum.
  Value* index_on_ring(BinaryOperator& remainder, const Value& size) {
    double low = 0, high = 0;
    bool around = false;
    auto takes_off = [&](Value& part) {
      if (&part == &size) return !std::exchange(around, true);
      const LaunchRange range = ranges_.in(*remainder.getParent(), part).range;
      const auto least = range ? constant_of(range.low) : std::nullopt;
      const auto most = range ? constant_of(range.high) : std::nullopt;
      if (!least || !most || *least < -1 || *most > 1) return false;
      low += *least, high += *most;
      return true;
    };
    Value* index = remainder.getOperand(0);
    while (auto* sum = dyn_cast<BinaryOperator>(index)) {
      if (sum->getOpcode() != Instruction::Add) break;
      const unsigned other = takes_off(*sum->getOperand(1)) ? 0 : 1;
      if (other == 1 && !takes_off(*sum->getOperand(0))) break;
      index = sum->getOperand(other);
    }
    const bool is_step = (around || high > 0) && low >= (around ? -1 : 0) && high <= 1;
    return is_step ? index : nullptr;
  }

  // Marks what leads to the value, if anything is gained by it.
  void bound(Value& value) {
    if (!ranges_.of(value).range || test_.required() >= kMostRequired) return;
    if (any_of(parts_of(value), [&](Value* v) { return ranges_.of(*v).is_arithmetic && gains(*v); })) require(value);
  }

  void require(Value& value) {
    for (Value* v : parts_of(value)) {
      const KnownRange& known = ranges_.of(*v);
      if (known.is_arithmetic) mark(*v, known.is_unsigned);
      for (Value* condition : known.needs) test_.require(condition);
    }
  }

  SmallSetVector<Value*, 16> parts_of(Value& value) {
    SmallSetVector<Value*, 16> all;
    all.insert(&value);
    for (unsigned k = 0; k < all.size(); ++k)
      for (Value* part : ranges_.of(*all[k]).parts) all.insert(part);
    return all;
  }

  static bool gains(const Value& v) {
    if (auto* extension = dyn_cast<ZExtInst>(&v)) return !extension->hasNonNeg();
    auto* i = dyn_cast<OverflowingBinaryOperator>(&v);
    return i && !i->hasNoSignedWrap();
  }

  static void mark(Value& v, bool is_unsigned) {
    if (auto* extension = dyn_cast<ZExtInst>(&v)) return extension->setNonNeg();
    auto* i = dyn_cast<BinaryOperator>(&v);
    if (!i || !isa<OverflowingBinaryOperator>(i)) return;
    i->setHasNoSignedWrap();
    if (is_unsigned) i->setHasNoUnsignedWrap();
  }

  Function& kernel_;
  const LoopInfo& loops_;
  LaunchTest& test_;
  LaunchRanges ranges_;
  SmallPtrSet<Instruction*, 32> visited_;
};

}  // namespace

// Cheaply asked, of most kernels in vain.
static bool leads_to_address(const Instruction& sum) {
  return any_of(sum.users(), [](const User* user) {
    if (isa<SExtInst, ZExtInst>(user))
      return any_of(user->users(), [](const User* u) { return isa<GetElementPtrInst>(u); });
    auto* next = dyn_cast<OverflowingBinaryOperator>(user);
    return next && !next->hasNoSignedWrap() && leads_to_address(*cast<Instruction>(user));
  });
}

void bound_indices(Function& kernel, FunctionAnalysisManager& analyses, LaunchTest& test) {
  BoundIndices(kernel, analyses, test).run();
}

void bound_indices_again(Function& kernel, FunctionAnalysisManager& analyses, LaunchTest& test) {
  const bool any = llvm::any_of(instructions(kernel), [](const Instruction& i) {
    auto* sum = dyn_cast<OverflowingBinaryOperator>(&i);
    return sum && i.getType()->isIntegerTy(32) && !sum->hasNoSignedWrap() && leads_to_address(i);
  });
  if (any) BoundIndices(kernel, analyses, test).bound_addresses();
}

}  // namespace lanza::compiler
