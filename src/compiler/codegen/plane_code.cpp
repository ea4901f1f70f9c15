#include "compiler/codegen/plane_code.hpp"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/codegen/vector_engine.hpp"
#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/vector/groups/fill_registers.hpp"
#include "compiler/passes/vector/groups/overlap_turns.hpp"
#include "compiler/passes/vector/groups/take_index_planes.hpp"
#include "compiler/passes/vector/groups/turn_axes.hpp"
#include "compiler/passes/vector/groups/whole_rows.hpp"
#include "compiler/passes/vector/run/plane_launch.hpp"
#include "compiler/passes/vector/scalars/fold_rings.hpp"
#include "compiler/passes/vector/scalars/version_quotients.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr char kPlaneRun[] = "lanza.planes.run", kPlaneLaunch[] = "lanza.planes";

static void link(Module& to, std::unique_ptr<Module> from) {
  if (Linker::linkModules(to, std::move(from))) report_fatal_error("code of planes cannot be linked");
}

static std::unique_ptr<Module> make_launch(const Function& kernel, const IndexPlanes& planes, unsigned block_size) {
  const Module& module = *kernel.getParent();
  auto launch = std::make_unique<Module>(kPlaneLaunch, module.getContext());
  launch->setTargetTriple(module.getTargetTriple());
  launch->setDataLayout(module.getDataLayout());
  auto* pointer = PointerType::getUnqual(module.getContext());
  auto* type = FunctionType::get(Type::getInt32Ty(module.getContext()), {pointer, pointer, pointer}, false);
  Function* run = Function::Create(type, GlobalValue::ExternalLinkage, kPlaneRun, *launch);
  make_plane_launch(*launch, *run, kernel, planes, block_size)->setName(kPlaneLaunch);
  StripDebugInfo(*launch);  // of the module that `kernel` is in, which is gone then
  return launch;
}

// Null: the vector engine refuses it. In group form; `group` is changed to what it was made for.
static Function* make_groups(Function& kernel, GroupShape& group, unsigned bits, TargetMachine& host) {
  if (!why_no_vectors(kernel, group).words.empty()) return nullptr;
  PassRunner scalars(nullptr);
  fold_rings(kernel, group, scalars);
  turn_axes(kernel, group);
  const unsigned lanes = group.lanes;
  if (bits) group = fill_registers(kernel, group, bits, scalars, host);
  scalars.clear();
  if (bits && group.lanes == lanes) group = overlap_turns(kernel, group, scalars.functions(), host);
  take_whole_rows(kernel, group);
  const GroupCode code = widen_kernel(kernel, group, host);
  return code.function && !verifyFunction(*code.function) ? code.function : nullptr;
}

std::optional<PlaneCode> make_plane_code(Function& kernel, const GroupShape& group, unsigned bits, TargetMachine& host,
                                         const std::string& target) {
  if (group.lanes == 1 || !may_have_index_planes(kernel, group)) return {};
  std::unique_ptr<Module> module = CloneModule(*kernel.getParent());
  IndexPlanes planes;
  Function& copy = *spell_strides(*module->getFunction(kernel.getName()), planes.quotients);
  if (!find_index_planes(copy, group, planes)) return {};
  const bool is_for_all = planes.in_rows && !planes.threads && planes.quotients.empty();
  std::unique_ptr<Module> launch = make_launch(copy, planes, group.block[0]);
  GroupShape of_planes = GroupShape::of(group.lanes, kPlaneBlock);
  const Function* groups = make_groups(*take_index_planes(copy, planes), of_planes, bits, host);
  if (!groups) return {};
  if (is_for_all) kernel.addFnAttr(kRowsElsewhere);
  return PlaneCode{std::move(launch),
                   std::make_unique<CodeBeside>(*groups, of_planes, BlockPart::All, target, kPlaneRun)};
}

Function* add_plane_launch(Function& run, std::unique_ptr<Module> planes) {
  Module& module = *run.getParent();
  link(module, std::move(planes));
  module.getFunction(kPlaneLaunch)->setLinkage(GlobalValue::InternalLinkage);
  module.getFunction(kPlaneRun)->setVisibility(GlobalValue::HiddenVisibility);
  Function* launch = module.getFunction(kPlaneLaunch);
  auto* both = Function::Create(run.getFunctionType(), GlobalValue::InternalLinkage, "run.either", module);
  both->setAttributes(AttributeList::get(both->getContext(), AttributeList::FunctionIndex,
                                         AttrBuilder(both->getContext(), run.getAttributes().getFnAttrs())));
  launch->setAttributes(both->getAttributes());
  auto make = [&](const char* name) { return BasicBlock::Create(both->getContext(), name, both); };
  BasicBlock *entry = make("entry"), *done = make("done"), *other = make("other");
  const SmallVector<Value*, 3> arguments{both->getArg(0), both->getArg(1), both->getArg(2)};
  IRBuilder<> b(entry);
  Value* status = b.CreateCall(launch, arguments);
  b.CreateCondBr(b.CreateICmpSGE(status, b.getInt32(0)), done, other);
  b.SetInsertPoint(done);
  b.CreateRet(status);
  b.SetInsertPoint(other);
  b.CreateRet(b.CreateCall(&run, arguments));
  return both;
}

}  // namespace lanza::compiler
