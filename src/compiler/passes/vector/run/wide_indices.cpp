#include "compiler/passes/vector/run/wide_indices.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/analysis/extensions.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

// Of two numbers, exact in more bits as well.
static bool is_exact_sum(const Instruction& i, bool is_signed) {
  if (auto* bits = dyn_cast<PossiblyDisjointInst>(&i)) return bits->isDisjoint();
  auto* sum = dyn_cast<OverflowingBinaryOperator>(&i);
  if (!sum || i.getOpcode() != Instruction::Add) return false;
  return is_signed ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap();
}

static bool split(CastInst& extension, const Loop& loop, SmallVectorImpl<CastInst*>& work) {
  auto* sum = dyn_cast<Instruction>(extension.getOperand(0));
  if (!sum || !loop.contains(sum)) return false;
  const bool is_signed = isa<SExtInst>(extension) || (extends_sign(extension) && !is_exact_sum(*sum, false));
  if (!is_exact_sum(*sum, is_signed)) return false;
  if (none_of(sum->operands(), [&](const Use& part) { return loop.isLoopInvariant(part); })) return false;
  IRBuilder<> b(&extension);
  SmallVector<Value*, 2> parts;
  for (Value* part : sum->operands()) {
    parts.push_back(is_signed ? b.CreateSExt(part, extension.getType()) : b.CreateZExt(part, extension.getType()));
    if (auto* next = dyn_cast<CastInst>(parts.back())) work.push_back(next);
  }
  extension.replaceAllUsesWith(b.CreateAdd(parts[0], parts[1], "", /*HasNUW=*/!is_signed, /*HasNSW=*/true));
  extension.eraseFromParent();
  return true;
}

// A counter from a constant on, of which 64 bits are wanted, has them.
static bool widen_counter(PHINode& counter, const Loop& loop) {
  auto* start = dyn_cast<ConstantInt>(counter.getIncomingValueForBlock(loop.getLoopPreheader()));
  auto* next = dyn_cast<OverflowingBinaryOperator>(counter.getIncomingValueForBlock(loop.getLoopLatch()));
  const APInt* step = nullptr;
  if (!start || start->isNegative() || !next || !match(next, m_NUWAdd(m_Specific(&counter), m_APInt(step))))
    return false;
  auto is_wide = [&](User* user) {
    return user->getType()->isIntegerTy(64) &&
           (isa<ZExtInst>(user) || (isa<SExtInst>(user) && next->hasNoSignedWrap()));
  };
  if (none_of(counter.users(), is_wide)) return false;
  Type* wide = Type::getInt64Ty(counter.getContext());
  IRBuilder<> b(&counter);
  PHINode* all = b.CreatePHI(wide, 2);
  b.SetInsertPoint(cast<Instruction>(next));
  all->addIncoming(b.getInt64(start->getZExtValue()), loop.getLoopPreheader());
  all->addIncoming(b.CreateNUWAdd(all, b.getInt64(step->getZExtValue())), loop.getLoopLatch());
  for (User* user : make_early_inc_range(counter.users())) {
    const APInt* limit = nullptr;
    auto* compare = dyn_cast<ICmpInst>(user);
    if (is_wide(user)) {
      user->replaceAllUsesWith(all);
    } else if (compare && !compare->isSigned() && match(compare->getOperand(1), m_APInt(limit))) {
      b.SetInsertPoint(compare);
      compare->replaceAllUsesWith(b.CreateICmp(compare->getPredicate(), all, b.getInt64(limit->getZExtValue())));
    }
  }
  b.SetInsertPoint(counter.getParent(), counter.getParent()->getFirstInsertionPt());
  counter.replaceAllUsesWith(b.CreateTrunc(all, counter.getType(), "", /*IsNUW=*/true));
  counter.eraseFromParent();
  return true;
}

static bool widen_counters(const LoopInfo& loops) {
  bool changed = false;
  for (const Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->getLoopPreheader() || !loop->getLoopLatch()) continue;
    for (PHINode& phi : make_early_inc_range(loop->getHeader()->phis()))
      if (phi.getType()->isIntegerTy(32)) changed |= widen_counter(phi, *loop);
  }
  return changed;
}

bool widen_indices(Function& function, LoopInfo& loops) {
  bool changed = false;
  SmallVector<CastInst*, 32> work;
  for (BasicBlock& block : function)
    for (Instruction& i : block)
      if (isa<SExtInst, ZExtInst>(i) && i.getType()->isIntegerTy(64) && i.getOperand(0)->getType()->isIntegerTy(32))
        work.push_back(cast<CastInst>(&i));
  while (!work.empty()) {
    CastInst& extension = *work.pop_back_val();
    if (Loop* loop = loops.getLoopFor(extension.getParent())) changed |= split(extension, *loop, work);
  }
  return widen_counters(loops) || changed;
}

}  // namespace lanza::compiler
