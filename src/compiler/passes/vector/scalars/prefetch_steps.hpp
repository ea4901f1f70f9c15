// Memory that the next turn of a loop around barriers reads or writes is asked for early.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form, loops in simplified form. Out: in loops with synchronisation points, in front of accesses
/// that each turn makes, in all threads or always the same ones (the halo of a tile), at addresses that go by a step
/// which is the same for all lanes and long or not known: llvm.prefetch of the address turns_to_memory() steps further.
/// Into which cache: fetches_to_second_cache(). A block that goes from plane to plane of a volume comes to a new page
/// with each turn, where the processor's own prefetcher does not follow. Where four blocks of a row go side by side it
/// may follow what they read (follows_rows()), and only what they write is asked for (a 3-D stencil on Intel: 0.95 of
/// the time for 128^3, 0.9 for 512 x 512 x 16, 1.04 for 96^3). Not where blocks of a row run as one, whose long rows it
/// follows as well (waves of 128^3 take 1.2 of the time with requests; seven points that hand planes on in registers
/// 0.8). True when something changed.
bool prefetch_steps(llvm::Function& kernel, const GroupShape& group, const llvm::LoopInfo& loops,
                    const llvm::DominatorTree& dominators, llvm::ScalarEvolution& evolution,
                    const llvm::TargetMachine& host);

}  // namespace lanza::compiler
