// What kernels may call. These functions stand between frames of kernels: they let no exception out, and what leaves by
// longjmp owns nothing at that point.
#include "backend/cpu/services.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "backend/cpu/block_state.hpp"
#include "backend/cpu/grid_run.hpp"
#include "backend/cpu/print_format.hpp"

namespace lanza::executor {
namespace {

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

std::int32_t print(LanzaBlock* block, const char* format, const void* arguments) {
  if (!format) return -1;
  try {
    std::string text;
    const int taken = format_print(text, format, arguments);
    BlockState::of(block).print(text);
    return taken;
  } catch (const std::exception&) {  // no memory for the text: what CUDA's printf returns then
    return -1;
  }
}

void* allocate(LanzaBlock*, std::uint64_t bytes) { return bytes ? std::malloc(bytes) : nullptr; }

void release(LanzaBlock*, void* memory) { std::free(memory); }

// "assertion `i < n` failed in block (0,0,0), thread (3,0,0): kernel.cu:7, void k(int*, int)"
std::string describe(const BlockState& state, std::uint32_t failure, const char* message, const char* file,
                     std::uint32_t line, const char* function) {
  const LanzaBlock& block = state.block;
  std::string text;
  switch (failure) {
    case LANZA_FAIL_ASSERT:
      text = fmt::format("assertion `{}` failed", message ? message : "");
      break;
    case LANZA_FAIL_STACK_OVERFLOW:
      text = "stack overflow (recursion too deep)";
      break;
    default:
      text = message ? fmt::format("trap ({})", message) : "trap";
      break;
  }
  text += fmt::format(" in block ({},{},{})", block.index[0], block.index[1], block.index[2]);
  if (const auto thread = state.threads.current_thread()) {
    const auto& size = block.launch->block;
    text +=
        fmt::format(", thread ({},{},{})", *thread % size[0], *thread / size[0] % size[1], *thread / size[0] / size[1]);
  }
  if (file) text += fmt::format(": {}:{}", file, line);
  if (function) text += fmt::format("{} {}", file ? "," : ":", function);
  return text;
}

void note_failure(BlockState& state, std::uint32_t failure, const char* message, const char* file, std::uint32_t line,
                  const char* function) noexcept {
  try {
    state.run->fail(describe(state, failure, message, file, line, function));
  } catch (const std::exception&) {
    state.run->fail("failed");
  }
}

void fail(LanzaBlock* block, std::uint32_t failure, const char* message, const char* file, std::uint32_t line,
          const char* function) {
  BlockState& state = BlockState::of(block);
  note_failure(state, failure, message, file, line, function);
  state.leave();
}

std::int32_t run_threads(LanzaBlock* block, const LanzaThreads* threads) {
  BlockState& state = BlockState::of(block);
  return state.threads.run(state, *threads);
}

}  // namespace

const LanzaServices services = {LANZA_KERNEL_ABI, 0,           print,       allocate, release, fail,
                                run_threads,      cycle_clock, global_timer};

}  // namespace lanza::executor
