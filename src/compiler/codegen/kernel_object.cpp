#include "compiler/codegen/kernel_object.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/ErrorHandling.h>

#include "compiler/kernel_abi.h"
#include "compiler/passes/abi_types.hpp"

using namespace llvm;

namespace lanza::compiler {

static void hide_functions(Module& module) {
  for (Function& f : module)
    if (!f.isDeclaration()) f.setLinkage(GlobalValue::InternalLinkage);
}

void export_only(Module& module, Function& run, StringRef name) {
  hide_functions(module);
  run.setName(name);
  run.setLinkage(GlobalValue::ExternalLinkage);
  run.setVisibility(GlobalValue::HiddenVisibility);
}

Function* add_question(Module& module, std::unique_ptr<Module> question, StringRef name) {
  question->setTargetTriple(module.getTargetTriple());
  question->setDataLayout(module.getDataLayout());
  if (Linker::linkModules(module, std::move(question)))
    report_fatal_error("a question about launches cannot be linked");
  return module.getFunction(name);
}

void add_kernel_object(Module& module, const KernelObject& object) {
  LLVMContext& c = module.getContext();
  AbiTypes types(c);
  hide_functions(module);
  auto* text = ConstantDataArray::getString(c, object.report);
  auto* report = new GlobalVariable(module, text->getType(), true, GlobalValue::PrivateLinkage, text, "report");
  auto word = [&](uint64_t v) { return ConstantInt::get(types.i32, v); };
  auto wide = [&](uint64_t v) { return ConstantInt::get(types.i64, v); };
  auto or_null = [&](Function* f) -> Constant* { return f ? f : Constant::getNullValue(types.pointer); };
  Constant* value = ConstantStruct::get(
      types.kernel_object, {word(LANZA_KERNEL_ABI), word(object.flags), object.run, wide(object.shared_bytes),
                            ConstantDataArray::get(c, object.block), word(object.lanes), wide(object.frame_bytes),
                            report, wide(object.context_bytes), word(object.lane_axis), word(object.row),
                            wide(object.counter_bytes), or_null(object.fits), or_null(object.blocks)});
  // NOLINTBEGIN(clang-analyzer-cplusplus.NewDeleteLeaks): the module owns both variables.
  new GlobalVariable(module, types.kernel_object, true, GlobalValue::ExternalLinkage, value, LANZA_KERNEL_SYMBOL);
}
// NOLINTEND(clang-analyzer-cplusplus.NewDeleteLeaks)

}  // namespace lanza::compiler
