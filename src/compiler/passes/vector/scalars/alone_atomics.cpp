#include "compiler/passes/vector/scalars/alone_atomics.hpp"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/passes/retarget.hpp"

using namespace llvm;

namespace lanza::compiler {

static bool is_of_device(const Instruction& i) {
  const SyncScope::ID device = device_scope(i.getContext());
  if (auto* operation = dyn_cast<AtomicRMWInst>(&i)) return operation->getSyncScopeID() == device;
  auto* exchange = dyn_cast<AtomicCmpXchgInst>(&i);
  return exchange && exchange->getSyncScopeID() == device;
}

static bool is_thread_index(const Value* v) {
  auto* call = dyn_cast<CallInst>(v);
  return call && call->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_tid_x;
}

// Behind `if (threadIdx.x == 0)` there is not much to gain; behind `if (threadIdx.x % 32 == 0)` most of the time.
static bool is_of_one_lane(const Instruction& i, const DominatorTree& dominators) {
  for (auto* node = dominators.getNode(i.getParent())->getIDom(); node; node = node->getIDom()) {
    auto* branch = dyn_cast<BranchInst>(node->getBlock()->getTerminator());
    auto* compare = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
    if (!compare || !compare->isEquality() || !isa<Constant>(compare->getOperand(1))) continue;
    const unsigned equal = compare->getPredicate() == ICmpInst::ICMP_EQ ? 0 : 1;
    const BasicBlockEdge way(node->getBlock(), branch->getSuccessor(equal));
    if (is_thread_index(compare->getOperand(0)) && dominators.dominates(way, i.getParent())) return true;
  }
  return false;
}

static Value* ask(IRBuilder<>& b, Module& module) {
  FunctionCallee alone = module.getOrInsertFunction(kAlone, FunctionType::get(b.getInt1Ty(), false));
  auto* function = cast<Function>(alone.getCallee());
  function->setMemoryEffects(MemoryEffects::none());
  function->setDoesNotThrow();
  function->setWillReturn();
  return b.CreateCall(alone);
}

static void set_for_one_thread(Instruction& i) {
  if (auto* operation = dyn_cast<AtomicRMWInst>(&i)) return operation->setSyncScopeID(SyncScope::SingleThread);
  cast<AtomicCmpXchgInst>(i).setSyncScopeID(SyncScope::SingleThread);
}

static void split(Instruction& i) {
  IRBuilder<> b(&i);
  Instruction *alone = nullptr, *beside = nullptr;
  SplitBlockAndInsertIfThenElse(ask(b, *i.getModule()), &i, &alone, &beside);
  BasicBlock* after = i.getParent();
  Instruction* copy = i.clone();
  set_for_one_thread(*copy);
  copy->insertBefore(alone);
  i.moveBefore(beside);
  if (i.use_empty()) return;
  b.SetInsertPoint(after, after->begin());
  PHINode* found = b.CreatePHI(i.getType(), 2);
  i.replaceAllUsesWith(found);
  found->addIncoming(copy, copy->getParent());
  found->addIncoming(&i, i.getParent());
}

bool ask_whether_alone(Function& kernel) {
  SmallVector<Instruction*, 8> work;
  for (Instruction& i : instructions(kernel))
    if (is_of_device(i)) work.push_back(&i);
  if (work.empty()) return false;
  const DominatorTree dominators(kernel);
  erase_if(work, [&](Instruction* i) {
    return !dominators.isReachableFromEntry(i->getParent()) || is_of_one_lane(*i, dominators);
  });
  for (Instruction* i : work) split(*i);
  return !work.empty();
}

bool lower_alone(Function& run, const AbiTypes& types) {
  Function* function = run.getParent()->getFunction(kAlone);
  if (!function) return false;
  const bool asks = !function->use_empty();
  IRBuilder<> b(run.getEntryBlock().getTerminator());
  Value* field = b.CreateStructGEP(types.block, run.getArg(2), block_field::alone);
  Value* alone = b.CreateIsNotNull(b.CreateLoad(b.getInt32Ty(), field));
  for (User* user : make_early_inc_range(function->users())) {
    user->replaceAllUsesWith(alone);
    cast<Instruction>(user)->eraseFromParent();
  }
  function->eraseFromParent();
  return asks;
}

}  // namespace lanza::compiler
