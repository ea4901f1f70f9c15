#include "compiler/guard.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/Signals.h>

#include "support/forward_signal.hpp"

namespace lanza::compiler {
namespace {

constexpr std::size_t stack_bytes = 8 << 20;
constexpr std::size_t stack_guard_bytes = 1 << 20;  // more than any frame of the compiler
constexpr std::size_t signal_stack_bytes = 64 << 10;
constexpr std::array caught_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};

// True where LLVM must not install handlers, not even to have them taken out at once: one that catches a fault of
// another thread ends crash recovery for good. Its calls come here (--wrap).
thread_local bool keeps_handlers = false;

// Why the work of this thread ended, set where that is known. Plain memory: a signal handler writes it.
thread_local char reason[512];
thread_local bool guarded = false;
thread_local const char* stack_bottom = nullptr;

void explain(const char* text, std::size_t size) {
  size = std::min(size, sizeof reason - 1);
  std::memcpy(reason, text, size);
  reason[size] = 0;
}

// The address lies in the guard page below this thread's stack, or near it.
bool is_stack_overflow(const void* address) {
  const auto* fault = static_cast<const char*>(address);
  return stack_bottom && fault < stack_bottom + 4096 && fault >= stack_bottom - stack_guard_bytes;
}

const char* name_of(int signal, const siginfo_t* info) {
  if (signal == SIGSEGV && is_stack_overflow(info->si_addr))
    return "the compiler ran out of stack: the source nests or recurses too deeply";
  switch (signal) {
    case SIGSEGV:
      return "the compiler crashed (segmentation fault)";
    case SIGBUS:
      return "the compiler crashed (bus error)";
    case SIGFPE:
      return "the compiler crashed (arithmetic error)";
    case SIGILL:
      return "the compiler crashed (illegal instruction)";
    case SIGTRAP:
      return "the compiler crashed (trap)";
    default:
      return "the compiler aborted";
  }
}

// ---- handlers of signals
// -----------------------------------------------------------------------------------------------------
//
// They stand while a guarded call runs and go with the last one. Somebody may install a handler over ours meanwhile and
// hand on to us for ever; then ours cannot be taken out, and the next call installs another one on top. Each level so
// has handlers of its own with a fixed place in the chain, and no cycle can form.

constexpr int levels = 8;
using Actions = std::array<struct sigaction, caught_signals.size()>;
std::array<Actions, levels> previous;
std::mutex handlers_lock;
int running_calls = 0;
int current_level = -1;

// A fault that is not the compiler's is for the handler that was there before.
void forward(int level, int signal, siginfo_t* info, void* context) {
  for (std::size_t i = 0; i < caught_signals.size(); ++i) {
    if (caught_signals[i] == signal) return forward_signal(previous[level][i], signal, info, context);
  }
}

template <int level>
void handle(int signal, siginfo_t* info, void* context) {
  if (llvm::CrashRecoveryContext* recovery = llvm::CrashRecoveryContext::GetCurrent()) {
    const char* text = name_of(signal, info);
    if (guarded && !reason[0]) explain(text, std::strlen(text));
    recovery->HandleExit(128 + signal);
  }
  forward(level, signal, info, context);
}

using Handler = void (*)(int, siginfo_t*, void*);
template <std::size_t... i>
constexpr std::array<Handler, levels> make_handlers(std::index_sequence<i...>) {
  return {handle<i>...};
}
constexpr auto handlers = make_handlers(std::make_index_sequence<levels>{});

// The level whose handler is on top for all signals, or -1.
int level_on_top() {
  for (int level = 0; level < levels; ++level) {
    bool all = true;
    for (int signal : caught_signals) {
      struct sigaction now;
      ::sigaction(signal, nullptr, &now);
      all = all && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handlers[level];
    }
    if (all) return level;
  }
  return -1;
}

void install_handlers() {
  const std::lock_guard lock(handlers_lock);
  ++running_calls;
  if (level_on_top() >= 0 || current_level + 1 == levels) return;
  ++current_level;
  struct sigaction action = {};
  action.sa_sigaction = handlers[current_level];
  // NODEFER: the handler is left by longjmp, which does not restore the mask. ONSTACK: for stack overflows.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  ::sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < caught_signals.size(); ++i) {
    ::sigaction(caught_signals[i], nullptr, &previous[current_level][i]);  // a fault may come as soon as ours stands
    ::sigaction(caught_signals[i], &action, nullptr);
  }
}

void remove_handlers() {
  const std::lock_guard lock(handlers_lock);
  if (--running_calls > 0) return;
  while (current_level >= 0 && level_on_top() == current_level) {
    for (std::size_t i = 0; i < caught_signals.size(); ++i)
      ::sigaction(caught_signals[i], &previous[current_level][i], nullptr);
    --current_level;
  }
}

