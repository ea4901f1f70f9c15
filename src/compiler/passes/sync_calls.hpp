// Synchronisation points in IR: calls of __lanza_sync(kind, id, mask, operand, aux), as the prelude and the passes make
// them.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>

#include "compiler/sync_kinds.h"

namespace lanza::compiler {

inline constexpr char kSyncName[] = "__lanza_sync";

/// Metadata of a barrier that few blocks of a grid come to: those at its edges.
inline constexpr char kSeldom[] = "lanza.seldom";

/// The operands of a point, in the order of the call.
enum SyncOperand : unsigned { kSyncKind, kSyncId, kSyncMask, kSyncValue, kSyncAux };

/// The call if `instruction` is a synchronisation point, else null.
llvm::CallInst* as_sync(llvm::Instruction& instruction);
/// The kind of a point; kinds are always constants.
LanzaSyncKind sync_kind(const llvm::CallInst& point);
/// True for the kinds at which lanes of one warp meet: warp operations and lock step.
bool is_of_warp(LanzaSyncKind kind);
/// The call if `instruction` is a point of another kind.
llvm::CallInst* as_block_sync(llvm::Instruction& instruction);
/// True when `function` itself holds a point.
bool has_sync(llvm::Function& function);
/// True when it holds one of that kind.
bool has_sync(llvm::Function& function, LanzaSyncKind kind);
/// How many it holds, also as the front end writes barriers.
unsigned count_points(llvm::Function& function);
/// True when the loop, or one in it, holds a point.
bool has_sync(const llvm::Loop& loop);
/// A new point before `before`, with its source line. `id` is LOCKSTEP's and ACTIVEMASK's place: its low byte goes to
/// id, all of it to aux.
llvm::CallInst* emit_sync(llvm::Instruction* before, LanzaSyncKind kind, unsigned id, llvm::Value* operand = nullptr);
/// A barrier that the source does not have, and so without a line: regions shall begin there.
llvm::CallInst* emit_own_barrier(llvm::Instruction* before);

}  // namespace lanza::compiler
