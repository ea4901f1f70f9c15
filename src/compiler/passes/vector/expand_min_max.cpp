#include "compiler/passes/vector/expand_min_max.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static void expand(IntrinsicInst& call) {
  IRBuilder<> b(&call);
  const auto beyond = call.getIntrinsicID() == Intrinsic::maxnum ? CmpInst::FCMP_OGT : CmpInst::FCMP_OLT;
  // The instruction: its second operand where one is NaN, and among zeros.
  auto choose = [&](Value* x, Value* y) { return b.CreateSelect(b.CreateFCmp(beyond, x, y), x, y); };
  Value *x = call.getArgOperand(0), *y = call.getArgOperand(1), *result;
  if (match(y, m_NonNaN())) {
    result = choose(x, y);
  } else {
    result = choose(y, x);
    if (!match(x, m_NonNaN())) result = b.CreateSelect(b.CreateFCmpUNO(x, x), y, result);
  }
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

void expand_min_max(Function& function) {
  for (Instruction& i : make_early_inc_range(instructions(function))) {
    auto* call = dyn_cast<IntrinsicInst>(&i);
    if (!call || !call->getType()->isVectorTy()) continue;
    const Intrinsic::ID id = call->getIntrinsicID();
    if (id == Intrinsic::minnum || id == Intrinsic::maxnum) expand(*call);
  }
}

}  // namespace lanza::compiler
