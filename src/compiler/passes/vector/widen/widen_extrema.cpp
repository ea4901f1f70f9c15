// Minima and maxima of memory, of which most change nothing (a greatest value, distances of a shortest path): all lanes
// ask at once who would change what is there. What is there only grows, or shrinks: who would not change it now will
// not do so later either.
#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/passes/retarget.hpp"
#include "compiler/passes/vector/cost_notes.hpp"
#include "compiler/passes/vector/widen/lane_distances.hpp"
#include "compiler/passes/vector/widen/widener.hpp"

using namespace llvm;

namespace lanza::compiler {

// Of a lane's value and what is there.
static CmpInst::Predicate changes(AtomicRMWInst::BinOp operation) {
  switch (operation) {
    case AtomicRMWInst::Max:
      return CmpInst::ICMP_SGT;
    case AtomicRMWInst::Min:
      return CmpInst::ICMP_SLT;
    case AtomicRMWInst::UMax:
      return CmpInst::ICMP_UGT;
    case AtomicRMWInst::UMin:
      return CmpInst::ICMP_ULT;
    default:
      return CmpInst::BAD_ICMP_PREDICATE;
  }
}

static bool is_relaxed_extremum(const AtomicRMWInst& i) {
  const unsigned bits = i.getType()->getPrimitiveSizeInBits();
  return changes(i.getOperation()) != CmpInst::BAD_ICMP_PREDICATE && !i.isVolatile() && (bits == 32 || bits == 64) &&
         i.getOrdering() == AtomicOrdering::Monotonic && i.getAlign().value() * 8 >= bits;
}

//         are there few lanes? change: ask
// ask:    who of them would change what is there? none: after; change
// change: those do; after
bool Widener::change_extremum(AtomicRMWInst& i) {
  if (!is_relaxed_extremum(i) || !i.use_empty()) return false;
  Value* address = i.getPointerOperand();
  const bool meet = shapes_.is_uniform(address);
  if (meet && is_shared_memory(address)) return false;  // a register, maybe, which reduce_late() finds
  Value *lanes = vector(i.getValOperand()), *active = mask_bits(), *addresses = meet ? nullptr : vector(address);
  const bool has_mask = mask() != nullptr;
  BasicBlock* before = b_.GetInsertBlock();
  auto add = [&](const char* name, BasicBlock* behind) {
    return BasicBlock::Create(kernel_.getContext(), name, group_function_, behind->getNextNode());
  };
  BasicBlock *ask = add("ask", before), *change = add("change", ask), *after = add("after", change);
  if (has_mask && !meet) {
    Value* few = ConstantInt::get(bits_type(), lanes_ / 4);
    b_.CreateCondBr(b_.CreateICmpULE(b_.CreateUnaryIntrinsic(Intrinsic::ctpop, active), few), change, ask);
  } else {
    b_.CreateBr(ask);
  }

  b_.SetInsertPoint(ask);
  Value* there;
  if (meet) {
    LoadInst* load = b_.CreateAlignedLoad(i.getType(), scalar(address), i.getAlign());
    load->setAtomic(AtomicOrdering::Monotonic, i.getSyncScopeID());
    there = splat(load);
  } else {
    Type* type = wide(i.getType());
    there = b_.CreateMaskedGather(type, addresses, i.getAlign(), mask_or_all(), Constant::getNullValue(type));
    note_cost(*cast<Instruction>(there), kGatherCost, why_apart(shapes_, address));
    ++result_.gathers;
  }
  Value* would = b_.CreateBitCast(b_.CreateICmp(changes(i.getOperation()), lanes, there), bits_type());
  would = b_.CreateAnd(would, active);
  b_.CreateCondBr(b_.CreateIsNull(would), after, change);

  b_.SetInsertPoint(change);
  PHINode* who = b_.CreatePHI(bits_type(), 2, "who");
  for (BasicBlock* from : predecessors(change)) who->addIncoming(from == ask ? would : active, from);
  if (meet)
    combine(i, mask());
  else
    serialise(i, who);
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
  return true;
}

}  // namespace lanza::compiler
