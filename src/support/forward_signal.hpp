// Hands a signal on to the handler that stood there before, as if nobody were in between.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace lanza {

/// For use in a signal handler. Where the default action ends the process it returns, and the instruction that faulted
/// does so when it runs again.
inline void forward_signal(const struct sigaction& previous, int signal, siginfo_t* info, void* context) noexcept {
  const bool with_info = previous.sa_flags & SA_SIGINFO;
  const bool sent = info->si_code <= 0;  // by kill or raise: it will not come again by itself
  if (!with_info && previous.sa_handler == SIG_IGN && sent) return;
  if (!with_info && (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN)) {
    ::signal(signal, SIG_DFL);
    if (sent) ::raise(signal);
    return;
  }
  if (previous.sa_flags & SA_RESETHAND) ::signal(signal, SIG_DFL);
  sigset_t blocked = previous.sa_mask, before;
  if (!(previous.sa_flags & SA_NODEFER)) ::sigaddset(&blocked, signal);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  if (with_info)
    previous.sa_sigaction(signal, info, context);
  else
    previous.sa_handler(signal);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace lanza
