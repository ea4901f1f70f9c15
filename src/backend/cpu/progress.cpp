// How far a stream has come.
#include "backend/cpu/progress.hpp"

#include <algorithm>

namespace lanza::executor {

void Progress::wait(std::uint64_t count) {
  if (reached(count)) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return reached(count); });
}

bool Progress::wait_for(std::uint64_t count, std::chrono::nanoseconds limit) {
  if (reached(count)) return true;
  // Far limits would overflow the clock.
  limit = std::min<std::chrono::nanoseconds>(limit, std::chrono::hours(24 * 365));
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [&] { return reached(count); });
}

}  // namespace lanza::executor
