#include "compiler/passes/vector/widen/whole_loads.hpp"

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/fold_reflect.hpp"
#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/retarget.hpp"
#include "compiler/passes/vector/analysis/shared_reach.hpp"
#include "compiler/passes/vector/analysis/static_shared.hpp"
#include "compiler/passes/vector/group_form.hpp"

using namespace llvm;

namespace lanza::compiler {

static SmallVector<IntrinsicInst*, 16> loads_of_shared(Function& kernel) {
  SmallVector<IntrinsicInst*, 16> loads;
  for (Instruction& i : instructions(kernel)) {
    auto* load = dyn_cast<IntrinsicInst>(&i);
    if (!load || load->getIntrinsicID() != Intrinsic::masked_load) continue;
    // Masks that are constants become shorter vectors (narrow_masks()).
    if (isa<Constant>(load->getArgOperand(2)) || !is_shared_memory(load->getArgOperand(0))) continue;
    loads.push_back(load);
  }
  return loads;
}

bool load_whole_vectors(Function& kernel, const GroupShape& group) {
  const SmallVector<IntrinsicInst*, 16> loads = loads_of_shared(kernel);
  if (loads.empty()) return false;
  note_group_ranges(kernel, group);
  PassRunner runner(nullptr);
  auto& evolution = runner.functions().getResult<ScalarEvolutionAnalysis>(kernel);
  const DataLayout& layout = kernel.getDataLayout();
  const int64_t end = int64_t{group.blocks} * module_flag(*kernel.getParent(), kSharedBytes, 0);
  auto lies_before = [&](IntrinsicInst& load, int64_t byte) {
    const uint64_t size = layout.getTypeStoreSize(load.getType()).getFixedValue();
    return is_in_shared(*load.getArgOperand(0), size, byte, evolution);
  };
  const auto gaps = shared_gaps(*kernel.getParent());
  bool changed = false;
  for (IntrinsicInst* load : loads) {
    if (!lies_before(*load, end)) continue;
    if (!gaps.empty() && load->getType()->isFPOrFPVectorTy() && !lies_before(*load, gaps.front().first))
      kernel.getParent()->setModuleFlag(Module::Max, kReadsGaps,
                                        ConstantInt::get(Type::getInt32Ty(kernel.getContext()), 1));
    IRBuilder<> b(load);
    LoadInst* whole = b.CreateAlignedLoad(load->getType(), load->getArgOperand(0),
                                          cast<ConstantInt>(load->getArgOperand(1))->getAlignValue());
    whole->copyMetadata(*load);
    Value* others = load->getArgOperand(3);  // zeros, which nobody looks at, or what another load brought
    load->replaceAllUsesWith(isa<Constant>(others) ? whole : b.CreateSelect(load->getArgOperand(2), whole, others));
    load->eraseFromParent();
    changed = true;
  }
  return changed;
}

}  // namespace lanza::compiler
