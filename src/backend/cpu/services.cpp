// What kernels may call. These functions stand between frames of kernels: they let no exception out, and what leaves by
// longjmp owns nothing at that point.
#include "backend/cpu/services.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <string>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "backend/cpu/block_state.hpp"
#include "backend/cpu/fault_text.hpp"
#include "backend/cpu/grid_run.hpp"
#include "backend/cpu/print_format.hpp"

namespace lanza::executor {
namespace {

// The signal that ends a kernel (interrupt.hpp) finds a loop around such calls mostly outside of the kernel's own code.
void leave_if_stopped(LanzaBlock* block) {
  BlockState& state = BlockState::of(block);
  if (state.run->stopped()) state.leave();
}

std::uint64_t global_timer() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

std::uint64_t cycle_clock() {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  std::uint64_t count;
  asm volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#else
  return global_timer();
#endif
}

void* allocate(LanzaBlock* block, std::uint64_t bytes) {
  leave_if_stopped(block);
  DeviceHeap* heap = BlockState::of(block).run->heap();
  return heap ? heap->allocate(bytes) : nullptr;
}

void note_failure(BlockState& state, std::uint32_t failure, const char* message, const char* file, std::uint32_t line,
                  const char* function, const void* caller) noexcept {
  try {
    const auto instruction = reinterpret_cast<std::uintptr_t>(caller) - 1;  // the call, not what follows it
    state.run->fail(describe_failure(state, failure, message, file, line, function, instruction));
  } catch (const std::exception&) {
    state.run->fail("failed");
  }
}

void fail(LanzaBlock* block, std::uint32_t failure, const char* message, const char* file, std::uint32_t line,
          const char* function) {
  BlockState& state = BlockState::of(block);
  note_failure(state, failure, message, file, line, function, __builtin_return_address(0));
  state.leave();
}

void release(LanzaBlock* block, void* memory) {
  DeviceHeap* heap = BlockState::of(block).run->heap();
  if (!memory || (heap && heap->release(memory))) return;
  std::array<char, 100> text;
  std::snprintf(text.data(), text.size(), "free of %p, which malloc did not give or which was freed before", memory);
  note_failure(BlockState::of(block), LANZA_FAIL_TRAP, text.data(), nullptr, 0, nullptr, __builtin_return_address(0));
  BlockState::of(block).leave();
}

std::int32_t print(LanzaBlock* block, const char* format, const void* arguments) {
  leave_if_stopped(block);
  if (!format) return -1;
  const void* caller = __builtin_return_address(0);
  try {
    std::string text;
    const int taken = format_print(text, format, arguments);
    BlockState::of(block).print(text);
    return taken;
  } catch (const InvalidString& e) {
    note_failure(BlockState::of(block), LANZA_FAIL_TRAP, e.what(), nullptr, 0, nullptr, caller);
  } catch (const std::exception&) {  // no memory for the text: what CUDA's printf returns then
    return -1;
  }
  BlockState::of(block).leave();
}

std::int32_t run_threads(LanzaBlock* block, const LanzaThreads* threads) {
  BlockState& state = BlockState::of(block);
  return state.threads.run(state, *threads);
}

std::uint32_t address_space(LanzaBlock* block, const void* address) {
  return BlockState::of(block).space_of(reinterpret_cast<std::uintptr_t>(address));
}

std::uint32_t launch_child(LanzaBlock* block, const char* symbol, const char* name, std::uint32_t max_threads,
                           const LanzaChildLaunch* launch) {
  leave_if_stopped(block);
  return BlockState::of(block).run->children()->add(symbol, name, max_threads, *launch);
}

std::uint32_t launch_error(LanzaBlock* block, std::uint64_t parent, std::uint32_t thread, std::uint32_t clear) {
  ChildLaunches* children = BlockState::of(block).run->children();
  return children ? children->error(parent, thread, clear != 0) : std::uint32_t{LANZA_CHILD_QUEUED};
}

void wait(LanzaBlock* block) { BlockState::of(block).wait(); }

void wait_for_grid(LanzaBlock* block) { BlockState::of(block).wait_for_grid(); }

}  // namespace

const LanzaServices services = {LANZA_KERNEL_ABI,
                                0,
                                print,
                                allocate,
                                release,
                                fail,
                                run_threads,
                                cycle_clock,
                                global_timer,
                                address_space,
                                launch_child,
                                launch_error,
                                wait,
                                wait_for_grid};

}  // namespace lanza::executor
