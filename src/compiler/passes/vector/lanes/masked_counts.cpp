#include "compiler/passes/vector/lanes/masked_counts.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/analysis/processors.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

// `count` + `number` of each lane that `mask` holds for is the sum or difference `i`. False: it is no such thing.
static bool counts(Instruction& i, Value*& count, Value*& mask, int& number) {
  Value* of_ones = nullptr;
  auto extended = m_OneUse(m_CombineOr(m_ZExt(m_Value(mask)), m_SExt(m_Value(mask))));
  if (match(&i, m_c_Add(m_CombineAnd(extended, m_Value(of_ones)), m_Value(count))))
    number = isa<ZExtInst>(of_ones) ? 1 : -1;
  else if (match(&i, m_Sub(m_Value(count), m_CombineAnd(extended, m_Value(of_ones)))))
    number = isa<ZExtInst>(of_ones) ? -1 : 1;
  else
    return false;
  return isa<FixedVectorType>(i.getType()) && mask->getType()->getScalarType()->isIntegerTy(1) && !isa<Constant>(count);
}

bool mask_counts(Function& run, const TargetMachine& host) {
  if (!has_features(host, "+avx512bw,+avx512vl")) return false;
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(run))) {
    Value *count = nullptr, *mask = nullptr;
    int number = 0;
    if (!counts(i, count, mask, number)) continue;
    IRBuilder<> b(&i);
    Value* more = b.CreateAdd(count, ConstantInt::getSigned(i.getType(), number));
    i.replaceAllUsesWith(b.CreateSelect(mask, more, count));
    changed = true;
  }
  return changed;
}

}  // namespace lanza::compiler
