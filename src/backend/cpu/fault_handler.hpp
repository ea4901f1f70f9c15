// Faults of kernels (decision D13): a signal handler that leaves the kernel and ends its launch. Faults that are not a
// kernel's go to the handlers that the process had before.
//
// A kernel owns nothing, so it may be left at any of its instructions. Another signal may end a kernel in the same way
// (a time limit, an interrupt), in its own handler, installed with SA_ONSTACK | SA_NODEFER:
//
//   if (BlockState* block = interrupted_kernel(context); block && block->run->stopped())
//     leave_interrupted(*block, context);  // BlockState::call() returns LANZA_FAILED
//
// Outside the kernel's own code (the scheduler, printf, malloc) interrupted_kernel() is null: there the handler
// returns, and the next yield or round sees that the launch was stopped.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace lanza::executor {

class BlockState;

/// What the handler saw. Plain data.
struct Fault {
  enum class Access : std::uint8_t { Unknown, Read, Write, Execute };
  int signal = 0, code = 0;  ///< signal 0: there was none
  Access access = Access::Unknown;
  std::uintptr_t address = 0;      ///< what was accessed
  std::uintptr_t instruction = 0;  ///< where; for a call through a bad pointer: the return address
  std::uintptr_t stack_pointer = 0;
};

/// Sees to it that faults reach our handler, also when somebody has installed one over it: to be called before kernels
/// run.
void arm_fault_handlers() noexcept;
/// The same, once in 20 ms: a look costs five system calls, more than a short launch takes altogether.
void arm_fault_handlers_now_and_then(std::chrono::steady_clock::time_point now) noexcept;

/// The block whose kernel the calling thread runs.
// Initial-exec: a handler may run where a first access to another kind of thread-local variable would allocate.
extern constinit thread_local BlockState* running_block [[gnu::tls_model("initial-exec")]];

/// In a signal handler with the context that it was given: the block whose kernel's own code was interrupted; else
/// null.
BlockState* interrupted_kernel(const void* context) noexcept;
/// Ends that kernel: BlockState::call() returns LANZA_FAILED on this thread.
[[noreturn]] void leave_interrupted(BlockState& block, const void* context) noexcept;

/// Whether memory can be read from `text` up to its end, a zero or `most` bytes. For what kernels hand to the runtime,
/// which cannot be left like a kernel.
bool is_readable_string(const char* text, std::size_t most) noexcept;

/// The calling thread gets a stack for signal handlers, for its lifetime, unless it has one: without, a kernel that
/// overflows its stack would end the process.
void provide_signal_stack() noexcept;

}  // namespace lanza::executor
