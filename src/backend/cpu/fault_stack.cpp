// The stack on which a thread's signal handlers run when its own is full.
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "backend/cpu/fault_handler.hpp"

namespace lanza::executor {
namespace {

// Ours needs one page beside the saved registers; a handler of the process that runs after ours may need more.
constexpr std::size_t wanted_bytes = std::size_t{64} << 10;

/// Set up at a thread's first kernel and kept until the thread ends: setting it up for each launch would cost more than
/// a short launch takes (two system calls).
class SignalStack {
 public:
  SignalStack() noexcept {
    stack_t now;
    if (::sigaltstack(nullptr, &now) != 0 || !(now.ss_flags & SS_DISABLE)) return;
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
#ifdef _SC_MINSIGSTKSZ
    const auto least = static_cast<std::size_t>(std::max(0L, ::sysconf(_SC_MINSIGSTKSZ))) * 2;
#else
    const auto least = static_cast<std::size_t>(MINSIGSTKSZ) * 2;
#endif
    size_ = (std::max(wanted_bytes, least) + page - 1) / page * page;
    void* memory = ::mmap(nullptr, page + size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    memory_ = static_cast<char*>(memory);
    guard_ = page;
    ::mprotect(memory_, guard_, PROT_NONE);
    stack_t stack = {};
    stack.ss_sp = memory_ + guard_;
    stack.ss_size = size_;
    ::sigaltstack(&stack, nullptr);
  }
  ~SignalStack() {
    if (!memory_) return;
    stack_t now;
    if (::sigaltstack(nullptr, &now) != 0) return;
    if (now.ss_flags & SS_ONSTACK) return;  // the thread ends in a handler: it needs it to the last
    if (now.ss_sp == memory_ + guard_) {
      stack_t none = {};
      none.ss_flags = SS_DISABLE;
      ::sigaltstack(&none, nullptr);
    }
    ::munmap(memory_, guard_ + size_);
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  char* memory_ = nullptr;
  std::size_t guard_ = 0, size_ = 0;
};

}  // namespace

void provide_signal_stack() noexcept { static thread_local SignalStack stack; }

}  // namespace lanza::executor
