// What one worker holds to run blocks of a grid: the LanzaBlock that kernels see, its memory, and the way out of a
// failed kernel.
#pragma once

#include <setjmp.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "backend/cpu/fault_handler.hpp"
#include "backend/cpu/own_stack.hpp"
#include "backend/cpu/scratch.hpp"
#include "backend/cpu/thread_scheduler.hpp"
#include "compiler/kernel_abi.h"

namespace lanza::executor {

class GridRun;

class alignas(64) BlockState {
 public:
  /// A state ready for blocks of `run`: the calling thread's spare one, or a new one.
  static BlockState* acquire(GridRun& run);
  /// Back to the calling thread's spare, or freed.
  static void release(BlockState*) noexcept;
  /// The state behind what a kernel sees.
  static BlockState& of(LanzaBlock* block) noexcept { return *static_cast<BlockState*>(block->executor); }

  /// Calls the kernel for the blocks [block.next, block.end): a LanzaStatus.
  std::int32_t call() noexcept;
  /// Leaves a kernel that failed: call() returns LANZA_FAILED. Nothing between here and call() may own anything.
  [[noreturn]] void leave() noexcept { siglongjmp(leave_, 1); }
  /// For kernels with a stack of their own: a loop of the block waits for another one. Others go on first, as a rule.
  void wait() noexcept;
  /// The same: it has come to a barrier of the grid.
  void wait_for_grid() noexcept;
  /// Frames of the kernel lie below this address of the stack.
  std::uintptr_t stack_base() const noexcept { return stack_base_; }

  /// The memory that an address of the kernel lies in: a LanzaAddressSpace.
  std::uint32_t space_of(std::uintptr_t address) const noexcept;

  /// Device printf: kept in the order of blocks.
  void print(std::string_view text);
  void flush_print();

  LanzaBlock block{};
  GridRun* run = nullptr;
  unsigned worker = 0;                 ///< of the run: who runs it, or did last
  BlockState* next_waiting = nullptr;  ///< in a list of blocks that wait
  ThreadScheduler threads;
  Scratch frames, stacks;
  Fault fault;  ///< the last one, of the call under way

 private:
  BlockState() = default;
  void prepare(GridRun&);
  friend struct SpareState;

  std::int32_t call_here() noexcept;
  void note_fault() noexcept;

  sigjmp_buf leave_;
  std::uintptr_t stack_base_ = 0;
  Scratch shared_, counters_;
  OwnStack own_stack_;
  unsigned polls_ = 0;
  std::string text_;
  std::uint64_t text_block_ = 0;
};

/// Blocks that wait for others, first in first out.
class WaitingBlocks {
 public:
  bool empty() const noexcept { return !first_; }
  std::uint64_t size() const noexcept { return size_; }
  void push(BlockState* state) noexcept {
    state->next_waiting = nullptr;
    (first_ ? last_->next_waiting : first_) = state;
    last_ = state;
    ++size_;
  }
  BlockState* pop() noexcept {
    BlockState* state = first_;
    if (state) first_ = state->next_waiting, --size_;
    return state;
  }
  void append(WaitingBlocks& other) noexcept {
    while (BlockState* state = other.pop()) push(state);
  }

 private:
  BlockState *first_ = nullptr, *last_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace lanza::executor
