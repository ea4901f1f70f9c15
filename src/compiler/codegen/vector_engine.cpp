#include "compiler/codegen/vector_engine.hpp"

#include <llvm/IR/InstIterator.h>

#include "compiler/passes/hidden_context.hpp"
#include "compiler/passes/implicit_points.hpp"
#include "compiler/passes/note_lanes.hpp"
#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/uniform_barriers.hpp"

using namespace llvm;

namespace lanza::compiler {

static bool has_dynamic_allocas(Function& kernel) {
  return any_of(instructions(kernel), [](Instruction& i) {
    auto* array = dyn_cast<AllocaInst>(&i);
    return array && !array->isStaticAlloca();
  });
}

Reason why_no_groups(Function& kernel, const GroupShape&) {
  if (!has_sync(kernel) && none_of(*kernel.getParent(), has_sync)) return {};
  for (Function& f : *kernel.getParent()) {
    if (f.hasFnAttribute(kBlockingAttribute)) return {"a loop of the kernel waits for other threads"};
    if (&f != &kernel && has_sync(f)) return {"a function that was not inlined has synchronisation points"};
  }
  if (has_dynamic_allocas(kernel)) return {"the size of a private array is not constant"};
  isolate_points(kernel);
  return why_barriers_diverge(kernel, BlockUniformity(kernel));
}

RunForm build_groups(Function& kernel, const GroupShape& group, TargetMachine& host) {
  Module& module = *kernel.getParent();
  RunForm form = make_run_form(kernel, group);
  kernel.eraseFromParent();
  PassRunner runner(&host);
  runner.run_on_functions(
      module,
      "sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
      "loop-simplify,lcssa,loop-mssa(licm,simple-loop-unswitch<nontrivial>),simplifycfg,"
      "loop-simplify,lcssa,loop(indvars),sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-fixpoint>,dse,"
      "simplifycfg,loop-simplify,lcssa,loop-mssa(licm),instcombine<no-verify-fixpoint>,simplifycfg");
  note_lanes(*form.run);
  return form;
}

}  // namespace lanza::compiler
