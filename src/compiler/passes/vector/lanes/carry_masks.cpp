#include "compiler/passes/vector/lanes/carry_masks.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/MathExtras.h>

#include "compiler/passes/vector/analysis/processors.hpp"
#include "compiler/passes/vector/lanes/hidden_values.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kLeastLanes = 8;  // shorter ones the code generator makes longer

// Of as many lanes as a register of conditions has bits, or fewer.
bool is_of_register(const Instruction& i) {
  auto* type = dyn_cast<FixedVectorType>(i.getType());
  if (!isa<CmpInst>(i) || !type) return false;
  const unsigned lanes = type->getNumElements();
  return lanes >= kLeastLanes && lanes <= 64 && isPowerOf2_32(lanes);
}

BasicBlock* block_of(const Use& use) {
  auto* user = cast<Instruction>(use.getUser());
  auto* phi = dyn_cast<PHINode>(user);
  return phi ? phi->getIncomingBlock(use) : user->getParent();
}

// A frozen comparison is none to CodeGenPrepare. (As numbers, masks sent LLVM 19's DAG combiner round in circles: of
// bitcast(a) & bitcast(b) it makes bitcast(a & b), and again the other way: the fuzzer's seed 7170030.)
bool carry(Instruction& mask) {
  SmallVector<Use*, 8> elsewhere;
  for (Use& use : mask.uses())
    if (block_of(use) != mask.getParent()) elsewhere.push_back(&use);
  if (elsewhere.empty()) return false;
  Value* carried = IRBuilder<>(mask.getNextNode()).CreateFreeze(&mask);
  for (Use* use : elsewhere) use->set(carried);
  return true;
}

// Whether `block` ends with a question to all lanes of a mask at once, which KTEST does not answer; and its number.
BitCastInst* as_asked(const BasicBlock& block) {
  auto* branch = dyn_cast<BranchInst>(block.getTerminator());
  auto* asks = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  if (!asks || !asks->hasOneUse() || !asks->isEquality() || !isa<ConstantInt>(asks->getOperand(1))) return nullptr;
  auto* number = dyn_cast<BitCastInst>(asks->getOperand(0));
  if (!number || !number->getType()->isIntegerTy() || number->getType()->getIntegerBitWidth() > 32) return nullptr;
  const bool is_mask = number->getOperand(0)->getType()->getScalarType()->isIntegerTy(1);
  return is_mask && !match(number->getOperand(0), m_And(m_Value(), m_Value())) ? number : nullptr;
}

// The code generator would see through a conversion to the bits.
bool ask_number(BasicBlock& block, const TargetTransformInfo& costs) {
  BitCastInst* number = as_asked(block);
  if (!number) return false;
  auto* asks = cast<ICmpInst>(cast<BranchInst>(block.getTerminator())->getCondition());
  IRBuilder<> b(asks);
  asks->setOperand(0, hide(b, b.CreateZExt(number, b.getInt32Ty()), costs));
  asks->setOperand(1, b.CreateZExt(asks->getOperand(1), b.getInt32Ty()));
  return true;
}

}  // namespace

bool carry_masks(Function& run, const TargetMachine& host) {
  if (!has_features(host, "+avx512bw,+avx512dq,+avx512vl")) return false;
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(run)))
    if (is_of_register(i)) changed |= carry(i);
  if (!host.getTargetCPU().starts_with("znver")) return changed;
  const TargetTransformInfo costs = host.getTargetTransformInfo(run);
  for (BasicBlock& block : run) changed |= ask_number(block, costs);
  return changed;
}

}  // namespace lanza::compiler
