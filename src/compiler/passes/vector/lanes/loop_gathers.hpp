// Gathers and scatters that hardly any group comes to.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// Whether `run` has so many gathers and scatters that kLanesAtEdge marks, and the host has no instruction for, that
/// they become loops: fewer are compiled soon enough, and take 0.9 of the time where each seventh group is at an edge.
bool loops_at_edges(llvm::Function& run, const llvm::TargetTransformInfo& host);

/// In: run form at its end. Out: gathers of more than 16 bytes or shorts by some lanes, as of groups at an edge, and
/// those that are marked as only such groups' (kAtEdge), are a loop over the lanes that are on. So are scatters of
/// bytes and shorts by some lanes, which as data say are few (run lengths: 0.7 of the time), and those of
/// loops_at_edges(): gathers of one block that are for the same lanes and nothing is written between share a loop. The
/// code generator's way is code for each lane, which takes longer to compile than the rest of the kernel (products of
/// 4x4 matrices a thread, behind a guard: 0.64 of the time on AVX2). True when something changed.
bool loop_gathers(llvm::Function& run, const llvm::TargetTransformInfo& host);

}  // namespace lanza::compiler
