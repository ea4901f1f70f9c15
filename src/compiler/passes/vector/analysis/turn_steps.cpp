#include "compiler/passes/vector/analysis/turn_steps.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static constexpr unsigned kDeepest = 8;

std::optional<int64_t> TurnSteps::of(Value* v, unsigned depth) const {
  if (loop_.isLoopInvariant(v)) return 0;
  if (depth == kDeepest) return {};
  auto inner = [&](Value* operand) { return of(operand, depth + 1); };
  Value *x, *y;
  if (isa<PHINode>(v)) return of_counter(v);
  if (match(v, m_ZExtOrSExt(m_Value(x)))) return inner(x);
  if (match(v, m_Add(m_Value(x), m_Value(y))) || match(v, m_DisjointOr(m_Value(x), m_Value(y)))) {
    const auto left = inner(x), right = inner(y);
    return left && right ? std::optional(*left + *right) : std::nullopt;
  }
  auto* address = dyn_cast<GetElementPtrInst>(v);
  return address ? of_address(*address, depth) : std::nullopt;
}

bool TurnSteps::is_in_row(Instruction& access, const Shapes& shapes) const {
  Value* address = getLoadStorePointerOperand(&access);
  if (!address) return false;
  const uint64_t size = access.getDataLayout().getTypeStoreSize(getLoadStoreType(&access));
  if (!shapes[address].is_scattered(size)) return false;
  const auto step = of(address);
  return step && std::abs(*step) == static_cast<int64_t>(size);
}

std::optional<int64_t> TurnSteps::of_address(GetElementPtrInst& address, unsigned depth) const {
  auto bytes = of(address.getPointerOperand(), depth + 1);
  for (auto type = gep_type_begin(address); bytes && type != gep_type_end(address); ++type) {
    if (loop_.isLoopInvariant(type.getOperand())) continue;
    const auto index = of(type.getOperand(), depth + 1);
    if (!index || type.isStruct()) return {};
    const TypeSize size = type.getSequentialElementStride(address.getDataLayout());
    *bytes += *index * static_cast<int64_t>(size.getFixedValue());
  }
  return bytes;
}

std::optional<int64_t> TurnSteps::of_counter(Value* v) const {
  if (!evolution_.isSCEVable(v->getType())) return {};
  auto* counter = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(v));
  if (!counter || counter->getLoop() != &loop_ || !counter->isAffine()) return {};
  auto* step = dyn_cast<SCEVConstant>(counter->getStepRecurrence(evolution_));
  return step ? std::optional(step->getAPInt().getSExtValue()) : std::nullopt;
}

bool steps_over_group(const Loop& loop, const Shapes& shapes) {
  return any_of(loop.getHeader()->phis(), [&](const PHINode& counter) {
    const Shape shape = shapes[&counter];
    auto* next = dyn_cast<BinaryOperator>(counter.getIncomingValueForBlock(loop.getLoopLatch()));
    if (!shape.is_strided() || !next || next->getOpcode() != Instruction::Add || next->getOperand(0) != &counter)
      return false;
    const bool ends = any_of(next->users(), [](const User* user) { return isa<ICmpInst>(user); });
    auto* step = dyn_cast<ConstantInt>(next->getOperand(1));
    if (!step) return ends && shapes.is_uniform(next->getOperand(1));
    return ends && step->getValue().abs().uge(static_cast<uint64_t>(std::abs(shape.stride)) * shapes.group().lanes);
  });
}

bool can_count(const SCEV* turns, const BasicBlock& block, ScalarEvolution& evolution) {
  return !isa<SCEVCouldNotCompute>(turns) &&
         SCEVExpander(evolution, block.getDataLayout(), "turns").isSafeToExpandAt(turns, block.getTerminator());
}

}  // namespace lanza::compiler
