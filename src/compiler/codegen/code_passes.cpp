#include "compiler/codegen/code_passes.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/codegen/note_moves.hpp"
#include "compiler/codegen/undef_operands.hpp"

using namespace llvm;

namespace lanza::compiler {

static bool has_variables(const Module& module) {
  return any_of(module.debug_compile_units(),
                [](const DICompileUnit* unit) { return unit->getEmissionKind() == DICompileUnit::FullDebug; });
}

static bool has_freezes(const Module& module) {
  return any_of(module, [](const Function& f) {
    return any_of(instructions(f), [](const Instruction& i) { return isa<FreezeInst>(i); });
  });
}

CodePasses::CodePasses(const Module& module)
    : has_variables_(has_variables(module)), has_freezes_(has_freezes(module)) {}

void CodePasses::add(Pass* pass) {
  const StringRef name = pass->getPassName();
  if ((name == "Live DEBUG_VALUE analysis" && !has_variables_) ||
      (name == "Canonicalize Freeze Instructions in Loops" && !has_freezes_))
    return delete pass;
  if (name == "BreakFalseDeps") PassManager::add(make_define_operands());
  if (name == "X86 Assembly Printer") PassManager::add(make_note_moves());
  PassManager::add(pass);
}

}  // namespace lanza::compiler
