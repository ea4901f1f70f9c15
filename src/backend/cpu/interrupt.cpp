// The signal that ends kernels, its handler, and who gets it.
#include "backend/cpu/interrupt.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <utility>

#include "backend/cpu/block_state.hpp"
#include "backend/cpu/fault_handler.hpp"
#include "backend/cpu/grid_run.hpp"
#include "support/forward_signal.hpp"

namespace lanza::executor {
namespace {

// Ignored by default and used by next to nobody, so that a stray one does no harm.
constexpr int interrupt_signal = SIGURG;

struct sigaction previous;

bool has_handler(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

void handle_interrupt(int signal, siginfo_t* info, void* context) {
  BlockState* block = interrupted_kernel(context);
  if (block && block->run->stopped()) leave_interrupted(*block, context);
  const bool ours = info->si_code == SI_TKILL && info->si_pid == getpid();
  if (!ours && has_handler(previous)) forward_signal(previous, signal, info, context);
}

void install_handler() {
  struct sigaction action = {};
  action.sa_sigaction = handle_interrupt;
  // NODEFER: the handler is left by longjmp, which does not restore the mask.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
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
  Worker* next = nullptr;
};

struct Workers {
  std::mutex mutex;
  Worker* first = nullptr;
};

Workers& workers() {
  static Workers& made = *new Workers;  // never destroyed: threads may end while the process does
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

}  // namespace

WorkOn::WorkOn(const GridRun& run) : before_(this_worker().run.exchange(&run, std::memory_order_release)) {}

WorkOn::~WorkOn() { this_worker().run.store(before_, std::memory_order_release); }

bool interrupt_threads(const GridRun& run) noexcept {
  static std::once_flag once;
  std::call_once(once, install_handler);
  std::lock_guard lock(workers().mutex);
  bool any = false;
  for (const Worker* worker = workers().first; worker; worker = worker->next) {
    if (worker->run.load(std::memory_order_acquire) != &run) continue;
    pthread_kill(worker->thread, interrupt_signal);
    any = true;
  }
  return any;
}

}  // namespace lanza::executor
