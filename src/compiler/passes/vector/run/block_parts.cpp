#include "compiler/passes/vector/run/block_parts.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/scalars/own_counters.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr char kLeave[] = "lanza.leave";

/// The barriers that the parts begin with; null: there are none.
struct PartBarriers {
  BasicBlock *inside = nullptr, *edges = nullptr;
};

BasicBlock* seldom_barrier(Function& kernel) {
  for (BasicBlock& block : kernel)
    if (CallInst* point = as_block_sync(block.front()); point && point->hasMetadata(kSeldom)) return &block;
  return nullptr;
}

// The first block that is wanted where there is one way only; null: there is none. That way may be an endless loop.
template <typename Block, typename Wanted>
Block* first_on_way(Block* block, Wanted is_wanted) {
  SmallPtrSet<const BasicBlock*, 8> seen;
  while (block && !is_wanted(*block)) block = seen.insert(block).second ? block->getSingleSuccessor() : nullptr;
  return block;
}

PartBarriers find_barriers(Function& kernel) {
  BasicBlock* edges = seldom_barrier(kernel);
  BasicBlock *way = edges, *choice = edges ? edges->getSinglePredecessor() : nullptr;
  while (choice && choice->getSingleSuccessor()) {
    way = choice;
    choice = choice->getSinglePredecessor();
  }
  auto* branch = choice ? dyn_cast<BranchInst>(choice->getTerminator()) : nullptr;
  if (!branch || !branch->isConditional()) return {};
  BasicBlock* inside = first_on_way(branch->getSuccessor(branch->getSuccessor(0) == way),
                                    [](BasicBlock& block) { return as_block_sync(block.front()); });
  return inside && inside != edges && inside->getSinglePredecessor() ? PartBarriers{inside, edges} : PartBarriers{};
}

}  // namespace

bool has_block_parts(Function& kernel) { return !has_own_counters(*kernel.getParent()) && find_barriers(kernel).edges; }

void keep_block_part(Function& kernel, BlockPart part) {
  const PartBarriers barriers = find_barriers(kernel);
  BasicBlock* barrier = part == BlockPart::Inside ? barriers.edges : barriers.inside;
  if (!barrier) report_fatal_error("the parts of a kernel cannot be told from each other any more");
  BasicBlock* others = barrier->getSingleSuccessor();
  auto* leaves = BasicBlock::Create(kernel.getContext(), "others", &kernel, others);
  IRBuilder<> b(leaves);
  b.CreateCall(kernel.getParent()->getOrInsertFunction(kLeave, FunctionType::get(b.getVoidTy(), false)));
  b.CreateRetVoid();
  others->removePredecessor(barrier);
  barrier->getTerminator()->replaceSuccessorWith(others, leaves);
  EliminateUnreachableBlocks(kernel);
}

bool is_call_of_leave(const Instruction& i) {
  auto* call = dyn_cast<CallInst>(&i);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == kLeave;
}

bool is_left_to_others(const BasicBlock* begin) {
  begin = first_on_way(begin, [](const BasicBlock& block) { return !isa<BranchInst>(block.front()); });
  return begin && is_call_of_leave(begin->front());
}

Function* join_block_parts(Function& inside, Function& edges) {
  LLVMContext& c = inside.getContext();
  auto* both = Function::Create(inside.getFunctionType(), GlobalValue::InternalLinkage, "run", *inside.getParent());
  both->setAttributes(
      AttributeList::get(c, AttributeList::FunctionIndex, AttrBuilder(c, inside.getAttributes().getFnAttrs())));
  auto make = [&](const char* name) { return BasicBlock::Create(c, name, both); };
  BasicBlock *entry = make("entry"), *in = make("inside"), *at_edge = make("edge"), *done = make("done");
  const SmallVector<Value*, 3> arguments{both->getArg(0), both->getArg(1), both->getArg(2)};
  IRBuilder<> b(entry);
  b.CreateBr(in);
  b.SetInsertPoint(in);
  Value *first = b.CreateCall(&inside, arguments), *others = b.getInt32(kIsOthers);
  b.CreateCondBr(b.CreateICmpEQ(first, others), at_edge, done);
  b.SetInsertPoint(at_edge);
  Value* second = b.CreateCall(&edges, arguments);
  b.CreateCondBr(b.CreateICmpEQ(second, others), in, done);
  b.SetInsertPoint(done);
  PHINode* status = b.CreatePHI(b.getInt32Ty(), 2);
  status->addIncoming(first, in);
  status->addIncoming(second, at_edge);
  b.CreateRet(status);
  return both;
}

}  // namespace lanza::compiler
