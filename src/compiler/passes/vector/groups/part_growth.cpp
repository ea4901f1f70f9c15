#include "compiler/passes/vector/groups/part_growth.hpp"

#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/groups/end_grid_loop.hpp"
#include "compiler/passes/vector/groups/index_spans.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

bool grows_with_parts(Value* v, const IndexPlanes& planes, unsigned depth) {
  constexpr unsigned kDeepest = 16;
  auto* i = dyn_cast<Instruction>(v);
  if (is_made_of_arguments(v) || planes.parts.contains(i)) return true;
  if (!i || depth == kDeepest) return false;
  auto grows = [&](const Use& part) { return grows_with_parts(part, planes, depth + 1); };
  if (const auto division = as_index_division(*i)) return can_be_real(*division) && grows(i->getOperandUse(0));
  const bool is_sum = i->getOpcode() == Instruction::Add || match(i, m_DisjointOr(m_Value(), m_Value()));
  const bool is_multiple = i->getOpcode() == Instruction::Mul || match(i, m_Shl(m_Value(), m_ConstantInt()));
  return (is_sum || is_multiple || isa<SExtInst, ZExtInst>(i)) && all_of(i->operands(), grows);
}

}  // namespace lanza::compiler
