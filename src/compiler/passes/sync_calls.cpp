#include "compiler/passes/sync_calls.hpp"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

using namespace llvm;

namespace lanza::compiler {

CallInst* as_sync(Instruction& instruction) {
  auto* call = dyn_cast<CallInst>(&instruction);
  if (!call || !call->getCalledFunction()) return nullptr;
  return call->getCalledFunction()->getName() == kSyncName ? call : nullptr;
}

LanzaSyncKind sync_kind(const CallInst& point) {
  return static_cast<LanzaSyncKind>(cast<ConstantInt>(point.getArgOperand(kSyncKind))->getZExtValue());
}

bool is_of_warp(LanzaSyncKind kind) {
  return (kind >= LANZA_SYNC_WARP && kind <= LANZA_SYNC_REDUCE) || kind == LANZA_SYNC_LOCKSTEP ||
         kind == LANZA_SYNC_ACTIVEMASK;
}

CallInst* as_block_sync(Instruction& instruction) {
  CallInst* point = as_sync(instruction);
  return point && !is_of_warp(sync_kind(*point)) ? point : nullptr;
}

bool has_sync(Function& function) {
  for (Instruction& i : instructions(function))
    if (as_sync(i)) return true;
  return false;
}

bool has_sync(Function& function, LanzaSyncKind kind) {
  for (Instruction& i : instructions(function))
    if (CallInst* point = as_sync(i); point && sync_kind(*point) == kind) return true;
  return false;
}

unsigned count_points(Function& function) {
  return count_if(instructions(function), [](Instruction& i) {
    auto* call = dyn_cast<CallInst>(&i);
    const Function* callee = call ? call->getCalledFunction() : nullptr;
    return as_sync(i) || (callee && callee->getName().starts_with("llvm.nvvm.barrier0"));
  });
}

bool has_sync(const Loop& loop) {
  return any_of(loop.blocks(), [](BasicBlock* b) { return any_of(*b, [](Instruction& i) { return as_sync(i); }); });
}

CallInst* emit_sync(Instruction* before, LanzaSyncKind kind, unsigned id, Value* operand) {
  Module& module = *before->getModule();
  IRBuilder<> b(before);
  Type *i32 = b.getInt32Ty(), *i64 = b.getInt64Ty();
  FunctionCallee sync = module.getOrInsertFunction(kSyncName, i64, i32, i32, i32, i64, i32);
  cast<Function>(sync.getCallee())->addFnAttr(Attribute::Convergent);
  DISubprogram* subprogram = before->getFunction()->getSubprogram();
  if (!before->getDebugLoc() && subprogram)
    b.SetCurrentDebugLocation(DILocation::get(module.getContext(), subprogram->getLine(), 0, subprogram));
  const bool placed = kind == LANZA_SYNC_LOCKSTEP || kind == LANZA_SYNC_ACTIVEMASK;
  return b.CreateCall(sync, {b.getInt32(kind), b.getInt32(placed ? id & 255 : id), b.getInt32(0),
                             operand ? operand : b.getInt64(0), b.getInt32(placed ? id : 0)});
}

CallInst* emit_own_barrier(Instruction* before) {
  CallInst* point = emit_sync(before, LANZA_SYNC_BARRIER, 0);
  point->setDebugLoc({});
  return point;
}

}  // namespace lanza::compiler
