// What lanes gather one by one and combine.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/IntrinsicInst.h>

namespace lanza::compiler {

/// In: `gathers` of all lanes, which are to be loads of one lane after the other. Out: where integers of several are
/// combined with each other only (`t[v & 255] ^ t[v >> 8 & 255]`), so they are as scalars, lane by lane, and only the
/// result becomes a vector; and what several of the indices are parts of leaves its vector once. Such gathers are gone,
/// from `gathers` too. True when there were any.
bool expand_lane_trees(llvm::SmallVectorImpl<llvm::IntrinsicInst*>& gathers, const llvm::TargetTransformInfo* hides);

}  // namespace lanza::compiler
