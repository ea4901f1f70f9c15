#include "compiler/passes/translate_asm.hpp"

#include <stdexcept>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>

#include "compiler/frontend/embedded.hpp"
#include "compiler/passes/ptx/translate.hpp"

using namespace llvm;

// prelude/ptx_functions.cu as bitcode, made by cmake/Prelude.cmake.
extern "C" const lanza::compiler::EmbeddedFile lanza_embedded_ptx_functions[];

namespace lanza::compiler {

static SmallVector<CallInst*, 16> asm_calls(Module& module) {
  SmallVector<CallInst*, 16> calls;
  for (Function& f : module)
    for (Instruction& i : instructions(f))
      if (auto* call = dyn_cast<CallInst>(&i); call && call->isInlineAsm()) calls.push_back(call);
  return calls;
}

static Function* translated(const CallInst& call, Module& module) {
  try {
    return ptx::translate(call, module);
  } catch (const ptx::Problem& problem) {
    throw std::runtime_error("inline PTX \"" + problem.statement + "\": " + problem.why);
  }
}

// Lazily: only the functions that are called are read.
static void link_functions(Module& module) {
  const EmbeddedFile& file = lanza_embedded_ptx_functions[0];
  auto functions = getLazyBitcodeModule(MemoryBufferRef({file.data, file.size}, file.name), module.getContext());
  if (!functions) report_fatal_error(functions.takeError());
  if (Linker::linkModules(module, std::move(*functions), Linker::LinkOnlyNeeded))
    report_fatal_error("the functions of inline PTX cannot be linked");
}

PreservedAnalyses TranslateAsmPass::run(Module& module, ModuleAnalysisManager&) {
  const auto calls = asm_calls(module);
  if (calls.empty()) return PreservedAnalyses::all();
  for (CallInst* call : calls) {
    call->setCalledFunction(translated(*call, module));
    call->setAttributes({});
  }
  link_functions(module);
  return PreservedAnalyses::none();
}

}  // namespace lanza::compiler
