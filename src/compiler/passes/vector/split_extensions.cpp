#include "compiler/passes/vector/split_extensions.hpp"

#include <llvm/IR/IRBuilder.h>

using namespace llvm;

namespace lanza::compiler {

// Of two numbers, exact in more bits as well.
static bool is_exact_sum(const Instruction& i, bool is_signed) {
  if (auto* bits = dyn_cast<PossiblyDisjointInst>(&i)) return bits->isDisjoint();
  auto* sum = dyn_cast<OverflowingBinaryOperator>(&i);
  if (!sum || i.getOpcode() != Instruction::Add) return false;
  return is_signed ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap();
}

static bool split(CastInst& extension, const Loop& loop, SmallVectorImpl<CastInst*>& work) {
  const bool is_signed = isa<SExtInst>(extension);
  auto* sum = dyn_cast<Instruction>(extension.getOperand(0));
  if (!sum || !loop.contains(sum) || !is_exact_sum(*sum, is_signed)) return false;
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

bool split_extensions(Function& function, LoopInfo& loops) {
  SmallVector<CastInst*, 32> work;
  for (BasicBlock& block : function)
    for (Instruction& i : block)
      if (isa<SExtInst, ZExtInst>(i) && i.getType()->isIntegerTy(64) && i.getOperand(0)->getType()->isIntegerTy(32))
        work.push_back(cast<CastInst>(&i));
  bool changed = false;
  while (!work.empty()) {
    CastInst& extension = *work.pop_back_val();
    if (Loop* loop = loops.getLoopFor(extension.getParent())) changed |= split(extension, *loop, work);
  }
  return changed;
}

}  // namespace lanza::compiler
