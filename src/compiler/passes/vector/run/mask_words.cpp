#include "compiler/passes/vector/run/mask_words.hpp"

#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

// Without what changes nothing.
static Value* plain(Value* v) {
  for (Value* inner; match(v, m_And(m_Value(inner), m_AllOnes())) || match(v, m_And(m_AllOnes(), m_Value(inner))) ||
                     (match(v, m_Trunc(m_ZExt(m_Value(inner)))) && inner->getType() == v->getType());)
    v = inner;
  return v;
}

Instruction* mask_of_word(Instruction& word) {
  Value *mask, *asked;
  if (!word.getType()->isIntegerTy() || !match(plain(&word), m_BitCast(m_Value(mask)))) return nullptr;
  if (!mask->getType()->isIntOrIntVectorTy(1)) return nullptr;
  ICmpInst::Predicate predicate;
  if (match(mask, m_ICmp(predicate, m_Value(asked), m_Zero())) && predicate == ICmpInst::ICMP_NE &&
      asked->getType() == mask->getType())
    mask = asked;
  return dyn_cast<Instruction>(mask);
}

}  // namespace lanza::compiler
