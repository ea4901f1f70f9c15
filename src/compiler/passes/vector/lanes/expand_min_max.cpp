#include "compiler/passes/vector/lanes/expand_min_max.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/analysis/float_bits.hpp"
#include "compiler/passes/vector/cost_notes.hpp"
#include "compiler/passes/zero_choices.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

/// Whether the instruction for an extremum with a zero has the right one already, which `choice` asks for.
bool has_right_zero(SelectInst& choice, IntrinsicInst& extremum) {
  Value* zero = extremum.getArgOperand(1);
  return match(zero, m_AnyZeroFP()) && choice.getTrueValue() == zero && choice.getFalseValue() == &extremum &&
         as_equal_numbers(choice) == std::pair(extremum.getArgOperand(0), zero);
}

void drop_choices_of_zeros(IntrinsicInst& extremum) {
  for (User* user : make_early_inc_range(extremum.users())) {
    auto* choice = dyn_cast<SelectInst>(user);
    if (!choice || !has_right_zero(*choice, extremum)) continue;
    choice->replaceAllUsesWith(&extremum);
    choice->eraseFromParent();
  }
}

bool has_choice_of_zeros(IntrinsicInst& extremum) {
  return any_of(extremum.users(), [&](User* user) {
    auto* choice = dyn_cast<SelectInst>(user);
    if (!choice || choice->getFalseValue() != &extremum) return false;
    const auto [x, y] = as_equal_numbers(*choice);
    return x && y;
  });
}

/// An extremum of which one operand is a number, and the other may be none.
struct OfNumber {
  Value *number, *other;
  bool both_are;
};

// The choice `x == y ? bits of both : fmaxf(x, y)`; null: it is another one.
BinaryOperator* bits_of_equals(SelectInst& choice, const IntrinsicInst& extremum) {
  const auto [x, y] = as_equal_numbers(choice);
  const std::pair operands(extremum.getArgOperand(0), extremum.getArgOperand(1));
  if (choice.getFalseValue() != &extremum || !(std::pair(x, y) == operands || std::pair(y, x) == operands))
    return nullptr;
  Value* bits;
  return match(choice.getTrueValue(), m_BitCast(m_Value(bits))) ? dyn_cast<BinaryOperator>(bits) : nullptr;
}

// The instruction gives its second operand where both are equal: of the extrema in both orders, whose bits are joined,
// numbers that differ are one. A blend takes three of Intel's operations, and has to wait for a comparison.
void choose_zeros_by_bits(IntrinsicInst& call, const OfNumber& of, function_ref<Value*(Value*, Value*)> choose) {
  for (User* user : make_early_inc_range(call.users())) {
    auto* choice = dyn_cast<SelectInst>(user);
    BinaryOperator* bits = choice ? bits_of_equals(*choice, call) : nullptr;
    if (!bits) continue;
    IRBuilder<> b(&call);
    Value* least = ConstantFP::getInfinity(call.getType(), call.getIntrinsicID() == Intrinsic::maxnum);
    Value* other = of.both_are ? of.other : choose(of.other, least);
    Value *first = choose(other, of.number), *second = choose(of.number, other);
    Value* joined = b.CreateBinOp(bits->getOpcode(), b.CreateBitCast(first, bits->getType()),
                                  b.CreateBitCast(second, bits->getType()));
    Value* result = b.CreateBitCast(joined, call.getType());
    note_costly_extremum(*cast<Instruction>(joined));
    choice->replaceAllUsesWith(result);
    choice->eraseFromParent();
  }
}

void expand(IntrinsicInst& call, bool first_is_number, bool second_is_number) {
  const bool chooses_zero = has_choice_of_zeros(call);
  IRBuilder<> b(&call);
  const auto beyond = call.getIntrinsicID() == Intrinsic::maxnum ? CmpInst::FCMP_OGT : CmpInst::FCMP_OLT;
  // The instruction: its second operand where one is NaN, and among zeros.
  auto choose = [&](Value* x, Value* y) { return b.CreateSelect(b.CreateFCmp(beyond, x, y), x, y); };
  Value *x = call.getArgOperand(0), *y = call.getArgOperand(1), *result;
  if (chooses_zero && first_is_number) choose_zeros_by_bits(call, {x, y, second_is_number}, choose);
  if (chooses_zero && second_is_number && !isa<Constant>(y))
    choose_zeros_by_bits(call, {y, x, first_is_number}, choose);
  if (call.use_empty()) return void(call.eraseFromParent());
  if (match(y, m_NonNaN())) {
    result = choose(x, y);
  } else {
    result = choose(y, x);
    if (!first_is_number) result = b.CreateSelect(b.CreateFCmpUNO(x, x), y, result);
  }
  auto* last = dyn_cast<Instruction>(result);
  if (last && (chooses_zero || (!first_is_number && !match(y, m_NonNaN())))) note_costly_extremum(*last);
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

}  // namespace

void expand_min_max(Function& function) {
  SmallVector<std::tuple<IntrinsicInst*, bool, bool>, 16> calls;
  for (Instruction& i : instructions(function)) {
    auto* call = dyn_cast<IntrinsicInst>(&i);
    if (!call || !call->getType()->isVectorTy()) continue;
    const Intrinsic::ID id = call->getIntrinsicID();
    if (id == Intrinsic::minnum || id == Intrinsic::maxnum)
      calls.emplace_back(call, is_never_nan(call->getArgOperand(0)), is_never_nan(call->getArgOperand(1)));
  }
  for (auto [call, first_is_number, second_is_number] : calls) {
    drop_choices_of_zeros(*call);
    expand(*call, first_is_number, second_is_number);
  }
}

}  // namespace lanza::compiler
