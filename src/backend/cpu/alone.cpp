#include "backend/cpu/alone.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "backend/cpu/cache_aligned.hpp"
#include "backend/cpu/spin.hpp"

namespace lanza::executor {
namespace {

constexpr std::uint32_t one_alone = 1, one_beside = 2;

struct alignas(cache_line) Who {
  std::atomic<std::uint32_t> inside{0};
};
constinit Who who;

// The child of a fork has none of the threads that were inside.
[[maybe_unused]] const int forget =
    pthread_atfork(nullptr, nullptr, [] { who.inside.store(0, std::memory_order_relaxed); });

}  // namespace

bool alone::try_enter() noexcept {
  std::uint32_t nobody = 0;
  return who.inside.compare_exchange_strong(nobody, one_alone, std::memory_order_acquire, std::memory_order_relaxed);
}

void alone::leave() noexcept {
  if (who.inside.fetch_sub(one_alone, std::memory_order_release) != one_alone) who.inside.notify_all();
}

void beside::enter() noexcept {
  std::uint32_t inside = who.inside.fetch_add(one_beside, std::memory_order_acquire) + one_beside;
  for (int i = 0; inside & one_alone; ++i) {
    if (i < 1000)
      spin_pause();
    else
      who.inside.wait(inside, std::memory_order_relaxed);
    inside = who.inside.load(std::memory_order_acquire);
  }
}

void beside::leave() noexcept { who.inside.fetch_sub(one_beside, std::memory_order_release); }

}  // namespace lanza::executor
