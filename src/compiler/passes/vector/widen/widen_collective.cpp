// Whether all lanes, or any, meet a condition.
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/widen/widener.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

Value* Widener::collective(CallInst& call) {
  Value* condition = call.getArgOperand(0);
  if (shapes_.is_uniform(condition)) return scalar(condition);
  const bool all = call.getCalledFunction()->getName() == kAll;
  Value* active = mask();
  if (!active)
    if (Value* answer = ask_ends(condition, true, all)) return answer;
  Value* lanes = vector(condition);
  Constant* ones = ConstantInt::getTrue(lanes->getType());
  if (active)
    lanes = all ? b_.CreateSelect(active, lanes, ones)
                : b_.CreateSelect(active, lanes, Constant::getNullValue(lanes->getType()));
  Value* bits = b_.CreateBitCast(lanes, bits_type());
  return all ? b_.CreateICmpEQ(bits, Constant::getAllOnesValue(bits_type())) : b_.CreateIsNotNull(bits);
}

// Comparisons of indices need no vector: the first or the last lane decides. Where all lanes are active; null where it
// is not that easy.
Value* Widener::ask_ends(Value* condition, bool truth, bool all) {
  Value *a, *b;
  if (shapes_.is_uniform(condition)) return truth ? scalar(condition) : b_.CreateNot(scalar(condition));
  if (match(condition, m_Not(m_Value(a)))) return ask_ends(a, !truth, all);
  const bool both = match(condition, m_LogicalAnd(m_Value(a), m_Value(b)));
  if (both || match(condition, m_LogicalOr(m_Value(a), m_Value(b)))) {
    // All meet both where all meet the first and all the second; some do where all are alike in one of them.
    const bool is_and = both == truth;
    if (is_and != all && !shapes_.is_uniform(a) && !shapes_.is_uniform(b)) return nullptr;
    Value *first = ask_ends(a, truth, all), *second = first ? ask_ends(b, truth, all) : nullptr;
    if (!second) return nullptr;
    return is_and ? b_.CreateLogicalAnd(first, second) : b_.CreateLogicalOr(first, second);
  }
  auto* compare = dyn_cast<ICmpInst>(condition);
  return compare ? ask_end(*compare, truth, all) : nullptr;
}

Value* Widener::ask_end(const ICmpInst& compare, bool truth, bool all) {
  Value *index = compare.getOperand(0), *limit = compare.getOperand(1);
  ICmpInst::Predicate predicate = truth ? compare.getPredicate() : compare.getInversePredicate();
  if (shapes_.is_uniform(index)) {
    std::swap(index, limit);
    predicate = ICmpInst::getSwappedPredicate(predicate);
  }
  if (!index->getType()->isIntegerTy()) return nullptr;
  if (ICmpInst::isEquality(predicate)) return ask_whether_it(index, limit, predicate == ICmpInst::ICMP_EQ, all);
  const Shape shape = shapes_[index];
  const bool is_signed = ICmpInst::isSigned(predicate);
  if (!shape.is_strided() || !shapes_.is_uniform(limit) || !shapes_.extends(index, is_signed)) return nullptr;
  const bool is_upper = ICmpInst::isLT(predicate) || ICmpInst::isLE(predicate), rises = shape.stride > 0;
  Value* end = scalar(index);
  if ((is_upper == all) == rises) {
    Constant* way = ConstantInt::getSigned(end->getType(), shape.stride * (static_cast<int64_t>(lanes_) - 1));
    end = b_.CreateAdd(end, way, "", /*HasNUW=*/!is_signed && rises, /*HasNSW=*/is_signed);
  }
  return b_.CreateICmp(predicate, end, scalar(limit));
}

// Of neighbours one at most is `it`: where the group is that in which it would be. Of every other one (`2 * t + odd`),
// too, if it is one of those.
Value* Widener::ask_whether_it(Value* index, Value* it, bool equal, bool all) {
  const Shape shape = shapes_[index];
  if (!shape.is_strided() || !shapes_.is_uniform(it) || lanes_ < 2) return nullptr;
  if (shape.stride < 1 || shape.stride > kMostInterleaved || !isPowerOf2_64(static_cast<uint64_t>(shape.stride)) ||
      index->getType()->getIntegerBitWidth() < 16)
    return nullptr;
  if (equal == all) return b_.getInt1(!all);
  Value *first = scalar(index), *wanted = scalar(it), *is_one;
  if (shape.stride > 1) {
    Value* distance = b_.CreateSub(wanted, first);
    auto number = [&](uint64_t n) { return ConstantInt::get(first->getType(), n); };
    const auto stride = static_cast<uint64_t>(shape.stride);
    Value* is_near = b_.CreateICmpULT(distance, number(lanes_ * stride));
    is_one = b_.CreateAnd(is_near, b_.CreateIsNull(b_.CreateAnd(distance, number(stride - 1))));
  } else if (shapes_.low_zeros(index) >= Log2_32(lanes_)) {
    is_one = b_.CreateICmpEQ(first, b_.CreateAnd(wanted, ConstantInt::getSigned(first->getType(), -int64_t{lanes_})));
  } else {
    is_one = b_.CreateICmpULT(b_.CreateSub(wanted, first), ConstantInt::get(first->getType(), lanes_));
  }
  return equal ? is_one : b_.CreateNot(is_one);
}

}  // namespace lanza::compiler
