#include "compiler/passes/zero_choices.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

/// Whether the value is x or y.
bool is_either(Value* value, Value* x, Value* y) {
  Value *a, *b;
  const bool is_extremum = match(value, m_CombineOr(m_Intrinsic<Intrinsic::maxnum>(m_Value(a), m_Value(b)),
                                                    m_Intrinsic<Intrinsic::minnum>(m_Value(a), m_Value(b))));
  if (!is_extremum && !match(value, m_Select(m_Value(), m_Value(a), m_Value(b)))) return false;
  return (a == x && b == y) || (a == y && b == x);
}

bool drop_zero_choices(Function& function) {
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(function))) {
    auto* choice = dyn_cast<SelectInst>(&i);
    if (!choice) continue;
    const auto [x, y] = as_equal_numbers(*choice);
    if (!x || !(match(x, m_NonZeroFP()) || match(y, m_NonZeroFP()))) continue;
    if (!is_either(choice->getFalseValue(), x, y)) continue;
    choice->replaceAllUsesWith(choice->getFalseValue());
    choice->eraseFromParent();
    changed = true;
  }
  return changed;
}

}  // namespace

// Also of lanes that both were moved to.
static bool are_bits_of(Value* bits, Value* number) {
  if (match(bits, m_BitCast(m_Specific(number))) || match(number, m_BitCast(m_Specific(bits)))) return true;
  if (auto* constant = dyn_cast<Constant>(number)) return ConstantExpr::getBitCast(constant, bits->getType()) == bits;
  auto *moved = dyn_cast<ShuffleVectorInst>(bits), *with = dyn_cast<ShuffleVectorInst>(number);
  return moved && with && moved->getShuffleMask() == with->getShuffleMask() &&
         all_of(zip(moved->operands(), with->operands()),
                [](auto both) { return are_bits_of(std::get<0>(both), std::get<1>(both)); });
}

std::pair<Value*, Value*> as_equal_numbers(SelectInst& choice) {
  Value *x, *y;
  CmpInst::Predicate asks;
  if (!match(choice.getCondition(), m_FCmp(asks, m_Value(x), m_Value(y))) || asks != CmpInst::FCMP_OEQ) return {};
  Value *same = choice.getTrueValue(), *a, *b;
  if (same == x || same == y) return {x, y};
  if (!match(same, m_BitCast(m_CombineOr(m_And(m_Value(a), m_Value(b)), m_Or(m_Value(a), m_Value(b)))))) return {};
  const bool is_equals = (are_bits_of(a, x) && are_bits_of(b, y)) || (are_bits_of(a, y) && are_bits_of(b, x));
  return is_equals ? std::pair(x, y) : std::pair<Value*, Value*>();
}

PreservedAnalyses ZeroChoicesPass::run(Function& function, FunctionAnalysisManager&) {
  return drop_zero_choices(function) ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace lanza::compiler
