// The handlers of SIGSEGV and the like: who is asked first, and the way out of a kernel.
#include "backend/cpu/fault_handler.hpp"

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "backend/cpu/block_state.hpp"
#include "backend/cpu/code_ranges.hpp"
#include "compiler/loader.hpp"
#include "support/forward_signal.hpp"

namespace lanza::executor {

constinit thread_local BlockState* running_block = nullptr;

namespace {

// Where to go on when the string that is being looked at is none.
constinit thread_local sigjmp_buf* probe [[gnu::tls_model("initial-exec")]] = nullptr;

constexpr std::array caught_signals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};

// ---- the machine: what a handler's context says
// --------------------------------------------------------------------------------------------

struct Registers {
  std::uintptr_t instruction, stack_pointer;
};

Registers registers_of(const void* context) noexcept {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return {static_cast<std::uintptr_t>(machine.gregs[REG_RIP]), static_cast<std::uintptr_t>(machine.gregs[REG_RSP])};
#elif defined(__aarch64__)
  return {machine.pc, machine.sp};
#else
#error "say where the context of a signal handler holds program counter and stack pointer"
#endif
}

Fault::Access access_of(const void* context, const Fault& fault) noexcept {
  if (fault.signal != SIGSEGV && fault.signal != SIGBUS) return Fault::Access::Unknown;
  if (fault.address == fault.instruction) return Fault::Access::Execute;
#if defined(__x86_64__)
  // The page fault's error code: bit 1 is set for a write. Other exceptions have no address.
  if (fault.code == SI_KERNEL) return Fault::Access::Unknown;
  const auto error = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR];
  return error & 2 ? Fault::Access::Write : Fault::Access::Read;
#else
  return Fault::Access::Unknown;
#endif
}

// What the system gives back when a handler returns, and longjmp does not: the signals that were let through (handlers
// that hand on to ours may block any), and the control registers.
void restore_thread(const void* context) noexcept {
  ::pthread_sigmask(SIG_SETMASK, &static_cast<const ucontext_t*>(context)->uc_sigmask, nullptr);
#if defined(__x86_64__)
  const auto* floating = static_cast<const ucontext_t*>(context)->uc_mcontext.fpregs;
  if (!floating) return;
  _mm_setcsr(floating->mxcsr);
  const unsigned short control = floating->cwd;
  asm volatile("fldcw %0" : : "m"(control));
#endif
}

// What the kernel has noted in registers of MMX, which lie where x87's do.
void read_notes(LanzaBlock& block, const void* context) noexcept {
  block.lane_count = 0;
#if defined(__x86_64__)
  const auto* floating = static_cast<const ucontext_t*>(context)->uc_mcontext.fpregs;
  if (!floating || floating->ftw == 0) return;  // before it notes anything
  const auto note = [&](int i) {
    std::uint64_t value;
    std::memcpy(&value, floating->_st[i].significand, sizeof value);
    return value;
  };
  block.first_lane = note(0);
  block.lane = note(1);
  block.lane_row[0] = static_cast<std::uint32_t>(note(2));
  block.lane_row[1] = static_cast<std::uint32_t>(note(3));
  block.lane_count = static_cast<std::uint32_t>(note(4));
  block.lane_rows = static_cast<std::uint32_t>(note(5));
  block.index[0] = static_cast<std::uint32_t>(note(6));
  block.index[1] = static_cast<std::uint32_t>(note(7));
  block.index[2] = static_cast<std::uint32_t>(note(7) >> 32);
  asm volatile("emms");  // nothing goes back to the kernel, which would do it
#else
  (void)context;
#endif
}

// Who called what cannot be executed: the return address, where the machine keeps it on the stack.
std::uintptr_t caller_of(const Registers& registers, const BlockState& block, const void* context) noexcept {
#if defined(__x86_64__)
  (void)context;
  const bool on_stack = registers.stack_pointer < block.stack_base() &&
                        block.stack_base() - registers.stack_pointer < (std::uintptr_t{1} << 30);
  return on_stack ? *reinterpret_cast<const std::uintptr_t*>(registers.stack_pointer) : 0;
#elif defined(__aarch64__)
  return static_cast<const ucontext_t*>(context)->uc_mcontext.regs[30];
#endif
}

// ---- the handlers
// ---------------------------------------------------------------------------------------------------------------------------
//
// Somebody may install a handler over ours and hand on to us for ever. Then ours goes on top again at the next launch,
// one level up. Each level has a handler of its own with a fixed place in the chain, so that no cycle can form.

constexpr int levels = 8;
std::array<std::array<struct sigaction, caught_signals.size()>, levels> previous;
std::atomic<int> top_level{-1};

