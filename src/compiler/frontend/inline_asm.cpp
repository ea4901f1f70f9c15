#include "compiler/frontend/inline_asm.hpp"

#include <clang/Frontend/CompilerInstance.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "compiler/passes/ptx/translate.hpp"

using namespace llvm;

namespace lanza::compiler {

// clang notes where each line of the text begins.
static clang::SourceLocation location_of(const CallBase& call, unsigned line) {
  const MDNode* node = call.getMetadata("srcloc");
  if (!node || node->getNumOperands() == 0) return {};
  const unsigned last = node->getNumOperands() - 1;
  auto* encoded = mdconst::dyn_extract<ConstantInt>(node->getOperand(std::min(line, last)));
  return encoded ? clang::SourceLocation::getFromRawEncoding(static_cast<unsigned>(encoded->getZExtValue()))
                 : clang::SourceLocation();
}

void check_inline_asm(clang::CompilerInstance& instance, Module& module) {
  clang::DiagnosticsEngine& diagnostics = instance.getDiagnostics();
  const unsigned id = diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                  "inline PTX \"%0\": %1; the CPU device cannot run it: use CUDA C++, "
                                                  "or run the kernel on a CUDA device");
  Module scratch("asm", module.getContext());
  scratch.setDataLayout(module.getDataLayout());
  for (Function& function : module)
    for (Instruction& instruction : instructions(function)) {
      auto* call = dyn_cast<CallBase>(&instruction);
      if (!call || !call->isInlineAsm()) continue;
      try {
        ptx::translate(*call, scratch);
      } catch (const ptx::Problem& problem) {
        diagnostics.Report(location_of(*call, problem.line), id) << problem.statement << problem.why;
      }
    }
}

}  // namespace lanza::compiler
