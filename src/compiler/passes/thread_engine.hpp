// A kernel becomes a coroutine, one frame a CUDA thread; every synchronisation point is a suspend.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/passes/pass_runner.hpp"

namespace lanza::compiler {

struct ThreadEngine {
  llvm::Function* start = nullptr;  ///< LanzaThreads::start
  bool nested = false;              ///< functions that wait are recursive: their calls are coroutines of their own
  uint64_t frame_bytes = 0, frame_align = 0;
};

/// In: host IR (after RetargetPass) of a kernel. Out: the presplit coroutine `start(frame, block, x, y, z)`; its
/// promise is a LanzaRecord (or LanzaNestedRecord) at frame + 16. At a point it stores kind, id and aux in one word,
/// mask and operand where the kind has them, and suspends; the result is the record's operand. At its end it stores
/// DONE. There is no final suspend and nobody destroys a frame. Functions that were not inlined: those that wait become
/// nested coroutines on the thread's own frame stack, which store RETURN; the others take the record as a hidden
/// parameter.
ThreadEngine make_coroutine(llvm::Function& kernel);

/// Splits the coroutines: afterwards `start` runs a thread to its first point, and its frame holds the function to
/// resume it. What the split may compute again after a suspend is not kept in the frame: arithmetic, as LLVM does, and
/// loads of the context. Fills in frame_bytes and frame_align.
void split_coroutines(llvm::Module& module, ThreadEngine& engine, PassRunner& runner);

/// The object's `run` function: LanzaServices::run_threads with this kernel's LanzaThreads.
llvm::Function* make_thread_runner(llvm::Module& module, const ThreadEngine& engine);

}  // namespace lanza::compiler
