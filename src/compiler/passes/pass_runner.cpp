#include "compiler/passes/pass_runner.hpp"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Module.h>

using namespace llvm;

namespace lanza::compiler {

static PipelineTuningOptions tuning() {
  PipelineTuningOptions options;
  options.LoopVectorization = true;
  options.LoopInterleaving = true;
  options.SLPVectorization = false;
  return options;
}

PassRunner::PassRunner(TargetMachine* machine) : builder_(machine, tuning()) {
  TargetLibraryInfoImpl none(machine ? machine->getTargetTriple() : Triple());
  none.disableAllFunctions();
  functions_.registerPass([&] { return TargetLibraryAnalysis(none); });
  builder_.registerModuleAnalyses(modules_);
  builder_.registerCGSCCAnalyses(components_);
  builder_.registerFunctionAnalyses(functions_);
  builder_.registerLoopAnalyses(loops_);
  builder_.crossRegisterProxies(loops_, functions_, components_, modules_);
}

void PassRunner::clear() {
  loops_.clear();
  functions_.clear();
  components_.clear();
  modules_.clear();
}

void PassRunner::run(Module& module, ModulePassManager& passes) {
  passes.run(module, modules_);
  clear();
}

void PassRunner::run(Module& module, StringRef pipeline) {
  ModulePassManager passes;
  cantFail(builder_.parsePassPipeline(passes, pipeline));
  run(module, passes);
}

void PassRunner::run_on_functions(Module& module, StringRef pipeline) {
  FunctionPassManager passes;
  cantFail(builder_.parsePassPipeline(passes, pipeline));
  for (Function& f : module)
    if (!f.isDeclaration()) passes.run(f, functions_);
  clear();
}

void PassRunner::run(Function& function, StringRef pipeline) {
  FunctionPassManager passes;
  cantFail(builder_.parsePassPipeline(passes, pipeline));
  passes.run(function, functions_);
  clear();
}

}  // namespace lanza::compiler
