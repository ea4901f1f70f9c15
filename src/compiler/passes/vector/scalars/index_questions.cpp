#include "compiler/passes/vector/scalars/index_questions.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Sequence.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static bool is_thread_index(const CallInst& call) {
  const Function* callee = call.getCalledFunction();
  return callee && callee->getName().starts_with("llvm.nvvm.read.ptx.sreg.tid.");
}

static bool is_block_index(const CallInst& call) {
  const Function* callee = call.getCalledFunction();
  return callee && callee->getName().starts_with("llvm.nvvm.read.ptx.sreg.ctaid.");
}

// Arithmetic on thread indices.
static bool is_index(const Value* v, const Shapes& shapes, unsigned depth) {
  if (shapes[v].kind == Shape::Strided) return true;
  auto* i = dyn_cast<Instruction>(v);
  if (!i || depth == 0) return false;
  if (auto* call = dyn_cast<CallInst>(i); call && !isa<MinMaxIntrinsic>(call)) return is_thread_index(*call);
  if (!isa<BinaryOperator, CastInst, MinMaxIntrinsic>(i)) return false;
  const unsigned parts = isa<MinMaxIntrinsic>(i) ? 2 : i->getNumOperands();
  return all_of(seq(parts), [&](unsigned k) { return is_index(i->getOperand(k), shapes, depth - 1); });
}

bool is_of_place(const Value* v, unsigned depth) {
  auto* i = dyn_cast<Instruction>(v);
  if (!i || depth == 0) return false;
  if (auto* call = dyn_cast<CallInst>(i); call && !isa<MinMaxIntrinsic>(call))
    return is_thread_index(*call) || is_block_index(*call);
  if (!isa<BinaryOperator, CastInst, MinMaxIntrinsic>(i)) return false;
  return any_of(i->operands(), [&](const Use& operand) { return is_of_place(operand, depth - 1); });
}

bool asks_for_index(const ICmpInst& compare, const Shapes& shapes) {
  constexpr unsigned kDepth = 8;
  return compare.getOperand(0)->getType()->isIntegerTy() &&
         all_of(compare.operands(), [&](const Use& x) { return is_index(x, shapes, kDepth); });
}

bool bounds_index(const Value* condition, const Shapes& shapes) {
  const Value *a, *b;
  if (match(condition, m_Not(m_Value(a)))) return bounds_index(a, shapes);
  if (match(condition, m_CombineOr(m_LogicalAnd(m_Value(a), m_Value(b)), m_LogicalOr(m_Value(a), m_Value(b)))))
    return bounds_index(a, shapes) || bounds_index(b, shapes);
  auto* compare = dyn_cast<ICmpInst>(condition);
  return compare && compare->isRelational() && asks_for_index(*compare, shapes) && !alternates(*compare, shapes);
}

bool holds_for_one(const ICmpInst& compare, bool truth, const Shapes& shapes) {
  if (!compare.isEquality() || (compare.getPredicate() == ICmpInst::ICMP_EQ) != truth) return false;
  const Shape a = shapes[compare.getOperand(0)], b = shapes[compare.getOperand(1)];
  return (a.is_strided() && b.is_uniform()) || (a.is_uniform() && b.is_strided());
}

// `(x | y) == 0`, too, as LLVM asks for two zeros.
static bool is_zero_for_one(const Value* v, const Shapes& shapes) {
  const Value *a, *b;
  if (match(v, m_Or(m_Value(a), m_Value(b)))) return is_zero_for_one(a, shapes) || is_zero_for_one(b, shapes);
  return shapes[v].is_strided();
}

