// Gathers and scatters of all lanes, for a processor that has none, or slow ones.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IntrinsicInst.h>

namespace lanza::compiler {

/// Whether a gather or a scatter is best one instruction, not an access of each lane.
bool has_lane_instruction(const llvm::IntrinsicInst& access, const llvm::TargetTransformInfo& host);

/// Marks scatters that are no volatile stores: lanes may read what others have written by the same scatter.
inline constexpr char kPlainScatter[] = "lanza.plain";

/// In: run form at its end. Out: where the target has no fast instructions for them, gathers and scatters of all lanes
/// are loads and stores of one lane after the other, from scalar addresses: one register and a constant where lanes are
/// constant steps apart (also by the bits of a number in reverse order), else an index that leaves its vector. On Zen
/// that is so for gathers, and for scatters into the block's own memory whose lanes are constant steps apart. The code
/// generator would take each address, of 64 bits, out of a vector. What a plain scatter writes where it was gathered,
/// changed by the same for all lanes (`counts[digit][thread]++`), is changed lane by lane. SeldomCode keeps its
/// gathers: they are shorter. True when something changed.
bool expand_lane_accesses(llvm::Function& run, const llvm::TargetTransformInfo& host);

}  // namespace lanza::compiler
