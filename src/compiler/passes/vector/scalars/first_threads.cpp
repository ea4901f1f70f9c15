#include "compiler/passes/vector/scalars/first_threads.hpp"

#include <optional>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/scalars/array_accesses.hpp"
#include "compiler/passes/vector/scalars/asked_together.hpp"
#include "compiler/passes/vector/scalars/barrier_ends.hpp"
#include "compiler/passes/vector/scalars/thread_places.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kShared = 3;  // the address space

/// A question that threads `modulus * u + first` alone answer with true, `first` being the rest of `of` plus, or
/// exclusive-or, a number that all threads share.
struct Sparse {
  Value* question;
  uint64_t modulus, rest;
  Value* with = nullptr;
  bool is_sum = false;
};

class Work {
 public:
  Work(uint64_t threads, Instruction& thread, const BlockUniformity& uniformity, const PostDominatorTree& ends)
      : threads_(threads), thread_(thread), uniformity_(uniformity), ends_(ends) {}

  bool run(BranchInst& guard) {
    guard_ = &guard;
    works_if_ = guard.getSuccessor(1)->getSinglePredecessor() == nullptr;
    work_ = guard.getSuccessor(works_if_ ? 0 : 1);
    if (!ends_at_barrier() || !is_asked_together(*guard.getParent(), uniformity_, ends_)) return false;
    split_question(*guard.getCondition(), works_if_, parts_);
    const auto found = find_if(parts_, [&](Value* part) { return (sparse_ = as_sparse(*part)).has_value(); });
    if (found == parts_.end()) return false;
    parts_.erase(found);
    if (!is_anybodys() || !all_of(parts_, [&](Value* part) { return can_be_of_another(*part); })) return false;
    leave();
    return true;
  }

 private:
  // ---- where it is

  bool ends_at_barrier() const {
    BasicBlock &guard = *guard_->getParent(), *join = guard_->getSuccessor(works_if_ ? 1 : 0);
    return work_ != join && work_->getSinglePredecessor() == &guard && work_->getSingleSuccessor() == join &&
           !isa<PHINode>(join->front()) && begins_at_barrier(*join);
  }

  // ---- what it asks

  std::optional<Sparse> as_sparse(Value& question) const {
    ICmpInst::Predicate predicate{};
    const APInt *mask = nullptr, *rest = nullptr;
    Value *number = nullptr, *with = nullptr;
    if (!match(&question, m_ICmp(predicate, m_And(m_Value(number), m_APInt(mask)), m_APInt(rest)))) return std::nullopt;
    if (!mask->isMask() || mask->uge(kMostThreads) || (*rest & ~*mask) != 0) return std::nullopt;
    Sparse sparse{&question, mask->getZExtValue() + 1, rest->getZExtValue()};
    if (!works_if_) predicate = CmpInst::getInversePredicate(predicate);
    if (predicate == ICmpInst::ICMP_NE && sparse.modulus == 2)
      sparse.rest ^= 1;
    else if (predicate != ICmpInst::ICMP_EQ)
      return std::nullopt;
    if (threads_ % sparse.modulus != 0) return std::nullopt;
    if (number == &thread_) return sparse;
    sparse.is_sum = match(number, m_c_Add(m_Specific(&thread_), m_Value(with)));
    if (!sparse.is_sum && !match(number, m_c_Xor(m_Specific(&thread_), m_Value(with)))) return std::nullopt;
    sparse.with = with;
    return uniformity_.is_uniform(*with) ? std::optional(sparse) : std::nullopt;
  }

  // ---- what it does

  // It touches shared memory alone, goes by the thread only in places, and leaves nothing to others.
  bool is_anybodys() {
    uint64_t stores = 0;
    for (Instruction& i : *work_) {
      if (any_of(i.users(), [&](User* user) { return cast<Instruction>(user)->getParent() != work_; })) return false;
      if (const Value* address = getLoadStorePointerOperand(&i)) {
        stores += isa<StoreInst>(i);
        if (!is_plain_access(i) || address->getType()->getPointerAddressSpace() != kShared) return false;
      } else if (auto* call = dyn_cast<CallBase>(&i)) {  // of no argument: a lane's number, a clock
        if (!isa<IntrinsicInst>(call) || call->arg_empty() || call->isConvergent() || touches_memory(i)) return false;
      } else if (!i.isTerminator() && (touches_memory(i) || isa<PHINode>(i))) {
        return false;
      }
      if (!all_of(i.operands(), [&](const Use& use) { return is_here(*use) || can_be_of_another(*use); })) return false;
    }
    return stores >= sparse_->modulus;
  }

