// A rotated loop whose threads leave by an index of their own, and how it becomes a copy that all run together and a
// rest.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/scalars/copied_blocks.hpp"

namespace lanza::compiler {

/// A loop with its guard:
///   guard: branch to before or after;  before: only goes to header;  header ... latch: branch to header or exit;
///   exit: only phis, goes to after.
struct StridedLoop {
  llvm::Loop* loop;
  llvm::BasicBlock *guard, *before, *header, *latch, *exit, *after;
  llvm::BranchInst *enters, *repeats;
};

/// On the branch of a latch: the loop is what a copy left over.
inline constexpr char kRestOfLoop[] = "lanza.rest";

/// `if (i < n) do { ... i += all; } while (i < n)`, whose loop is entered by `first`, and which goes on with
/// `otherwise`: that all lanes begin says little.
bool is_loop_guard(llvm::BasicBlock* first, llvm::BasicBlock* otherwise, const llvm::LoopInfo& loops,
                   const Shapes& shapes);

/// True where the loop has that form, whatever stands in `before`, holds no synchronisation point and is small enough.
bool match_guarded_loop(llvm::Loop& loop, StridedLoop& found);

/// True where the loop has that form, holds no synchronisation point and is small enough to be copied. May move what
/// stands before the loop in front of its guard.
bool match_strided_loop(llvm::Loop& loop, StridedLoop& found);

/// Of a loop as match_guarded_loop() finds it: whether what stands before it may be done twice, in front of a copy and
/// in front of the rest. It reads memory that the loop does not write.
bool reads_before(const StridedLoop& l);

/// Whether the loop is left by its latch alone, and small enough to be copied. Where no guard stands in front of it
/// (match_guarded_loop()) each thread that comes to it has a turn at least, and take_unguarded() gives it that form,
/// with `enters` unconditional.
bool has_one_way_out(llvm::Loop& loop);
StridedLoop take_unguarded(llvm::Loop& loop, const llvm::DominatorTree& dominators, const llvm::LoopInfo& loops);

/// Whether all threads that must stay together go on: given the thread's own condition, before the guard's branch
/// (`in_copy` false) or that of the copy's latch.
using GoOn = llvm::function_ref<llvm::Value*(llvm::IRBuilder<>& b, llvm::Value* more, bool in_copy)>;

/// From the guard control goes into a copy of the loop or to `rest`, from the copy's latch likewise; from there to the
/// loop, for threads that have more to do, or behind it. `copied` is the copy: of all of the loop's blocks, and of
/// `before` where that is not empty.
void enter_copy(const StridedLoop& l, const CopiedBlocks& copied, GoOn all_go_on);

}  // namespace lanza::compiler
