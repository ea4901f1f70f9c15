#include "compiler/passes/vector/lanes/range_extrema.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/vector/analysis/float_bits.hpp"
#include "compiler/passes/vector/analysis/processors.hpp"
#include "compiler/passes/vector/cost_notes.hpp"
#include "compiler/passes/vector/lanes/by_registers.hpp"
#include "compiler/passes/zero_choices.hpp"

using namespace llvm;

namespace lanza::compiler {

IntrinsicInst* chosen_extremum(SelectInst& choice) {
  auto* extremum = dyn_cast<IntrinsicInst>(choice.getFalseValue());
  if (!extremum) return nullptr;
  const Intrinsic::ID id = extremum->getIntrinsicID();
  if (id != Intrinsic::maxnum && id != Intrinsic::minnum) return nullptr;
  const auto [x, y] = as_equal_numbers(choice);
  Value *a = extremum->getArgOperand(0), *b = extremum->getArgOperand(1);
  return (a == x && b == y) || (a == y && b == x) ? extremum : nullptr;
}

namespace {

enum class How { Stays, NeedsNoChoice, ByRange };

/// `x == y ? bits of x and y : extremum(x, y)`.
struct Choice {
  SelectInst* choice;
  IntrinsicInst* extremum;
  How how = How::Stays;
  std::array<bool, 2> becomes_quiet{};
};

// Registers hold whole ones of them.
bool has_range(Type* type) {
  auto* lanes = dyn_cast<FixedVectorType>(type);
  if (!lanes || !(lanes->getElementType()->isFloatTy() || lanes->getElementType()->isDoubleTy())) return false;
  const unsigned bits = lanes->getNumElements() * lanes->getScalarSizeInBits();
  return bits == 128 || bits == 256 || bits % 512 == 0;
}

void decide(Choice& c, bool has_instruction) {
  Value *x = c.extremum->getArgOperand(0), *y = c.extremum->getArgOperand(1);
  const std::array<bool, 2> is_number{is_never_nan(x), is_never_nan(y)};
  const bool are_equal = has_positive_zeros(x) && has_positive_zeros(y);  // where they are, bit by bit
  if (are_equal) c.how = How::NeedsNoChoice;
  if (are_equal && is_number[0]) return;
  if (!has_instruction || !has_range(c.choice->getType())) return;
  c.becomes_quiet = {!is_number[0] && !is_never_signalling(x), !is_number[1] && !is_never_signalling(y)};
  if ((c.becomes_quiet[0] && !is_number[1]) || (c.becomes_quiet[1] && !is_number[0])) return;
  c.how = How::ByRange;
}

/// VRANGE of a register, or of several. Of two NaNs it takes the first.
class Range {
 public:
  Range(IRBuilder<>& b, bool is_maximum) : b_(b), is_maximum_(is_maximum) {}

  Value* of(Value* x, Value* y) {
    return by_registers(b_, {x, y}, [&](ArrayRef<Value*> parts) { return of_register(parts[0], parts[1]); });
  }

 private:
  Value* of_register(Value* x, Value* y) {
    constexpr int kMinimum = 4, kMaximum = 5;  // with the sign of what is chosen
    constexpr int kUsualRounding = 4;
    auto* type = cast<FixedVectorType>(x->getType());
    const unsigned lanes = type->getNumElements(), bits = lanes * type->getScalarSizeInBits();
    const bool is_double = type->getElementType()->isDoubleTy();
    const Intrinsic::ID ids[] = {Intrinsic::x86_avx512_mask_range_ps_128, Intrinsic::x86_avx512_mask_range_ps_256,
                                 Intrinsic::x86_avx512_mask_range_ps_512, Intrinsic::x86_avx512_mask_range_pd_128,
                                 Intrinsic::x86_avx512_mask_range_pd_256, Intrinsic::x86_avx512_mask_range_pd_512};
    const unsigned size = bits == 128 ? 0 : bits == 256 ? 1 : 2;
    SmallVector<Value*, 6> operands{x, y, b_.getInt32(is_maximum_ ? kMaximum : kMinimum), PoisonValue::get(type),
                                    Constant::getAllOnesValue(b_.getIntNTy(std::max(8U, lanes)))};
    if (size == 2) operands.push_back(b_.getInt32(kUsualRounding));
    return b_.CreateIntrinsic(ids[3 * is_double + size], {}, operands);
  }

  IRBuilder<>& b_;
  const bool is_maximum_;
};

void change(const Choice& c) {
  Value* result = c.extremum;
  if (c.how == How::ByRange) {
    IRBuilder<> b(c.choice);
    Range range(b, c.extremum->getIntrinsicID() == Intrinsic::maxnum);
    Value *x = c.extremum->getArgOperand(0), *y = c.extremum->getArgOperand(1);
    if (c.becomes_quiet[0]) x = range.of(x, x);
    if (c.becomes_quiet[1]) y = range.of(y, y);
    result = range.of(y, x);
    if (c.becomes_quiet[0] || c.becomes_quiet[1]) note_costly_extremum(*cast<Instruction>(result));
  }
  c.choice->replaceAllUsesWith(result);
  RecursivelyDeleteTriviallyDeadInstructions(c.choice);
}

}  // namespace

bool range_extrema(Function& function, const TargetMachine& host) {
  const bool has_instruction = has_features(host, "+avx512dq,+avx512vl");
  SmallVector<Choice, 16> choices;
  for (Instruction& i : instructions(function)) {
    auto* choice = dyn_cast<SelectInst>(&i);
    IntrinsicInst* extremum = choice && choice->getType()->isVectorTy() ? chosen_extremum(*choice) : nullptr;
    if (extremum) choices.push_back({choice, extremum});
  }
  for (Choice& c : choices) decide(c, has_instruction);  // by what all of them are before any changes
  erase_if(choices, [](const Choice& c) { return c.how == How::Stays; });
  for (const Choice& c : choices) change(c);
  return !choices.empty();
}

}  // namespace lanza::compiler
