// The signal that ends kernels, its handler, and who gets it.
#include "backend/cpu/interrupt.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <utility>

#include "backend/cpu/block_state.hpp"
#include "backend/cpu/fault_handler.hpp"
#include "backend/cpu/grid_run.hpp"
#include "backend/cpu/watchdog.hpp"
#include "support/forward_signal.hpp"
#include "support/interrupt_check.hpp"

namespace lanza::executor {
namespace {

// Ignored by default and used by next to nobody, so that a stray one does no harm.
constexpr int interrupt_signal = SIGURG;

struct sigaction previous;

bool has_handler(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

constinit thread_local WorkOn::For working_for [[gnu::tls_model("initial-exec")]] = WorkOn::For::Stream;

// What the program does when it is asked needs stack. A kernel deep in recursion is asked another time.
constexpr std::uintptr_t asked_stack = std::uintptr_t{1} << 20;

bool has_room(const BlockState& block) noexcept {
  return block.stack_base() - reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < asked_stack;
}

// The program may do anything when it is asked, such as run other kernels.
bool program_wants_end() noexcept {
  const InterruptCheck check = interrupt_check();
  if (!check) return false;
  const int error = errno;
  BlockState* const block = std::exchange(running_block, nullptr);
  const bool wants = check();
  running_block = block;
  errno = error;
  return wants;
}

void handle_interrupt(int signal, siginfo_t* info, void* context) {
  BlockState* block = interrupted_kernel(context);
  if (block && !block->run->stopped() && working_for == WorkOn::For::Caller && has_room(*block) &&
      program_wants_end()) {
    block->run->fail("interrupted");
    if (const auto shared = block->run->weak_from_this().lock()) interrupt(shared);  // its helpers
  }
  if (block && block->run->stopped()) leave_interrupted(*block, context);
  const bool ours = info->si_code == SI_TKILL && info->si_pid == getpid();
  if (!ours && has_handler(previous)) forward_signal(previous, signal, info, context);
}

void install_handler() {
  struct sigaction action = {};
  action.sa_sigaction = handle_interrupt;
  // NODEFER: the handler is left by longjmp, which does not restore the mask. Not ONSTACK: the program is asked from
  // here, and wants a thread's usual stack.
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(interrupt_signal, nullptr, &previous);
  ::sigaction(interrupt_signal, &action, nullptr);
}

// What a thread works on. Known to all from its first launch to its end; the thread alone writes `run`.
struct Worker {
  Worker();
  ~Worker();
  pthread_t thread = pthread_self();
  std::atomic<const GridRun*> run{nullptr};
  // A thread of the program is kept by a run; how many have begun so.
  std::atomic<bool> kept{false};
  std::atomic<std::uint64_t> begun{0};
  std::uint64_t seen = 0;  // ask_callers() alone
  Worker* next = nullptr;
};

struct Workers {
  std::mutex mutex;
  Worker* first = nullptr;
};

Workers& workers() {
  static Workers& made = *[] {
    // The child of a fork must not find it locked by a thread that it does not have.
    pthread_atfork([] { workers().mutex.lock(); }, [] { workers().mutex.unlock(); }, [] { workers().mutex.unlock(); });
    return new Workers;  // never destroyed: threads may end while the process does
  }();
  return made;
}

Worker::Worker() {
  // Threads of pools and streams keep other signals away.
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, interrupt_signal);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  std::lock_guard lock(workers().mutex);
  next = std::exchange(workers().first, this);
}

Worker::~Worker() {
  std::lock_guard lock(workers().mutex);
  Worker** link = &workers().first;
  while (*link != this) link = &(*link)->next;
  *link = next;
}

Worker& this_worker() {
  thread_local Worker worker;
  return worker;
}

void provide_handler() {
  static std::once_flag once;
  std::call_once(once, install_handler);
}

// Whether ask_callers() is being called. Who begins a run says so first and looks here then; who ends the calls says so
// here first and looks for runs then.
std::atomic<bool> watched{false};
constexpr unsigned quiet_calls = 50;

void watch() noexcept {
  if (!watched.load() && !watched.exchange(true) && !watch_callers()) watched.store(false);
}

// Sends the signal to those that are where they were. False: no caller has run anything since the last look.
bool look_at_callers(bool asks) noexcept {
  bool any = false;
  std::lock_guard lock(workers().mutex);
  for (Worker* worker = workers().first; worker; worker = worker->next) {
    const std::uint64_t begun = worker->begun.load();
    const bool kept = worker->kept.load(std::memory_order_relaxed);
    any |= kept || begun != worker->seen;
    if (asks && kept && begun == worker->seen) pthread_kill(worker->thread, interrupt_signal);
    worker->seen = begun;
  }
  return any;
}

}  // namespace

WorkOn::WorkOn(const GridRun& run, For whom) : whom_before_(std::exchange(working_for, whom)) {
  Worker& worker = this_worker();
  run_before_ = worker.run.load(std::memory_order_relaxed);
  worker.run.store(&run, std::memory_order_release);
  if (whom != For::Caller || !interrupt_check()) return;
  worker.kept.store(true, std::memory_order_relaxed);
  worker.begun.fetch_add(1);
  watch();
}

WorkOn::~WorkOn() {
  Worker& worker = this_worker();
  worker.kept.store(whom_before_ == For::Caller && run_before_, std::memory_order_relaxed);
  worker.run.store(run_before_, std::memory_order_release);
  working_for = whom_before_;
}

bool interrupt_threads(const GridRun& run) noexcept {
  provide_handler();
  std::lock_guard lock(workers().mutex);
  bool any = false;
  for (const Worker* worker = workers().first; worker; worker = worker->next) {
    if (worker->run.load(std::memory_order_acquire) != &run) continue;
    pthread_kill(worker->thread, interrupt_signal);
    any = true;
  }
  return any;
}

bool ask_callers() noexcept {
  static constinit unsigned quiet = 0;
  provide_handler();
  quiet = look_at_callers(true) ? 0 : quiet + 1;
  if (quiet < quiet_calls) return true;
  quiet = 0;
  watched.store(false);
  return look_at_callers(false) && !watched.exchange(true);
}

}  // namespace lanza::executor