// ---- LLVM
// --------------------------------------------------------------------------------------------------------------------

void on_fatal_error(void*, const char* message, bool) {
  if (!llvm::CrashRecoveryContext::GetCurrent()) return;
  std::string text = "fatal error in the compiler: ";
  abandon(text + message);
}

// Has LLVM believe that its handlers stand: those for crash recovery, and those that remove temporary files, which
// would replace the process's handlers of SIGINT, SIGTERM and others (lld asks for them).
void prepare_llvm() {
  keeps_handlers = true;
  llvm::CrashRecoveryContext::Enable();
  llvm::sys::AddSignalHandler([](void*) {}, nullptr);
  keeps_handlers = false;
  llvm::install_fatal_error_handler(on_fatal_error);
}

// ---- the thread
// --------------------------------------------------------------------------------------------------------------

void run_work(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    abandon("the compiler ran out of memory");
  } catch (const std::exception& error) {
    abandon(std::string("the compiler failed: ") + error.what());
  }
}

// Signals that are sent to the process are for its own threads; faults are ours.
void block_foreign_signals() {
  sigset_t mask;
  ::sigfillset(&mask);
  for (int signal : caught_signals) ::sigdelset(&mask, signal);
  ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

// How it failed; nothing: it did not.
std::string run_on_this_thread(const std::function<void()>& work) {
  block_foreign_signals();
  stack_t stack = {}, old_stack = {};
  ::sigaltstack(nullptr, &old_stack);  // before LLVM installs one of its own
  static std::once_flag once;
  std::call_once(once, prepare_llvm);

  const std::unique_ptr<char[]> signal_stack(new char[signal_stack_bytes]);
  stack.ss_sp = signal_stack.get();
  stack.ss_size = signal_stack_bytes;
  ::sigaltstack(&stack, nullptr);
  pthread_attr_t attributes;
  void* bottom = nullptr;
  std::size_t size = 0;
  ::pthread_getattr_np(::pthread_self(), &attributes);
  ::pthread_attr_getstack(&attributes, &bottom, &size);
  ::pthread_attr_destroy(&attributes);
  stack_bottom = static_cast<const char*>(bottom);

  install_handlers();
  reason[0] = 0;
  guarded = true;
  // Two contexts: a crash may leave clean-ups to the inner one, and those may crash again.
  llvm::CrashRecoveryContext outer;
  bool finished = false;
  outer.RunSafely([&] {
    llvm::CrashRecoveryContext inner;
    finished = inner.RunSafely([&] { run_work(work); });
  });
  guarded = false;
  remove_handlers();
  ::sigaltstack(&old_stack, nullptr);
  if (finished) return {};
  return reason[0] ? reason : "the compiler ended itself";
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the names are the linker's.
extern "C" int __real_sigaction(int signal, const struct sigaction* action, struct sigaction* before);
extern "C" int __wrap_sigaction(int signal, const struct sigaction* action, struct sigaction* before);
extern "C" int __wrap_sigaction(int signal, const struct sigaction* action, struct sigaction* before) {
  return __real_sigaction(signal, keeps_handlers ? nullptr : action, before);
}
// NOLINTEND(bugprone-reserved-identifier)

void abandon(const std::string& why) {
  explain(why.data(), why.size());
  llvm::CrashRecoveryContext::GetCurrent()->HandleExit(1);
}

struct GuardedWork::Call {
  std::function<void()> work;
  std::string failure;
  pthread_t thread{};
  bool is_running = false;
};

void* GuardedWork::run(void* call) {
  const std::unique_ptr<std::shared_ptr<Call>> mine(static_cast<std::shared_ptr<Call>*>(call));
  (*mine)->failure = run_on_this_thread((*mine)->work);
  return nullptr;
}

GuardedWork::GuardedWork(std::function<void()> work) : call_(std::make_shared<Call>()) {
  call_->work = std::move(work);
  auto argument = std::make_unique<std::shared_ptr<Call>>(call_);
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, stack_bytes + stack_guard_bytes);
  ::pthread_attr_setguardsize(&attributes, stack_guard_bytes);
  const int error = ::pthread_create(&call_->thread, &attributes, run, argument.get());
  ::pthread_attr_destroy(&attributes);
  call_->is_running = error == 0;
  if (error)
    call_->failure = std::string("no thread for the compiler could be started: ") + std::strerror(error);
  else
    argument.release();  // NOLINT(bugprone-unused-return-value): the thread's
}

GuardedWork::~GuardedWork() { wait(); }

const std::string& GuardedWork::wait() {
  if (std::exchange(call_->is_running, false)) ::pthread_join(call_->thread, nullptr);
  return call_->failure;
}

std::string run_guarded(const std::function<void()>& work) { return GuardedWork(work).wait(); }

}  // namespace lanza::compiler
