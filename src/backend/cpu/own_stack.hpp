// A stack beside the thread's own, for blocks that wait for others in the middle of their code.
#pragma once

#include <cstddef>
#include <cstdint>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace lanza::executor {

/// Code that gives way on it keeps its frames, and any thread may go on with it: so it must not hold on to what is the
/// thread's (thread-local variables, locks). Code that never goes on is dropped without a trace: it owns nothing.
class OwnStack {
 public:
  using Code = std::int32_t (*)(void*) noexcept;
  OwnStack() = default;
  ~OwnStack();
  OwnStack(const OwnStack&) = delete;
  OwnStack& operator=(const OwnStack&) = delete;

  /// Enough for what the compiler lets kernels that wait have on it (settle_waits.hpp), and for the services they call.
  static constexpr std::size_t bytes = std::size_t{1} << 20;
  /// What of it a block that waits has written to, at the most: run_form.cpp keeps its variables within that.
  static constexpr std::size_t touched = std::size_t{128} << 10;
  /// So many at a time the system gives in any case (two mappings each, of 65530).
  static constexpr std::size_t most = 30000;
  /// False: the system has no memory.
  bool provide() noexcept;
  /// True between a give_way() and the end of the code.
  bool is_under_way() const noexcept { return is_under_way_; }
  /// Calls code(argument), or goes on with what is under way: what code returns, or what it gives way with.
  std::int32_t enter(Code code, void* argument) noexcept;
  /// To be called on the stack, by the code.
  void give_way(std::int32_t status) noexcept;
  /// Nobody goes on with what is under way.
  void forget() noexcept;

 private:
  struct Switch;
  static void run(OwnStack* self) noexcept;

  char* memory_ = nullptr;
  std::size_t colour_ = 0;  // how far below the end it begins
  bool is_under_way_ = false;
  std::int32_t status_ = 0;
  Code code_ = nullptr;
  void* argument_ = nullptr;
#if defined(__x86_64__)
  void *inside_ = nullptr, *outside_ = nullptr;  // stack pointers of who does not run
#else
  ucontext_t inside_{}, outside_{};
#endif
  [[maybe_unused]] void *fiber_ = nullptr, *thread_ = nullptr;  // what sanitizers know them by
  [[maybe_unused]] const void* thread_stack_ = nullptr;
  [[maybe_unused]] std::size_t thread_bytes_ = 0;
};

}  // namespace lanza::executor
