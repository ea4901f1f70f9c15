#include "compiler/passes/join_extensions.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

using Extension = Instruction::CastOps;

// The last one: the same bits.
constexpr Extension kExtensions[] = {Instruction::ZExt, Instruction::SExt, Instruction::BitCast};

unsigned bits_in(const Value& v) { return v.getType()->getPrimitiveSizeInBits().getFixedValue(); }

const Value* bits_of(const Value* v) {
  while (auto* same = dyn_cast<BitCastInst>(v)) v = same->getOperand(0);
  return v;
}

bool is_constant_extension(const Value* wide, const Value* narrow, Extension by) {
  const APInt* all;
  if (!match(wide, m_APInt(all))) return false;
  APInt some;
  if (auto* number = dyn_cast<ConstantInt>(narrow))
    some = number->getValue();
  else if (auto* number = dyn_cast<ConstantFP>(narrow))
    some = number->getValueAPF().bitcastToAPInt();
  else
    return false;
  return *all == (by == Instruction::SExt ? some.sext(all->getBitWidth()) : some.zext(all->getBitWidth()));
}

// `wide` is x of which a mask keeps as many bits as `narrow` is x's.
bool is_masked(const Value* wide, const Value* narrow) {
  const Value* all;
  const APInt* mask;
  return match(wide, m_And(m_Value(all), m_APInt(mask))) && mask->isMask(bits_in(*narrow)) &&
         match(narrow, m_Trunc(m_Specific(all)));
}

bool is_extension(const Value* wide, const Value* narrow, Extension by) {
  narrow = bits_of(narrow);
  if (is_constant_extension(wide, narrow, by)) return true;
  if (by == Instruction::BitCast) return bits_of(wide) == narrow;
  if (by == Instruction::ZExt && is_masked(wide, narrow)) return true;
  auto* cast = dyn_cast<CastInst>(wide);
  return cast && cast->getOpcode() == by && bits_of(cast->getOperand(0)) == narrow;
}

bool is_extension(const PHINode& wide, const PHINode& narrow, Extension by) {
  return all_of(wide.blocks(), [&](const BasicBlock* way) {
    const Value *all = wide.getIncomingValueForBlock(way), *some = narrow.getIncomingValueForBlock(way);
    return (all == &wide && some == &narrow) || is_extension(all, some, by);
  });
}

// Floats rather than their bits.
bool may_extend(const PHINode& narrow, const PHINode& wide, Extension by) {
  if (by == Instruction::BitCast) return narrow.getType()->isFloatingPointTy() && bits_in(narrow) == bits_in(wide);
  return (narrow.getType()->isIntegerTy() || narrow.getType()->isFloatingPointTy()) && bits_in(narrow) < bits_in(wide);
}

// What `wide` is an extension of; null: nothing that its block joins.
PHINode* find_narrow(const PHINode& wide, Extension& by) {
  for (PHINode& phi : const_cast<BasicBlock*>(wide.getParent())->phis())
    for (const Extension each : kExtensions)
      if (may_extend(phi, wide, each) && is_extension(wide, phi, each)) return by = each, &phi;
  return nullptr;
}

}  // namespace

PreservedAnalyses JoinExtensionsPass::run(Function& function, FunctionAnalysisManager&) {
  bool changed = false;
  // In this order what a phi joins is an extension again by then, if it was a phi of that kind.
  for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&function))
    for (PHINode& phi : make_early_inc_range(block->phis())) {
      Extension by;
      PHINode* narrow = phi.getType()->isIntegerTy() ? find_narrow(phi, by) : nullptr;
      if (!narrow) continue;
      IRBuilder<> b(block, block->getFirstInsertionPt());
      Value* number = b.CreateBitCast(narrow, b.getIntNTy(bits_in(*narrow)));
      phi.replaceAllUsesWith(b.CreateCast(by, number, phi.getType()));
      phi.eraseFromParent();
      changed = true;
    }
  if (!changed) return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

}  // namespace lanza::compiler
