// What a thread may store at a place of its own it always stores: the new value or the old one.
#pragma once

#include <array>

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel for one blockDim of one dimension, nvptx64 form, address spaces known, loops unrolled. Of
///
///     if (s[t + d] > s[t]) s[t] = s[t + d];
///
/// in shared memory, one store of a choice between both, `s[t] = s[t + d] > s[t] ? s[t + d] : s[t]`, is made: without
/// it a step of a tree stores under a mask that nobody knows, and the next one loads what it stored. Only where the
/// question asks memory, and where no other thread has the same place: a flag that many threads set would be lost.
/// What the source has not loaded in front of the question (`w[t] = w[t + d]` beside it) is loaded for all only from
/// barrier to barrier, where nothing else writes shared memory, and where it lies inside of its array. True when
/// something changed.
bool choose_own_stores(llvm::Function& kernel, std::array<unsigned, 3> block);

}  // namespace lanza::compiler