  bool is_here(const Value& v) const {
    auto* i = dyn_cast<Instruction>(&v);
    return isa<BasicBlock>(v) || (i && i->getParent() == work_);
  }

  // Made of the thread's number and what all threads share.
  bool can_be_of_another(Value& v, unsigned depth = 12) const {
    auto* i = dyn_cast<Instruction>(&v);
    if (!i || i == &thread_ || uniformity_.is_uniform(v)) return true;
    if (depth == 0 || !isa<BinaryOperator, CastInst, CmpInst, SelectInst, GetElementPtrInst>(i)) return false;
    if (i->isIntDivRem()) return false;
    return all_of(i->operands(), [&](const Use& use) { return can_be_of_another(*use, depth - 1); });
  }

  // ---- the change

  void leave() {
    IRBuilder<> b(guard_);
    Type* type = thread_.getType();
    const auto number = [&](uint64_t n) { return ConstantInt::get(type, n); };
    Value* first = number(sparse_->rest);
    if (Value* with = sparse_->with) {
      first = sparse_->is_sum ? b.CreateSub(first, with) : b.CreateXor(with, first);
      first = b.CreateAnd(first, number(sparse_->modulus - 1));
    }
    Value* own = b.CreateMul(&thread_, number(sparse_->modulus), "", /*HasNUW=*/true, /*HasNSW=*/true);
    others_[&thread_] = b.CreateAdd(own, first, "", /*HasNUW=*/true, /*HasNSW=*/true);
    Value* threads = number(threads_ / sparse_->modulus);
    Value* all = works_if_ ? b.CreateICmpULT(&thread_, threads) : b.CreateICmpUGE(&thread_, threads);
    for (Value* part : parts_)
      all = works_if_ ? b.CreateLogicalAnd(all, of_another(*part)) : b.CreateLogicalOr(all, of_another(*part));
    guard_->setCondition(all);
    for (Instruction& i : *work_)
      for (Use& use : i.operands())
        if (!is_here(*use)) use.set(of_another(*use));
  }

  // In front of the guard.
  Value* of_another(Value& v) {
    auto* i = dyn_cast<Instruction>(&v);
    if (const auto known = others_.find(&v); known != others_.end()) return known->second;
    if (!i || uniformity_.is_uniform(v)) return &v;
    Instruction* copy = i->clone();
    for (Use& use : copy->operands()) use.set(of_another(*use));
    copy->insertBefore(guard_);
    return others_[&v] = copy;
  }

  const uint64_t threads_;
  Instruction& thread_;
  const BlockUniformity& uniformity_;
  const PostDominatorTree& ends_;
  BranchInst* guard_ = nullptr;
  BasicBlock* work_ = nullptr;
  bool works_if_ = true;  ///< what the guard asks is so; its parts all are, or, else, none
  SmallVector<Value*, 4> parts_;
  std::optional<Sparse> sparse_;
  DenseMap<Value*, Value*> others_;
};

// Whether there is one: nothing else is asked about most kernels.
bool asks_for_rest(const BranchInst& branch, unsigned depth = 4) {
  SmallVector<const Value*, 4> open{branch.getCondition()};
  while (!open.empty() && depth-- > 0) {
    const Value *part = open.pop_back_val(), *a = nullptr, *b = nullptr;
    if (match(part, m_ICmp(m_And(m_Value(), m_ConstantInt()), m_ConstantInt()))) return true;
    if (match(part, m_LogicalAnd(m_Value(a), m_Value(b))) || match(part, m_LogicalOr(m_Value(a), m_Value(b))))
      open.append({a, b});
  }
  return false;
}

}  // namespace

bool leave_to_first_threads(Function& kernel, std::array<unsigned, 3> block, FunctionAnalysisManager& analyses) {
  if (block[1] != 1 || block[2] != 1 || block[0] < 2 || block[0] > kMostThreads ||
      !has_sync(kernel, LANZA_SYNC_BARRIER))
    return false;
  SmallVector<BranchInst*, 4> guards;
  for (BasicBlock& b : kernel)
    if (auto* branch = dyn_cast<BranchInst>(b.getTerminator()); branch && branch->isConditional())
      if (asks_for_rest(*branch)) guards.push_back(branch);
  const auto thread = find_if(kernel.getEntryBlock(), [](Instruction& i) { return is_thread_x(&i); });
  if (guards.empty() || thread == kernel.getEntryBlock().end()) return false;
  const BlockUniformity uniformity(kernel);
  const PostDominatorTree& ends = analyses.getResult<PostDominatorTreeAnalysis>(kernel);
  bool changed = false;
  for (BranchInst* guard : guards) changed |= Work(block[0], *thread, uniformity, ends).run(*guard);
  return changed;
}

}  // namespace lanza::compiler
