#include "compiler/passes/idle_extrema.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

using namespace llvm;

namespace lanza::compiler {

// Of an old and a new value: the old one stays.
static CmpInst::Predicate stays(AtomicRMWInst::BinOp operation) {
  switch (operation) {
    case AtomicRMWInst::Max:
      return CmpInst::ICMP_SGE;
    case AtomicRMWInst::Min:
      return CmpInst::ICMP_SLE;
    case AtomicRMWInst::UMax:
      return CmpInst::ICMP_UGE;
    case AtomicRMWInst::UMin:
      return CmpInst::ICMP_ULE;
    default:
      return CmpInst::BAD_ICMP_PREDICATE;
  }
}

// before: load; look: is there anything to do?; exchange: try it, look again at what was there instead; after.
static void skip_where_idle(AtomicRMWInst& i) {
  BasicBlock* before = i.getParent();
  BasicBlock* after = SplitBlock(before, &i);
  LLVMContext& context = i.getContext();
  BasicBlock* look = BasicBlock::Create(context, "", before->getParent(), after);
  BasicBlock* exchange = BasicBlock::Create(context, "", before->getParent(), after);
  IRBuilder<> b(before->getTerminator());
  b.SetCurrentDebugLocation(i.getDebugLoc());
  Type* type = i.getType();
  LoadInst* first = b.CreateAlignedLoad(type, i.getPointerOperand(), i.getAlign());
  first->setAtomic(AtomicOrdering::Monotonic, i.getSyncScopeID());
  before->getTerminator()->setSuccessor(0, look);

  b.SetInsertPoint(look);
  PHINode* old = b.CreatePHI(type, 2);
  old->addIncoming(first, before);
  b.CreateCondBr(b.CreateICmp(stays(i.getOperation()), old, i.getValOperand()), after, exchange);

  b.SetInsertPoint(exchange);
  AtomicCmpXchgInst* tried =
      b.CreateAtomicCmpXchg(i.getPointerOperand(), old, i.getValOperand(), i.getAlign(), AtomicOrdering::Monotonic,
                            AtomicOrdering::Monotonic, i.getSyncScopeID());
  old->addIncoming(b.CreateExtractValue(tried, 0), exchange);
  b.CreateCondBr(b.CreateExtractValue(tried, 1), after, look);

  i.replaceAllUsesWith(old);
  i.eraseFromParent();
}

void skip_idle_extrema(Function& function) {
  SmallVector<AtomicRMWInst*, 16> work;
  for (Instruction& i : instructions(function)) {
    auto* operation = dyn_cast<AtomicRMWInst>(&i);
    if (operation && operation->getOrdering() == AtomicOrdering::Monotonic && !operation->isVolatile() &&
        stays(operation->getOperation()) != CmpInst::BAD_ICMP_PREDICATE)
      work.push_back(operation);
  }
  for (AtomicRMWInst* operation : work) skip_where_idle(*operation);
}

}  // namespace lanza::compiler
