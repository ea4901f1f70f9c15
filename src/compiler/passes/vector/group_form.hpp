// The group form: one call of the function runs one group of lanes.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace lanza::compiler {

inline constexpr char kGroup[] = "lanza.group";  ///< i32 (i32 axis): the thread index of the group's lane 0

inline constexpr char kAll[] = "lanza.all";  ///< i1 (i1): true for all active lanes of the group
inline constexpr char kAny[] = "lanza.any";  ///< i1 (i1): true for one of them

/// Metadata of an operation that all lanes do: its flags (nsw, nuw) hold in each of them.
inline constexpr char kInAllLanes[] = "lanza.in-all-lanes";

/// Metadata of accesses to what a group keeps from one region to the next: which slot, and in which region. Nothing
/// else accesses that memory.
inline constexpr char kSlot[] = "lanza.slot";

/// i32 (): how many blocks of the grid's x run as one, see GroupShape::whole_rows.
inline constexpr char kBlocks[] = "lanza.blocks";

/// A call of lanza.blocks where the builder stands.
llvm::CallInst* emit_block_count(llvm::IRBuilderBase& b);

/// void (i32 x, i32 y, i32 z): which thread of the group makes the call behind it: one that ends the launch or stops,
/// or of a function that was not inlined.
inline constexpr char kThread[] = "lanza.thread";

/// ptr (): 8 bytes for each of 64 lanes that nobody reads.
inline constexpr char kScratch[] = "lanza.scratch";

/// A call of lanza.scratch where the builder stands.
llvm::CallInst* emit_scratch(llvm::IRBuilderBase& b);

/// In: a `run` function with calls of lanza.scratch. Out: they are a variable of it.
void lower_scratch(llvm::Function& run);

/// i32 (): which lane of the group a thread is. Only before widening.
inline constexpr char kLane[] = "lanza.lane";

/// A call of lanza.lane where the builder stands.
llvm::CallInst* emit_lane(llvm::IRBuilderBase& b);

/// A call of lanza.group where the builder stands.
llvm::CallInst* emit_group_index(llvm::IRBuilderBase& b, unsigned axis);

/// A call of lanza.all or lanza.any where the builder stands.
llvm::CallInst* emit_collective(llvm::IRBuilderBase& b, const char* name, llvm::Value* condition);

}  // namespace lanza::compiler
