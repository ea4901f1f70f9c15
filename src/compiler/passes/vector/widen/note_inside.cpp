#include "compiler/passes/vector/widen/note_inside.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/fold_reflect.hpp"
#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/retarget.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/analysis/static_shared.hpp"

using namespace llvm;

namespace lanza::compiler {

// One way of a condition.
static bool is_behind_condition(const BasicBlock& block) {
  const BasicBlock* before = block.getSinglePredecessor();
  return before && before->getTerminator()->getNumSuccessors() > 1;
}

void note_inside(Function& kernel, const GroupShape& group) {
  const int64_t end = module_flag(*kernel.getParent(), kSharedBytes, 0);
  SmallVector<LoadInst*, 16> loads;
  for (Instruction& i : instructions(kernel))
    if (auto* load = dyn_cast<LoadInst>(&i); load && load->isSimple() && is_behind_condition(*load->getParent()) &&
                                             is_shared_memory(load->getPointerOperand()))
      loads.push_back(load);
  if (loads.empty() || end == 0) return;
  const Shapes shapes(kernel, group);
  PassRunner runner(nullptr);
  auto& evolution = runner.functions().getResult<ScalarEvolutionAnalysis>(kernel);
  for (LoadInst* load : loads) {
    Value& address = *load->getPointerOperand();
    const uint64_t size = kernel.getDataLayout().getTypeStoreSize(load->getType()).getFixedValue();
    if (shapes.is_uniform(&address) && is_in_shared(address, size, end, evolution))
      load->setMetadata(kInside, MDNode::get(kernel.getContext(), {}));
  }
}

}  // namespace lanza::compiler
