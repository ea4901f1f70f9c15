#include "compiler/passes/vector/whole_rows.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/retarget.hpp"
#include "compiler/passes/vector/group_form.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

const Value* without_extension(const Value* v) {
  Value* inner;
  return match(v, m_ZExtOrSExt(m_Value(inner))) ? inner : v;
}

bool is_thread(const Value* v) {
  auto* call = dyn_cast<CallInst>(without_extension(v));
  if (!call || !call->getCalledFunction()) return false;
  if (call->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_tid_x) return true;
  return call->getCalledFunction()->getName() == kGroup && match(call->getArgOperand(0), m_Zero());
}

bool is_block(const Value* v) {
  auto* call = dyn_cast<IntrinsicInst>(without_extension(v));
  return call && call->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_ctaid_x;
}

/// Looks whether every use of x leads into a sum.
class Sums {
 public:
  explicit Sums(unsigned size) : size_(size) {}

  bool find(Function& kernel) {
    for (Instruction& i : instructions(kernel)) {
      if (is_thread(&i) && !leads_to(i, [&](const User* u) { return is_sum(u); })) return false;
      if (is_block(&i) && !leads_to(i, [&](const User* u) { return is_start(u); })) return false;
      if (is_start(&i) && !leads_to(i, [&](const User* u) { return is_sum(u); })) return false;
      if (is_sum(&i)) sums_.insert(&i);
    }
    return !sums_.empty();
  }

  // Behind the first block's size an index shares bits with the block's start.
  void make_additions() {
    for (Instruction* sum : sums_) {
      if (sum->getOpcode() != Instruction::Or) continue;
      IRBuilder<> b(sum);
      Value* addition = b.CreateAdd(sum->getOperand(0), sum->getOperand(1));
      sum->replaceAllUsesWith(addition);
      sum->eraseFromParent();
    }
  }

 private:
  // What is only extended in between counts as itself.
  static bool leads_to(const Instruction& i, function_ref<bool(const User*)> wanted) {
    return all_of(i.users(), [&](const User* u) { return isa<ZExtInst, SExtInst>(u) || wanted(u); });
  }

  // blockIdx.x * blockDim.x
  bool is_start(const Value* v) const {
    Value* block;
    const APInt* by;
    v = without_extension(v);
    if (match(v, m_Mul(m_Value(block), m_APInt(by)))) return is_block(block) && *by == size_;
    return match(v, m_Shl(m_Value(block), m_APInt(by))) && is_block(block) && by->ult(31) &&
           (1u << by->getZExtValue()) == size_;
  }

  bool is_sum(const Value* v) const {
    Value *x, *y;
    if (!match(v, m_Add(m_Value(x), m_Value(y))) && !match(v, m_DisjointOr(m_Value(x), m_Value(y)))) return false;
    return (is_thread(x) && is_start(y)) || (is_thread(y) && is_start(x));
  }

  const unsigned size_;
  SmallSetVector<Instruction*, 4> sums_;
};

// Asks who it is in some other way.
bool asks(const Instruction& i) {
  auto* call = dyn_cast<CallInst>(&i);
  if (!call) return false;
  const Function* callee = call->getCalledFunction();
  if (!callee || callee->getName() == kSharedBase) return true;
  if (callee->getName() == kGroup || callee->getName() == kGlobalsBase) return false;
  // What may end here must know its own thread.
  return !callee->isIntrinsic() || call->doesNotReturn() || callee->getIntrinsicID() == Intrinsic::debugtrap;
}

}  // namespace

bool take_whole_rows(Function& kernel, const GroupShape& group) {
  if (group.block[0] == 1 || group.overhangs(0) || group.overhangs(1)) return false;
  if (any_of(instructions(kernel), asks)) return false;
  Sums sums(group.block[0]);
  if (!sums.find(kernel)) return false;
  sums.make_additions();
  return true;
}

}  // namespace lanza::compiler