void handle_fault(int signal, siginfo_t* info, void* context) noexcept {
  if (info->si_code <= 0) return;  // sent by somebody
  if (probe) {
    restore_thread(context);
    siglongjmp(*probe, 1);
  }
  BlockState* block = running_block;
  if (!block) return;
  const Registers registers = registers_of(context);
  Fault fault{signal,
              info->si_code,
              Fault::Access::Unknown,
              reinterpret_cast<std::uintptr_t>(info->si_addr),
              registers.instruction,
              registers.stack_pointer};
  fault.access = access_of(context, fault);
  if (fault.access == Fault::Access::Execute) {
    fault.instruction = caller_of(registers, *block, context);
  } else if (!code_at(registers.instruction)) {
    return;
  }
  block->fault = fault;
  leave_interrupted(*block, context);
}

template <int level>
void handler(int signal, siginfo_t* info, void* context) {
  handle_fault(signal, info, context);
  for (std::size_t i = 0; i < caught_signals.size(); ++i) {
    if (caught_signals[i] == signal) return forward_signal(previous[level][i], signal, info, context);
  }
}

using Handler = void (*)(int, siginfo_t*, void*);
template <std::size_t... i>
constexpr std::array<Handler, levels> make_handlers(std::index_sequence<i...>) {
  return {handler<i>...};
}
constexpr auto handlers = make_handlers(std::make_index_sequence<levels>{});

// The compiler's own handlers, which stand while it runs, hand everything on that is not the compiler's.
bool is_of_the_compiler(const struct sigaction& action) noexcept {
  if (!(action.sa_flags & SA_SIGINFO) || !compiler::loaded()) return false;
  Dl_info theirs, table;
  return dladdr(reinterpret_cast<void*>(action.sa_sigaction), &theirs) != 0 &&
         dladdr(&compiler::plugin(), &table) != 0 && theirs.dli_fbase == table.dli_fbase;
}

bool reaches_us(int signal) noexcept {
  struct sigaction now;
  ::sigaction(signal, nullptr, &now);
  const int level = top_level.load(std::memory_order_relaxed);
  if ((now.sa_flags & SA_SIGINFO) && level >= 0 && now.sa_sigaction == handlers[static_cast<std::size_t>(level)])
    return true;
  return level >= 0 && is_of_the_compiler(now);
}

std::mutex& arming() {
  static std::mutex& mutex = *new std::mutex;  // never destroyed: kernels may start while the process ends
  return mutex;
}

}  // namespace

void arm_fault_handlers() noexcept {
  std::lock_guard lock(arming());
  bool all = true;
  for (int signal : caught_signals) all = all && reaches_us(signal);
  const int level = top_level.load(std::memory_order_relaxed) + 1;
  if (all || level == levels) return;
  struct sigaction action = {};
  action.sa_sigaction = handlers[static_cast<std::size_t>(level)];
  // NODEFER: the handler is left by longjmp, which does not restore the mask. ONSTACK: for stack overflows.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  ::sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < caught_signals.size(); ++i) {
    // Known before ours can be called.
    ::sigaction(caught_signals[i], nullptr, &previous[static_cast<std::size_t>(level)][i]);
    ::sigaction(caught_signals[i], &action, nullptr);
  }
  top_level.store(level, std::memory_order_relaxed);
}

void arm_fault_handlers_now_and_then(std::chrono::steady_clock::time_point now) noexcept {
  static constinit std::atomic<std::chrono::steady_clock::rep> last{0};
  const auto ticks = now.time_since_epoch().count();
  constexpr std::chrono::steady_clock::duration pause = std::chrono::milliseconds(20);
  if (ticks - last.load(std::memory_order_relaxed) < pause.count()) return;
  last.store(ticks, std::memory_order_relaxed);
  arm_fault_handlers();
}

[[gnu::noinline, gnu::no_sanitize_address, gnu::no_sanitize_thread]]
static void read_string(const volatile char* text, std::size_t most) noexcept {
  while (most-- && *text) ++text;
}

bool is_readable_string(const char* text, std::size_t most) noexcept {
  sigjmp_buf back;
  probe = &back;
  const bool readable = sigsetjmp(back, 0) == 0;
  if (readable) read_string(text, most);
  probe = nullptr;
  return readable;
}

BlockState* interrupted_kernel(const void* context) noexcept {
  return running_block && code_at(registers_of(context).instruction) ? running_block : nullptr;
}

void leave_interrupted(BlockState& block, const void* context) noexcept {
  if (block.block.lane_count == LANZA_LANES_IN_REGISTERS) read_notes(block.block, context);
  restore_thread(context);
  block.leave();
}

}  // namespace lanza::executor
