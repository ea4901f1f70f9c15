#include "compiler/passes/vector/analysis/block_uniformity.hpp"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/TargetTransformInfoImpl.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/PassInstrumentation.h>

#include "compiler/passes/retarget.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/group_form.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

bool is_thread_register(Intrinsic::ID id) {
  using namespace Intrinsic;
  switch (id) {
    case nvvm_read_ptx_sreg_tid_x:
    case nvvm_read_ptx_sreg_tid_y:
    case nvvm_read_ptx_sreg_tid_z:
    case nvvm_read_ptx_sreg_laneid:
    case nvvm_read_ptx_sreg_warpid:
      return true;
    default:
      return false;
  }
}

// Threads that make this call together may get different results for the same operands.
bool call_differs(const CallInst& call) {
  const Function* callee = call.getCalledFunction();
  if (!callee) return true;
  if (is_thread_register(call.getIntrinsicID())) return true;
  // Functions of the group (lanza.group, lanza.all) are declared so too, but know their group.
  if (callee->getName().starts_with("lanza.")) return callee->getName() != kBlocks;
  return !callee->doesNotAccessMemory();
}

// LLVM takes such a phi for its one value. Threads that came the other way have any, and must not give it to others.
bool is_undefined_for_some(const PHINode& phi) {
  return any_of(phi.incoming_values(), [](const Use& v) { return isa<UndefValue>(v); });
}

/// What LLVM's analysis asks of a target.
class ThreadsOfABlock : public TargetTransformInfoImplCRTPBase<ThreadsOfABlock> {
 public:
  ThreadsOfABlock(const DataLayout& layout, const Value* shared, const SmallPtrSetImpl<const PHINode*>& parted)
      : TargetTransformInfoImplCRTPBase(layout), shared_(shared), parted_(parted) {}

  bool hasBranchDivergence(const Function* = nullptr) const { return true; }

  bool isSourceOfDivergence(const Value* value) const {
    if (auto* load = dyn_cast<LoadInst>(value))
      return load->isVolatile() || load->isAtomic() || load->hasMetadata(kFound);
    if (auto* phi = dyn_cast<PHINode>(value)) return is_undefined_for_some(*phi) || parted_.contains(phi);
    if (auto* call = dyn_cast<CallInst>(value)) return !isAlwaysUniform(value) && call_differs(*call);
    return value != shared_ && isa<AllocaInst, AtomicRMWInst, AtomicCmpXchgInst, VAArgInst>(value);
  }

  // A barrier that counts tells all threads the same number.
  bool isAlwaysUniform(const Value* value) const {
    auto* instruction = const_cast<Instruction*>(dyn_cast<Instruction>(value));
    const CallInst* point = instruction ? as_sync(*instruction) : nullptr;
    return point && sync_kind(*point) == LANZA_SYNC_BARRIER_COUNT;
  }

 private:
  const Value* shared_;
  const SmallPtrSetImpl<const PHINode*>& parted_;
};

}  // namespace

// Whether ways from elsewhere than a loop of its own meet in the block.
static bool joins(BasicBlock& block, const DominatorTree& dominators) {
  return count_if(predecessors(&block), [&](BasicBlock* from) { return !dominators.dominates(&block, from); }) > 1;
}

// Phis that LLVM 19 takes for uniform although threads have parted in front of all ways to them: it misses some where
// one of the ways may also leave the kernel.
static bool find_parted(Function& function, const UniformityInfo& info, const DominatorTree& dominators,
                        SmallPtrSetImpl<const PHINode*>& parted) {
  const size_t known = parted.size();
  for (BasicBlock& block : function) {
    const DomTreeNode* node = dominators.getNode(&block);
    if (!node || !node->getIDom() || !joins(block, dominators)) continue;
    if (!info.isDivergent(node->getIDom()->getBlock()->getTerminator())) continue;
    for (PHINode& phi : block.phis())
      if (!phi.hasConstantValue() && info.isUniform(&phi)) parted.insert(&phi);
  }
  return parted.size() > known;
}

BlockUniformity::BlockUniformity(Function& function, const Value* shared) : erased_(function, "BlockUniformity") {
  analyses_.registerPass([&] {
    return TargetIRAnalysis([this, shared](const Function& f) {
      return TargetTransformInfo(ThreadsOfABlock(f.getParent()->getDataLayout(), shared, parted_));
    });
  });
  analyses_.registerPass([] { return PassInstrumentationAnalysis(); });
  analyses_.registerPass([] { return DominatorTreeAnalysis(); });
  analyses_.registerPass([] { return CycleAnalysis(); });
  analyses_.registerPass([] { return UniformityInfoAnalysis(); });
  info_ = &analyses_.getResult<UniformityInfoAnalysis>(function);
  while (find_parted(function, *info_, analyses_.getResult<DominatorTreeAnalysis>(function), parted_)) {
    analyses_.clear();
    info_ = &analyses_.getResult<UniformityInfoAnalysis>(function);
  }
  cycles_ = &analyses_.getResult<CycleAnalysis>(function);
}

// LLVM says of each use whether it sees another value there: threads that leave a loop in different turns do. A phi
// where they come out of the loop is a value of its own, as LCSSA form has it; loops with two entries are never in that
// form.
bool BlockUniformity::is_uniform(const Value& value) const {
  erased_.ask();
  if (!info_->isUniform(&value)) return false;
  auto* instruction = dyn_cast<Instruction>(&value);
  const Cycle* cycle = instruction ? cycles_->getCycle(instruction->getParent()) : nullptr;
  if (!cycle) return true;
  return none_of(value.uses(), [&](const Use& use) {
    auto* user = cast<Instruction>(use.getUser());
    auto* phi = dyn_cast<PHINode>(user);
    return !cycle->contains(phi ? phi->getIncomingBlock(use) : user->getParent()) && info_->isDivergentUse(use);
  });
}

}  // namespace lanza::compiler
