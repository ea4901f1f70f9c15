#include "compiler/passes/find_remainders.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/kept_analyses.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

// Null: it is none. Where the quotient was computed, so can the remainder be.
static Value* remainder_of(Instruction& i) {
  Value *index = nullptr, *divisor = nullptr;
  Instruction* quotient = nullptr;
  if (!match(&i, m_Sub(m_Value(index), m_c_Mul(m_Instruction(quotient), m_Value(divisor))))) return nullptr;
  const bool is_signed = match(quotient, m_SDiv(m_Specific(index), m_Specific(divisor)));
  if (!is_signed && !match(quotient, m_UDiv(m_Specific(index), m_Specific(divisor)))) return nullptr;
  IRBuilder<> b(&i);
  return is_signed ? b.CreateSRem(index, divisor) : b.CreateURem(index, divisor);
}

PreservedAnalyses FindRemaindersPass::run(Function& function, FunctionAnalysisManager&) {
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(function))) {
    Value* remainder = remainder_of(i);
    if (!remainder) continue;
    i.replaceAllUsesWith(remainder);
    RecursivelyDeleteTriviallyDeadInstructions(&i);
    changed = true;
  }
  return keeps_control_flow(changed);
}

}  // namespace lanza::compiler
