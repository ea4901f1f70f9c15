// Work goes along memory: where more vectors live than there are registers, and where memory is read to and fro.
#pragma once

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form. Out: blocks in which more vectors live at a time than registers hold load their vectors in the order
/// of addresses, and do what they can with each before the next: groups that walk through a stencil or a convolution
/// together then keep a few sums, not all the rows. Only where fewer vectors live at a time after it. Blocks that read
/// an array to and fro (a tree in registers) load by addresses, too, as far as registers hold that: the hardware
/// fetches ahead what is read in order. Else, where it is much that they read, they ask for its lines in order, and
/// load each vector where it is needed. Each sum is added up in the order it had, and accesses that may meet keep
/// theirs. True when something changed.
bool order_loads(llvm::Function& run, llvm::AAResults& aliases, const llvm::TargetTransformInfo& host);

}  // namespace lanza::compiler
