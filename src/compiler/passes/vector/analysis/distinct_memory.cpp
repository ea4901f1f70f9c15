#include "compiler/passes/vector/analysis/distinct_memory.hpp"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/ValueTracking.h>

#include "compiler/passes/retarget.hpp"

using namespace llvm;

namespace lanza::compiler {

bool are_distinct(const Value* a, const Value* b) {
  const Value *x = getUnderlyingObject(a), *y = getUnderlyingObject(b);
  if ((isa<Argument>(x) && is_shared_memory(y)) || (isa<Argument>(y) && is_shared_memory(x))) return true;
  return x != y && isIdentifiedObject(x) && isIdentifiedObject(y);
}

}  // namespace lanza::compiler
