// The signal that ends kernels, its handler, and who gets it.
#include "backend/cpu/interrupt.hpp"

#include <signal.h>
#include <unistd.h>

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

// Threads of pools and streams keep other signals away.
void let_signal_through() {
  thread_local const bool once = [] {
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, interrupt_signal);
    return pthread_sigmask(SIG_UNBLOCK, &set, nullptr) == 0;
  }();
  (void)once;
}

}  // namespace

InterruptibleThreads::Inside::Inside(InterruptibleThreads& threads) : threads_(threads) {
  let_signal_through();
  std::lock_guard lock(threads_.mutex_);
  next_ = threads_.first_;
  threads_.first_ = this;
}

InterruptibleThreads::Inside::~Inside() {
  std::lock_guard lock(threads_.mutex_);
  Inside** link = &threads_.first_;
  while (*link != this) link = &(*link)->next_;
  *link = next_;
}

bool InterruptibleThreads::interrupt() noexcept {
  static std::once_flag once;
  std::call_once(once, install_handler);
  std::lock_guard lock(mutex_);
  for (const Inside* inside = first_; inside; inside = inside->next_) pthread_kill(inside->thread_, interrupt_signal);
  return first_ != nullptr;
}

}  // namespace lanza::executor
