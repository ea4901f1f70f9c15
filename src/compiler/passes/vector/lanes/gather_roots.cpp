#include "compiler/passes/vector/lanes/gather_roots.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static constexpr unsigned kMostSteps = 64;  // from a lane's number to its index

bool is_computed(Value* indices) {
  SmallVector<Value*, 16> work{indices};
  SmallPtrSet<Value*, 32> seen;
  bool has_lanes = false;
  while (!work.empty()) {
    Value* v = work.pop_back_val();
    if (!v->getType()->isVectorTy() || isSplatValue(v) || !seen.insert(v).second) continue;
    if (isa<Constant>(v)) {
      has_lanes = true;
      continue;
    }
    auto* i = dyn_cast<Instruction>(v);
    if (!i || seen.size() > kMostSteps || i->mayReadOrWriteMemory()) return false;
    append_range(work, i->operands());
  }
  return has_lanes;
}

bool has_quotients(Value* indices) {
  SmallVector<Value*, 8> work{indices};
  SmallPtrSet<Value*, 16> seen;
  while (!work.empty()) {
    auto* i = dyn_cast<Instruction>(work.pop_back_val());
    if (!i || !i->getType()->isVectorTy() || !seen.insert(i).second) continue;
    if (i->isIntDivRem() || match(i, m_Shr(m_Value(), m_Value()))) return true;
    if (isa<FPToSIInst, FPToUIInst>(i)) continue;
    append_range(work, i->operands());
  }
  return false;
}

bool go_back(Value* indices, unsigned lanes) {
  Value *a, *c;
  const APInt* number;
  if (match(indices, m_CombineOr(m_ZExtOrSExt(m_Value(a)), m_Freeze(m_Value(a))))) return go_back(a, lanes);
  if (match(indices, m_IRem(m_Value(), m_APInt(number)))) return number->ult(lanes);
  if (match(indices, m_And(m_Value(), m_APInt(number)))) return number->ult(lanes - 1);
  if (!match(indices, m_CombineOr(m_Add(m_Value(a), m_Value(c)), m_DisjointOr(m_Value(a), m_Value(c))))) return false;
  return go_back(a, lanes) || go_back(c, lanes);
}

SharedTerm shared_term(Value* indices) {
  Value *a, *c;
  if (match(indices, m_Sub(m_Value(a), m_Value(c)))) return isSplatValue(c) ? SharedTerm{a, c, true} : SharedTerm{};
  if (!match(indices, m_Add(m_Value(a), m_Value(c)))) return {};
  if (isSplatValue(a)) std::swap(a, c);
  return isSplatValue(c) ? SharedTerm{a, c} : SharedTerm{};
}

Value* root_of(Value* indices) {
  for (;;) {
    Value *a, *c;
    if (match(indices, m_ZExtOrSExt(m_Value(a))) || match(indices, m_Freeze(m_Value(a)))) {
      indices = a;
    } else if (const SharedTerm term = shared_term(indices); term.all) {
      indices = term.lanes;
    } else if (match(indices, m_MaxOrMin(m_Value(a), m_Value(c)))) {
      if (isSplatValue(a)) std::swap(a, c);
      if (!isSplatValue(c)) return indices;
      indices = a;
    } else {
      return indices;
    }
  }
}

}  // namespace lanza::compiler
