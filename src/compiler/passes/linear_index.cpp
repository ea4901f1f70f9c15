#include "compiler/passes/linear_index.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/retarget.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kDepth = 4;  // of expressions and of chained branches that are looked through

bool is_register(const Value* v, Intrinsic::ID id) {
  auto* call = dyn_cast<IntrinsicInst>(v);
  return call && call->getIntrinsicID() == id;
}
bool is_thread(const Value* v) { return is_register(v, Intrinsic::nvvm_read_ptx_sreg_tid_x); }
bool is_block(const Value* v) { return is_register(v, Intrinsic::nvvm_read_ptx_sreg_ctaid_x); }
bool is_block_size(const Value* v) { return is_register(v, Intrinsic::nvvm_read_ptx_sreg_ntid_x); }

// blockIdx.x * blockDim.x
bool is_block_start(const Value* v) {
  Value *x, *y;
  if (!match(v, m_Mul(m_Value(x), m_Value(y)))) return false;
  return (is_block(x) && is_block_size(y)) || (is_block(y) && is_block_size(x));
}

bool is_sum(const Value* v) {
  Value *x, *y;
  if (!match(v, m_Add(m_Value(x), m_Value(y)))) return false;
  return (is_thread(x) && is_block_start(y)) || (is_thread(y) && is_block_start(x));
}

// Every use of threadIdx.x and blockIdx.x leads into such a sum.
bool uses_only_sums(Function& kernel, SmallVectorImpl<Instruction*>& sums) {
  for (Instruction& i : instructions(kernel)) {
    if (is_sum(&i)) sums.push_back(&i);
    const bool part = is_thread(&i) || is_block_start(&i);
    if (part && !all_of(i.users(), is_sum)) return false;
    if (is_block(&i) && !all_of(i.users(), is_block_start)) return false;
    auto* call = dyn_cast<CallInst>(&i);
    if (!call) continue;
    Function* callee = call->getCalledFunction();
    if (!callee || callee->getName() == kSharedBase) return false;
    if (callee->getName() == kGlobalsBase) continue;
    // What may end here must know its own thread.
    if (!callee->isIntrinsic() || call->doesNotReturn() || callee->getIntrinsicID() == Intrinsic::debugtrap)
      return false;
  }
  return !sums.empty();
}

bool is_uniform(const Value* v, unsigned depth = kDepth) {
  if (isa<Argument>(v) || isa<Constant>(v)) return !v->getType()->isPointerTy() || isa<Argument>(v);
  auto* i = dyn_cast<Instruction>(v);
  if (!i || depth == 0 || !(isa<BinaryOperator>(i) || isa<CastInst>(i)) || !isSafeToSpeculativelyExecute(i))
    return false;
  return all_of(i->operands(), [&](const Value* x) { return is_uniform(x, depth - 1); });
}

/// Looks for bounds on the way from the entry to the first thing that has an effect.
class BoundFinder {
 public:
  BoundFinder(Function& kernel, LinearIndex& index) : kernel_(kernel), index_(index) {}

  void run() {
    BasicBlock* block = &kernel_.getEntryBlock();
    for (unsigned step = 0; step < kDepth; ++step) {
      auto* branch = dyn_cast<BranchInst>(block->getTerminator());
      if (!branch || !branch->isConditional() || !is_pure(*block)) return;
      const bool ends_if_true = only_returns(*branch->getSuccessor(0)),
                 ends_if_false = only_returns(*branch->getSuccessor(1));
      if (ends_if_true == ends_if_false) return;
      BasicBlock* next = branch->getSuccessor(ends_if_true ? 1 : 0);
      branch->setCondition(take(branch->getCondition(), !ends_if_true));
      if (!next->getSinglePredecessor()) return;
      block = next;
    }
  }

 private:
  static bool is_pure(BasicBlock& block) {
    return none_of(block, [](Instruction& i) { return i.mayHaveSideEffects(); });
  }
  static bool only_returns(BasicBlock& block) { return isa<ReturnInst>(block.front()); }

  // The kernel goes on where `condition` is `wanted`. Takes the bounds that this implies; returns what is left of the
  // condition.
  Value* take(Value* condition, bool wanted) {
    Value *x, *y;
    const bool both = wanted ? match(condition, m_LogicalAnd(m_Value(x), m_Value(y)))
                             : match(condition, m_LogicalOr(m_Value(x), m_Value(y)));
    if (both) {
      Value *left = take(x, wanted), *right = take(y, wanted);
      if (left == x && right == y) return condition;
      IRBuilder<> b(cast<Instruction>(condition));
      return wanted ? b.CreateLogicalAnd(left, right) : b.CreateLogicalOr(left, right);
    }
    auto* compare = dyn_cast<ICmpInst>(condition);
    if (!compare || !take_compare(*compare, wanted)) return condition;
    return ConstantInt::getBool(condition->getType(), wanted);
  }

  bool take_compare(ICmpInst& compare, bool wanted) {
    ICmpInst::Predicate predicate = wanted ? compare.getPredicate() : compare.getInversePredicate();
    Value *index = compare.getOperand(0), *limit = compare.getOperand(1);
    if (is_uniform(index)) {
      std::swap(index, limit);
      predicate = ICmpInst::getSwappedPredicate(predicate);
    }
    if (predicate != ICmpInst::ICMP_SLT && predicate != ICmpInst::ICMP_ULT) return false;
    if (!is_uniform(limit) || !limit->getType()->isIntegerTy() || limit->getType()->getIntegerBitWidth() > 64)
      return false;
    const bool is_signed = predicate == ICmpInst::ICMP_SLT;
    bool sign_extended = is_signed;
    if (auto* extension = dyn_cast<CastInst>(index);
        extension && (isa<SExtInst>(extension) || isa<ZExtInst>(extension))) {
      sign_extended = isa<SExtInst>(extension);
      index = extension->getOperand(0);
    }
    if (!is_contained(index_.sums, index)) return false;
    index_.bounds.push_back({limit, is_signed, sign_extended});
    return true;
  }

  Function& kernel_;
  LinearIndex& index_;
};

// The limit's expression again, where the builder stands: the original is inside the loop.
Value* copy_uniform(IRBuilder<>& b, Value* v) {
  auto* i = dyn_cast<Instruction>(v);
  if (!i || !is_uniform(v)) return v;
  Instruction* copy = i->clone();
  copy->dropPoisonGeneratingFlags();  // here it runs whether or not the kernel came so far
  for (Use& operand : copy->operands()) operand.set(copy_uniform(b, operand));
  return b.Insert(copy);
}

}  // namespace

LinearIndex take_linear_index(Function& kernel) {
  LinearIndex index;
  if (!uses_only_sums(kernel, index.sums)) return {};
  BoundFinder(kernel, index).run();
  return index;
}

Value* clamp_to_bound(IRBuilder<>& b, const IndexBound& bound, Value* base, Value* length) {
  Type* i64 = b.getInt64Ty();
  Value* limit = copy_uniform(b, bound.limit);
  limit = bound.is_signed ? b.CreateSExtOrTrunc(limit, i64) : b.CreateZExtOrTrunc(limit, i64);
  Value* start = bound.sign_extended ? b.CreateSExt(base, i64) : b.CreateZExt(base, i64);
  Value* some = bound.is_signed ? b.CreateICmpSGT(limit, start) : b.CreateICmpUGT(limit, start);
  Value* below = b.CreateBinaryIntrinsic(Intrinsic::umin, b.CreateSub(limit, start), length);
  return b.CreateSelect(some, below, b.getInt64(0));
}

}  // namespace lanza::compiler
