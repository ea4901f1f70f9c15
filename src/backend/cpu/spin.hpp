// One turn of a loop that waits for another thread without letting go of the core.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lanza::executor {

inline void spin_pause() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

}  // namespace lanza::executor
