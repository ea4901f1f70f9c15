// Questions about shared memory that are asked one after the other lead to one branch.
#pragma once

#include <array>

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a kernel for one blockDim of one dimension, nvptx64 form, address spaces known, loops unrolled. Of
///
///     if (v[t + d] < v[t] || (v[t + d] == v[t] && i[t + d] < i[t])) { v[t] = v[t + d]; i[t] = i[t + d]; }
///
/// all questions are asked in front of one branch. Only where what is loaded for them lies inside of its array for all
/// threads, a few instructions are between the first question and the way, and these questions, of which the first asks
/// memory as well, lead to nothing but the way and what follows on it. Ways with one question choose_own_stores()
/// knows. True when something changed.
bool ask_at_once(llvm::Function& kernel, std::array<unsigned, 3> block);

/// Whether the answer depends on what is loaded in `block`: what a thread's number answers is no mask that nobody
/// knows.
bool asks_memory(const llvm::Value* question, const llvm::BasicBlock& block, unsigned depth = 4);

}  // namespace lanza::compiler
