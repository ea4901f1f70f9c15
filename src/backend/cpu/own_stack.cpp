// Changing stacks: what the calling convention keeps is pushed, the stack pointer exchanged.
#include "backend/cpu/own_stack.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <mutex>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

#if defined(__x86_64__)
extern "C" void lanza_change_stack(void** left, void* entered);
asm(R"(
.text
.type lanza_change_stack, @function
.hidden lanza_change_stack
.globl lanza_change_stack
lanza_change_stack:
  .cfi_startproc
  endbr64
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .cfi_endproc
.size lanza_change_stack, . - lanza_change_stack
.type lanza_begin_stack, @function
lanza_begin_stack:
  .cfi_startproc
  .cfi_undefined rip
  movq %r12, %rdi
  xorl %ebp, %ebp
  subq $8, %rsp
  call *%r13
  ud2
  .cfi_endproc
.size lanza_begin_stack, . - lanza_begin_stack
)");
extern "C" [[gnu::visibility("hidden")]] void lanza_begin_stack();
#endif

namespace lanza::executor {

namespace {

constexpr std::size_t guard = std::size_t{64} << 10;  // not accessible, below the stack

// Stacks of blocks that have ended: to ask the system for one costs 10 us.
class Spare {
 public:
  static Spare& get() {
    static Spare& made = *[] {
      // The child of a fork must not find it locked by a thread that it does not have.
      pthread_atfork([] { get().mutex_.lock(); }, [] { get().mutex_.unlock(); }, [] { get().mutex_.unlock(); });
      return new Spare;  // never destroyed: kernels may run while the process ends
    }();
    return made;
  }
  char* take() noexcept {
    std::lock_guard lock(mutex_);
    char* memory = first_;
    if (memory) first_ = next_of(memory), --count_;
    return memory;
  }
  bool give(char* memory) noexcept {
    std::lock_guard lock(mutex_);
    if (count_ == most) return false;
    next_of(memory) = std::exchange(first_, memory);
    ++count_;
    return true;
  }

 private:
  static constexpr unsigned most = 512;
  static char*& next_of(char* memory) { return *reinterpret_cast<char**>(memory + guard + OwnStack::bytes - 64); }
  std::mutex mutex_;
  char* first_ = nullptr;
  unsigned count_ = 0;
};

// Begins of stacks lie at different places of a page, and of caches.
std::size_t colour() noexcept {
  static constinit std::atomic<unsigned> count{0};
  return count.fetch_add(1, std::memory_order_relaxed) * 37 % 256 * 576;
}

}  // namespace

/// What sanitizers are told, and the change itself.
struct OwnStack::Switch {
  static void inwards(OwnStack& s, bool begins) noexcept {
#if defined(__SANITIZE_ADDRESS__)
    void* frames;
    __sanitizer_start_switch_fiber(&frames, s.memory_ + guard, bytes);
#endif
#if defined(__SANITIZE_THREAD__)
    if (!s.fiber_) s.fiber_ = __tsan_create_fiber(0);
    s.thread_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(s.fiber_, 0);
#endif
#if defined(__x86_64__)
    if (begins) {
      auto** top = reinterpret_cast<void**>(s.memory_ + guard + bytes - 64 - s.colour_) - 8;
      top[0] = top[1] = top[4] = top[5] = nullptr;
      top[2] = reinterpret_cast<void*>(&OwnStack::run);  // r13
      top[3] = &s;                                       // r12
      top[6] = reinterpret_cast<void*>(&lanza_begin_stack);
      s.inside_ = top;
    }
    lanza_change_stack(&s.outside_, s.inside_);
#else
    if (begins) {
      ::getcontext(&s.inside_);
      s.inside_.uc_stack.ss_sp = s.memory_ + guard;
      s.inside_.uc_stack.ss_size = bytes - 64 - s.colour_;
      s.inside_.uc_link = nullptr;
      const auto self = reinterpret_cast<std::uintptr_t>(&s);
      const auto entry = [](unsigned low, unsigned high) {
        run(reinterpret_cast<OwnStack*>(static_cast<std::uintptr_t>(std::uint64_t{high} << 32 | low)));
      };
      ::makecontext(&s.inside_, reinterpret_cast<void (*)()>(static_cast<void (*)(unsigned, unsigned)>(entry)), 2,
                    static_cast<unsigned>(self), static_cast<unsigned>(std::uint64_t{self} >> 32));
    }
    ::swapcontext(&s.outside_, &s.inside_);
#endif
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(frames, nullptr, nullptr);
#endif
  }

  static void outwards(OwnStack& s, [[maybe_unused]] bool ends) noexcept {
#if defined(__SANITIZE_ADDRESS__)
    void* frames = nullptr;
    __sanitizer_start_switch_fiber(ends ? nullptr : &frames, s.thread_stack_, s.thread_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(s.thread_, 0);
#endif
#if defined(__x86_64__)
    lanza_change_stack(&s.inside_, s.outside_);
#else
    ::swapcontext(&s.inside_, &s.outside_);
#endif
#if defined(__SANITIZE_ADDRESS__)
    arrive(s, frames);
#endif
  }

  static void arrive([[maybe_unused]] OwnStack& s, [[maybe_unused]] void* frames) noexcept {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(frames, &s.thread_stack_, &s.thread_bytes_);
#endif
  }
};

OwnStack::~OwnStack() {
  forget();
  if (memory_ && !Spare::get().give(memory_)) ::munmap(memory_, guard + bytes);
}

bool OwnStack::provide() noexcept {
  if (memory_) return true;
  colour_ = colour();
  memory_ = Spare::get().take();
  if (memory_) return true;
  void* memory =
      ::mmap(nullptr, guard + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  memory_ = static_cast<char*>(memory);
  ::mprotect(memory_, guard, PROT_NONE);
  return true;
}

void OwnStack::run(OwnStack* self) noexcept {
  Switch::arrive(*self, nullptr);
  self->status_ = self->code_(self->argument_);
  self->is_under_way_ = false;
  Switch::outwards(*self, /*ends=*/true);
}

std::int32_t OwnStack::enter(Code code, void* argument) noexcept {
  code_ = code;
  argument_ = argument;
  Switch::inwards(*this, /*begins=*/!std::exchange(is_under_way_, true));
  return status_;
}

void OwnStack::give_way(std::int32_t status) noexcept {
  status_ = status;
  Switch::outwards(*this, /*ends=*/false);
}

void OwnStack::forget() noexcept {
  is_under_way_ = false;
#if defined(__SANITIZE_THREAD__)
  if (fiber_) __tsan_destroy_fiber(std::exchange(fiber_, nullptr));
#endif
}

}  // namespace lanza::executor
