// Kernels for tests, written against kernel_abi.h: C++20 coroutines have the frame that the thread engine's scheduler
// resumes (resume, destroy, promise at 16), so that a test reads like the kernel that it stands for.
#pragma once

#include <bit>
#include <coroutine>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "compiler/kernel_abi.h"

namespace lanza::testing {

/// What a thread of a test kernel knows.
struct ThreadContext {
  void* frame;
  LanzaBlock* block;
  std::uint32_t x, y, z;

  unsigned id() const {
    const auto& size = block->launch->block;
    return x + size[0] * (y + size[1] * z);
  }
  template <class T>
  T& argument(std::size_t offset = 0) const {
    return *reinterpret_cast<T*>(const_cast<char*>(static_cast<const char*>(block->arguments)) + offset);
  }
  template <class T>
  T* shared() const {
    return reinterpret_cast<T*>(block->shared);
  }
};

constexpr std::size_t test_frame_bytes = 1024;

/// Return type of a kernel whose threads wait.
struct Thread {
  struct promise_type : LanzaRecord {
    explicit promise_type(const ThreadContext& c) : LanzaRecord{} {
      tid[0] = static_cast<std::uint16_t>(c.x);
      tid[1] = static_cast<std::uint16_t>(c.y);
      tid[2] = static_cast<std::uint16_t>(c.z);
      block = c.block;
    }
    static void* operator new(std::size_t size, const ThreadContext& c) {
      if (size > test_frame_bytes) std::abort();
      return c.frame;
    }
    static void operator delete(void*) {}
    Thread get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept {
      kind = LANZA_SYNC_DONE;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};
static_assert(std::endian::native == std::endian::little);

/// `co_await Sync{...}`: the synchronisation point, and its result.
struct Sync {
  std::uint8_t kind;
  std::uint8_t id = 0;
  std::uint16_t aux = 0;
  std::uint32_t mask = 0;
  std::uint64_t operand = 0;
  LanzaRecord* record = nullptr;

  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<Thread::promise_type> handle) {
    record = &handle.promise();
    const std::uint32_t word = kind | std::uint32_t{id} << 8 | std::uint32_t{aux} << 16;
    std::memcpy(static_cast<void*>(record), &word, sizeof word);
    record->mask = mask;
    record->operand = operand;
  }
  std::uint64_t await_resume() const { return record->operand; }
};

inline Sync barrier(unsigned id = 0, unsigned count = 0) {
  return {LANZA_SYNC_BARRIER, static_cast<std::uint8_t>(id), static_cast<std::uint16_t>(count)};
}
inline Sync barrier_count(bool predicate) { return {LANZA_SYNC_BARRIER_COUNT, 0, 0, 0, predicate}; }
inline Sync sync_warp(std::uint32_t mask = ~0u) { return {LANZA_SYNC_WARP, 0, 0, mask}; }
inline Sync ballot(std::uint32_t mask, std::uint64_t predicate) { return {LANZA_SYNC_BALLOT, 0, 0, mask, predicate}; }
inline Sync shuffle(std::uint32_t mask, std::uint64_t value, unsigned lane) {
  return {LANZA_SYNC_SHUFFLE, 0, static_cast<std::uint16_t>(lane), mask, value};
}
inline Sync match_any(std::uint32_t mask, std::uint64_t value) { return {LANZA_SYNC_MATCH_ANY, 0, 0, mask, value}; }
inline Sync match_all(std::uint32_t mask, std::uint64_t value) { return {LANZA_SYNC_MATCH_ALL, 0, 0, mask, value}; }
inline Sync reduce(std::uint32_t mask, LanzaReduce operation, std::uint32_t value) {
  return {LANZA_SYNC_REDUCE, 0, static_cast<std::uint16_t>(operation), mask, value};
}
inline Sync yield() { return {LANZA_SYNC_YIELD}; }
inline Sync lockstep(unsigned place) {
  return {LANZA_SYNC_LOCKSTEP, static_cast<std::uint8_t>(place), static_cast<std::uint16_t>(place)};
}
inline Sync active_mask(unsigned place) {
  return {LANZA_SYNC_ACTIVEMASK, static_cast<std::uint8_t>(place), static_cast<std::uint16_t>(place)};
}
inline Sync grid_barrier() { return {LANZA_SYNC_GRID}; }

template <auto Body>
void start_thread(void* frame, LanzaBlock* block, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  Body(ThreadContext{frame, block, x, y, z});
}

template <auto Body>
std::int32_t run_with_threads(const LanzaLaunch* launch, const void*, LanzaBlock* block) {
  static const LanzaThreads threads{start_thread<Body>, test_frame_bytes, 16, 0, 0};
  return launch->services->run_threads(block, &threads);
}

/// The kernel object of a coroutine `Thread body(ThreadContext)`.
template <auto Body, std::uint32_t Flags = 0, std::uint64_t Shared = 4096>
inline const LanzaKernelObject threads_kernel{
    LANZA_KERNEL_ABI, Flags, run_with_threads<Body>, Shared,
    {0, 0, 0},        0,     test_frame_bytes,       R"({"engine": "threads"})"};

template <auto Body>
std::int32_t run_with_loop(const LanzaLaunch* launch, const void*, LanzaBlock* block) {
  for (; block->next < block->end; ++block->next) {
    block->index[0] = static_cast<std::uint32_t>(block->next % launch->grid[0]);
    block->index[1] = static_cast<std::uint32_t>(block->next / launch->grid[0] % launch->grid[1]);
    block->index[2] = static_cast<std::uint32_t>(block->next / launch->grid[0] / launch->grid[1]);
    for (std::uint32_t z = 0; z < launch->block[2]; ++z) {
      for (std::uint32_t y = 0; y < launch->block[1]; ++y) {
        for (std::uint32_t x = 0; x < launch->block[0]; ++x) Body(ThreadContext{nullptr, block, x, y, z});
      }
    }
  }
  return LANZA_DONE;
}

/// The kernel object of a function `void body(ThreadContext)`, called for one thread after the other.
template <auto Body, std::uint32_t Flags = LANZA_KERNEL_RANGES>
inline const LanzaKernelObject loop_kernel{LANZA_KERNEL_ABI,        Flags, run_with_loop<Body>, 0, {0, 0, 0}, 1, 0,
                                           R"({"engine": "lanes"})"};

}  // namespace lanza::testing
