// Stores of some lanes, always the same ones, without masks.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IntrinsicInst.h>

namespace lanza::compiler {

/// In: run form at its end. Out: on a CPU without AVX-512, masked stores whose mask is constant (members of records
/// that are not all written) are plain stores of runs of one, two or four lanes: Zen 4 takes 14 cycles for a
/// vmaskmovps. True when something changed.
bool split_masked_stores(llvm::Function& run, const llvm::TargetTransformInfo& host);

/// How many stores it makes of a masked store; 0: the mask is no constant.
unsigned pieces_of(const llvm::IntrinsicInst& store);

}  // namespace lanza::compiler
