// Indices and addresses that are a multiple of the thread's number and a constant.
#pragma once

#include <cstdint>
#include <optional>

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

constexpr uint64_t kMostThreads = 1024;  ///< of a block

/// step * threadIdx.x + first, never negative, of which 32 bits hold every value of a block.
struct ThreadPlace {
  uint64_t step = 0, first = 0;

  std::optional<ThreadPlace> times(uint64_t factor) const;
  std::optional<ThreadPlace> plus(ThreadPlace other) const;
};

/// Whether the value is threadIdx.x.
bool is_thread_x(const llvm::Value* v);
/// A number, where `thread` stands for threadIdx.x; none: it is another.
std::optional<ThreadPlace> place_of(const llvm::Value* v, ThreadPlace thread = {1, 0});
/// In elements of its type from the beginning of the variable in whose memory the load or store is.
std::optional<ThreadPlace> place_in_elements(llvm::Instruction& access, const llvm::DataLayout& layout,
                                             ThreadPlace thread = {1, 0});

/// How many threads of a block of one dimension, from the first on, take the way from `guard` to `block`; none: others,
/// or nobody knows.
std::optional<uint64_t> threads_to(const llvm::BasicBlock& guard, const llvm::BasicBlock& block, uint64_t threads);
/// The only thread that takes the way from `guard` to `block`; none: others do, or nobody knows.
std::optional<uint64_t> only_thread_to(const llvm::BasicBlock& guard, const llvm::BasicBlock& block);
/// No others than so many, from the first on, come to the block.
uint64_t most_threads_at(const llvm::BasicBlock& block, uint64_t threads);

}  // namespace lanza::compiler
