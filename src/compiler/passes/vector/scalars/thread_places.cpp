#include "compiler/passes/vector/scalars/thread_places.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static constexpr uint64_t kMost = uint64_t{1} << 30;  // no sum of 32 bits wraps

static std::optional<ThreadPlace> as_small(ThreadPlace place) {
  const bool is_small = place.step < kMost / kMostThreads / 2 && place.first < kMost / 2;
  return is_small ? std::optional(place) : std::nullopt;
}

std::optional<ThreadPlace> ThreadPlace::times(uint64_t factor) const {
  return factor > kMost ? std::nullopt : as_small({step * factor, first * factor});
}

std::optional<ThreadPlace> ThreadPlace::plus(ThreadPlace other) const {
  return as_small({step + other.step, first + other.first});
}

bool is_thread_x(const Value* v) { return match(v, m_Intrinsic<Intrinsic::nvvm_read_ptx_sreg_tid_x>()); }

std::optional<ThreadPlace> place_of(const Value* v, ThreadPlace thread) {
  if (is_thread_x(v)) return thread;
  if (auto* constant = dyn_cast<ConstantInt>(v)) {
    if (constant->getValue().uge(kMost / 2)) return std::nullopt;
    return ThreadPlace{0, constant->getZExtValue()};
  }
  if (!v->getType()->isIntegerTy() || v->getType()->getIntegerBitWidth() < 32) return std::nullopt;
  Value *a = nullptr, *b = nullptr;
  const APInt* by = nullptr;
  if (match(v, m_ZExtOrSExt(m_Value(a))) || match(v, m_Trunc(m_Value(a)))) return place_of(a, thread);
  if (match(v, m_Shl(m_Value(a), m_APInt(by)))) {
    const auto shifted = by->ult(30) ? place_of(a, thread) : std::nullopt;
    return shifted ? shifted->times(uint64_t{1} << by->getZExtValue()) : std::nullopt;
  }
  if (match(v, m_Mul(m_Value(a), m_APInt(by)))) {
    const auto product = by->ult(kMost) ? place_of(a, thread) : std::nullopt;
    return product ? product->times(by->getZExtValue()) : std::nullopt;
  }
  if (match(v, m_Add(m_Value(a), m_APInt(by))) && by->isNegative()) {
    const auto greater = place_of(a, thread);
    const uint64_t less = by->abs().getLimitedValue();
    return greater && less <= greater->first ? std::optional(ThreadPlace{greater->step, greater->first - less})
                                             : std::nullopt;
  }
  if (match(v, m_Add(m_Value(a), m_Value(b))) || match(v, m_DisjointOr(m_Value(a), m_Value(b)))) {
    const auto left = place_of(a, thread), right = place_of(b, thread);
    return left && right ? left->plus(*right) : std::nullopt;
  }
  return std::nullopt;
}

// In bytes.
static std::optional<ThreadPlace> place_behind(const Value* address, const DataLayout& layout, ThreadPlace thread) {
  std::optional<ThreadPlace> place = ThreadPlace{};
  while (auto* step = dyn_cast<GEPOperator>(address)) {
    const unsigned bits = layout.getIndexTypeSizeInBits(step->getType());
    MapVector<Value*, APInt> variables;
    APInt constant(bits, 0);
    if (!step->collectOffset(layout, bits, variables, constant) || constant.uge(kMost / 2)) return std::nullopt;
    place = place->plus({0, constant.getZExtValue()});
    for (const auto& [variable, scale] : variables) {
      std::optional<ThreadPlace> index = scale.ult(kMost) ? place_of(variable, thread) : std::nullopt;
      if (index) index = index->times(scale.getZExtValue());
      if (!index || !place) return std::nullopt;
      place = place->plus(*index);
    }
    if (!place) return std::nullopt;
    address = step->getPointerOperand();
  }
  return isa<GlobalVariable>(address) ? place : std::nullopt;
}

std::optional<ThreadPlace> place_in_elements(Instruction& access, const DataLayout& layout, ThreadPlace thread) {
  const auto place = place_behind(getLoadStorePointerOperand(&access), layout, thread);
  const uint64_t size = layout.getTypeStoreSize(getLoadStoreType(&access));
  if (!place || place->step % size || place->first % size) return std::nullopt;
  return ThreadPlace{place->step / size, place->first / size};
}

std::optional<uint64_t> threads_to(const BasicBlock& guard, const BasicBlock& block, uint64_t threads) {
  auto* branch = dyn_cast<BranchInst>(guard.getTerminator());
  if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) return std::nullopt;
  auto* question = dyn_cast<ICmpInst>(branch->getCondition());
  auto* bound = question ? dyn_cast<ConstantInt>(question->getOperand(1)) : nullptr;
  if (!bound || !is_thread_x(question->getOperand(0)) || bound->getValue().ugt(kMostThreads)) return std::nullopt;
  const uint64_t n = bound->getZExtValue();
  switch (branch->getSuccessor(0) == &block ? question->getPredicate() : question->getInversePredicate()) {
    case ICmpInst::ICMP_ULT:
    case ICmpInst::ICMP_SLT:
      return std::min(n, threads);
    case ICmpInst::ICMP_ULE:
    case ICmpInst::ICMP_SLE:
      return std::min(n + 1, threads);
    case ICmpInst::ICMP_EQ:
      return n == 0 ? std::optional<uint64_t>(1) : std::nullopt;
    case ICmpInst::ICMP_NE:
      return n + 1 == threads ? std::optional<uint64_t>(n) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<uint64_t> only_thread_to(const BasicBlock& guard, const BasicBlock& block) {
  auto* branch = dyn_cast<BranchInst>(guard.getTerminator());
  if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) return std::nullopt;
  auto* question = dyn_cast<ICmpInst>(branch->getCondition());
  auto* number = question ? dyn_cast<ConstantInt>(question->getOperand(1)) : nullptr;
  if (!number || !is_thread_x(question->getOperand(0)) || number->getValue().uge(kMostThreads)) return std::nullopt;
  const bool is_way = branch->getSuccessor(question->getPredicate() == ICmpInst::ICMP_EQ ? 0 : 1) == &block;
  return question->isEquality() && is_way ? std::optional(number->getZExtValue()) : std::nullopt;
}

uint64_t most_threads_at(const BasicBlock& block, uint64_t threads) {
  uint64_t most = threads;
  for (const BasicBlock *at = &block, *guard = nullptr; (guard = at->getSinglePredecessor()); at = guard)
    if (const auto some = threads_to(*guard, *at, threads)) most = std::min(most, *some);
  return most;
}

}  // namespace lanza::compiler
