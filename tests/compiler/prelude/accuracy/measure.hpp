// Errors in units of the last place, the largest of many, and work spread over the machine's cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace lanza::test {

/// |result - exact| in ulps of float at exact; infinity where one is NaN or infinite and the other is not, or a zero
/// has the wrong sign. A result that overflows counts as 2^128.
inline double float_ulps(float result, double exact) {
  constexpr double wrong = std::numeric_limits<double>::infinity(), top = 0x1p128;
  if (std::isnan(exact) || std::isnan(result)) return std::isnan(exact) && std::isnan(result) ? 0 : wrong;
  if (std::signbit(result) != std::signbit(exact) && (exact == 0 || (result == 0 && static_cast<float>(exact) == 0)))
    return wrong;
  if (std::isinf(exact)) return result == static_cast<float>(exact) ? 0 : wrong;
  const double value = std::isinf(result) ? std::copysign(top, result) : static_cast<double>(result);
  const double target = std::fabs(exact) > top ? std::copysign(top, exact) : exact;
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(target) >> 52 & 0x7ff) - 1023;
  const int unit = std::clamp(exponent, -126, 127) - 23;
  return std::fabs(value - target) * std::bit_cast<double>(static_cast<std::uint64_t>(1023 - unit) << 52);
}

/// The largest error so far and where it was.
struct Worst {
  double error = 0;
  std::vector<double> at;

  template <class... T>
  void take(double candidate, T... where) {
    if (candidate > error) error = candidate, at = {static_cast<double>(where)...};
  }
  void take(const Worst& other) {
    if (other.error > error) *this = other;
  }
};

/// work(begin, end, result) over [0, count) in pieces on all cores; the results of the threads are merged by
/// merge(result).
template <class Result, class Work, class Merge>
void in_parallel(std::size_t count, std::size_t piece, Work work, Merge merge) {
  std::atomic<std::size_t> next{0};
  std::mutex lock;
  auto body = [&] {
    Result mine;
    for (std::size_t begin; (begin = next.fetch_add(piece)) < count;) work(begin, std::min(count, begin + piece), mine);
    const std::lock_guard guard(lock);
    merge(mine);
  };
  const std::size_t threads =
      std::min<std::size_t>(std::max(1u, std::thread::hardware_concurrency()), count / piece + 1);
  std::vector<std::jthread> pool;
  for (std::size_t i = 1; i < threads; ++i) pool.emplace_back(body);
  body();
}

}  // namespace lanza::test
