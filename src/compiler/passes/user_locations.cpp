#include "compiler/passes/user_locations.hpp"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include "compiler/virtual_paths.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

enum FailArgument : unsigned { kFile = 2, kLine = 3 };

bool is_of_prelude(const DILocation& place) { return is_virtual_prelude(place.getFilename()); }

DILocation* user_location(DILocation* place) {
  DILocation* at = place;
  while (at && is_of_prelude(*at)) at = at->getInlinedAt();
  return at ? at : place;
}

void move_to_user(Instruction& instruction) {
  if (DILocation* place = instruction.getDebugLoc()) instruction.setDebugLoc(user_location(place));
  for (DbgRecord& record : make_early_inc_range(instruction.getDbgRecordRange()))
    if (DILocation* place = record.getDebugLoc(); place && is_of_prelude(*place)) record.eraseFromParent();
}

void name_place(CallInst& call) {
  const DILocation* place = call.getDebugLoc();
  if (!place || !isa<ConstantPointerNull>(call.getArgOperand(kFile))) return;
  IRBuilder<> b(&call);
  call.setArgOperand(kFile, b.CreateGlobalString(place->getFilename(), "file"));
  call.setArgOperand(kLine, b.getInt32(place->getLine()));
}

}  // namespace

PreservedAnalyses UserLocationsPass::run(Function& function, FunctionAnalysisManager&) {
  for (Instruction& instruction : instructions(function)) {
    move_to_user(instruction);
    auto* call = dyn_cast<CallInst>(&instruction);
    const Function* callee = call ? call->getCalledFunction() : nullptr;
    if (callee && callee->getName() == "__lanza_fail") name_place(*call);
  }
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

}  // namespace lanza::compiler
