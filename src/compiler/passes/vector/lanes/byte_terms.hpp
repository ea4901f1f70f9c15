// Bytes that a sum has one after the other along a row are added four at once.
#pragma once

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// In: code with vectors. Out, with AVX-512's VBMI and VNNI: sums of 16 lanes of 32 bits that have, extended, the bytes
/// f(a[k], x[k]), f(a[k + 1], x[k + 1]) and two more, where `x` are 16 neighbours, beginning a byte later each, and all
/// lanes share a[k] (differences of blocks of pixels, boxes, taps of a filter): each lane's four bytes are permuted out
/// of what the loads had read, computed in one register, and added by VPDPBUSD. The same bits: nothing wraps but the
/// sum. True when something changed.
bool add_byte_terms(llvm::Function& run, llvm::ScalarEvolution& evolution, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