static bool leaves_one(const Value* condition, bool truth, const Shapes& shapes) {
  const Value *a, *b;
  if (match(condition, m_Not(m_Value(a)))) return leaves_one(a, !truth, shapes);
  if (truth ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
            : match(condition, m_LogicalOr(m_Value(a), m_Value(b))))
    return leaves_one(a, truth, shapes) || leaves_one(b, truth, shapes);
  auto* compare = dyn_cast<ICmpInst>(condition);
  if (!compare) return false;
  const bool asks_for_zero = compare->getPredicate() == (truth ? ICmpInst::ICMP_EQ : ICmpInst::ICMP_NE) &&
                             match(compare->getOperand(1), m_Zero());
  return holds_for_one(*compare, truth, shapes) || (asks_for_zero && is_zero_for_one(compare->getOperand(0), shapes));
}

bool runs_for_one(const BasicBlock& block, const Shapes& shapes) {
  const BasicBlock* way = &block;
  for (unsigned depth = 0; depth < 8; ++depth) {
    const BasicBlock* before = way->getSinglePredecessor();
    if (!before) return false;
    auto* branch = dyn_cast<BranchInst>(before->getTerminator());
    if (branch && branch->isConditional() && leaves_one(branch->getCondition(), branch->getSuccessor(0) == way, shapes))
      return true;
    way = before;
  }
  return false;
}

bool alternates(const ICmpInst& compare, const Shapes& shapes) {
  return any_of(compare.operands(), [&](const Use& x) {
    auto* part = dyn_cast<BinaryOperator>(x);
    if (!part || !shapes[part].is_varying() || !shapes[part->getOperand(0)].is_strided()) return false;
    auto* number = dyn_cast<ConstantInt>(part->getOperand(1));
    if (!number || !number->getValue().ule(shapes.group().lanes)) return false;
    const auto opcode = part->getOpcode();
    return opcode == Instruction::And || opcode == Instruction::URem || opcode == Instruction::SRem;
  });
}

bool leaves_out_first(const ICmpInst& compare, bool truth, const Shapes& shapes) {
  ICmpInst::Predicate predicate = truth ? compare.getPredicate() : compare.getInversePredicate();
  const Value *index = compare.getOperand(0), *bound = compare.getOperand(1);
  if (ICmpInst::isLT(predicate)) {
    std::swap(index, bound);
    predicate = ICmpInst::getSwappedPredicate(predicate);
  }
  auto* call = dyn_cast<CallInst>(index);
  if (!ICmpInst::isGT(predicate) || !call || !is_thread_index(*call)) return false;
  return shapes.group().starts_at_zero(call->getIntrinsicID() - Intrinsic::nvvm_read_ptx_sreg_tid_x) &&
         isKnownNonNegative(bound, compare.getDataLayout());
}

bool holds_for_many(const ICmpInst& compare, const Shapes& shapes) {
  const ICmpInst::Predicate predicate =
      shapes.is_uniform(compare.getOperand(0)) ? compare.getSwappedPredicate() : compare.getPredicate();
  if (ICmpInst::isEquality(predicate)) return predicate == ICmpInst::ICMP_NE;
  const bool from_below = isa<ConstantInt>(compare.getOperand(1));
  return (ICmpInst::isLT(predicate) || ICmpInst::isLE(predicate)) != from_below;
}

static std::optional<bool> usual_answer(const Value* condition, const Shapes& shapes) {
  if (auto* compare = dyn_cast<ICmpInst>(condition))
    return asks_for_index(*compare, shapes) ? std::optional(holds_for_many(*compare, shapes)) : std::nullopt;
  return answer_inside(condition, shapes);
}

std::optional<bool> answer_inside(const Value* condition, const Shapes& shapes) {
  const Value *a, *b;
  if (match(condition, m_Not(m_Value(a)))) {
    const auto answer = answer_inside(a, shapes);
    return answer ? std::optional(!*answer) : std::nullopt;
  }
  const bool all = match(condition, m_LogicalAnd(m_Value(a), m_Value(b)));
  if (!all && !match(condition, m_LogicalOr(m_Value(a), m_Value(b)))) return {};
  return usual_answer(a, shapes) == all && usual_answer(b, shapes) == all ? std::optional(all) : std::nullopt;
}

}  // namespace lanza::compiler
