#include "compiler/passes/vector/analysis/static_shared.hpp"

#include <llvm/Analysis/ValueTracking.h>

using namespace llvm;

namespace lanza::compiler {

bool is_in_shared(Value& address, uint64_t size, int64_t end, ScalarEvolution& evolution) {
  const SCEV* base = evolution.getSCEV(getUnderlyingObject(&address));
  const SCEV* offset = evolution.getMinusSCEV(evolution.getSCEV(&address), base);
  if (isa<SCEVCouldNotCompute>(offset)) return false;
  const ConstantRange range = evolution.getSignedRange(offset);
  return range.getSignedMin().isNonNegative() && range.getSignedMax().sle(end - static_cast<int64_t>(size));
}

}  // namespace lanza::compiler
