#include "compiler/passes/vector/run/half_roundings.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/cost_notes.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static constexpr unsigned kMostSteps = 4;  // from a rounding to the next operation: NaN is chosen in between

static bool is_half(const Type& type) { return type.isVectorTy() && type.getScalarType()->isHalfTy(); }

// LLVM writes operations on widened halves as operations on halves, where those round alike.
static bool is_operation(const Value& v) { return isa<BinaryOperator>(v) && is_half(*v.getType()); }

static bool is_widened_again(const Value& half, unsigned steps = kMostSteps) {
  return any_of(half.users(), [&](const User* user) {
    if (isa<FPExtInst>(user) || is_operation(*user)) return true;
    return steps && (isa<BitCastInst>(user) || (isa<SelectInst>(user) && user->getOperand(0) != &half)) &&
           is_widened_again(*user, steps - 1);
  });
}

// Half of a half's last place and zeros behind it: a tie, or what was rounded to one.
static bool is_asked_for_tie(const Value& sum) {
  constexpr uint64_t kBehind = 0xfff;
  return any_of(sum.users(), [](const User* user) {
    return isa<BitCastInst>(user) && any_of(user->users(), [](const User* bits) {
             return match(bits, m_And(m_Value(), m_SpecificInt(kBehind)));
           });
  });
}

void note_half_roundings(Function& kernel) {
  for (Instruction& i : instructions(kernel)) {
    const bool is_rounding = isa<FPTruncInst>(i) && is_half(*i.getType());
    if (is_rounding && is_asked_for_tie(*i.getOperand(0)))
      note_cost(
          i, kHalfCost,
          "this processor has no arithmetic of halves: the sum of a product is one of floats, converted before and "
          "after, and each is asked whether it would be rounded twice");
    else if ((is_rounding || is_operation(i)) && is_widened_again(i))
      note_cost(i, kHalfCost,
                "this processor has no arithmetic of halves: each operation is one of floats, rounded to a half and "
                "widened again for the next; floats all the way, rounded when they are stored, would not be");
  }
}

}  // namespace lanza::compiler
