// The copying threads: each takes one contiguous part.
#include "backend/cuda/copy_team.hpp"

#include <algorithm>
#include <cstring>
#include <system_error>

#include "support/cpu.hpp"

namespace lanza::cuda_backend {
namespace {
constexpr unsigned most_threads = 4;
constexpr std::size_t page = 4096;
}  // namespace

CopyTeam::~CopyTeam() {
  stop_ = true;
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  for (std::thread& t : workers_) t.join();
}

void CopyTeam::start() {
  started_ = true;
  const unsigned helpers = std::min(most_threads, cpu_threads()) - 1;
  try {
    for (unsigned i = 0; i < helpers; ++i) workers_.emplace_back([this, i] { work(i); });
  } catch (const std::system_error&) {
    // Fewer threads copy more slowly; nothing else changes.
  }
}

void CopyTeam::copy_part(unsigned index) const {
  const std::size_t begin = std::min(bytes_, index * part_), end = std::min(bytes_, begin + part_);
  std::memcpy(destination_ + begin, source_ + begin, end - begin);
}

void CopyTeam::work(unsigned index) {
  std::uint32_t seen = 0;
  for (;;) {
    generation_.wait(seen, std::memory_order_acquire);
    const std::uint32_t now = generation_.load(std::memory_order_acquire);
    if (now == seen) continue;
    seen = now;
    if (stop_) return;
    copy_part(index);
    if (remaining_.fetch_sub(1, std::memory_order_acq_rel) == 1) remaining_.notify_one();
  }
}

void CopyTeam::copy(void* destination, const void* source, std::size_t bytes) {
  if (!started_) start();
  const auto helpers = static_cast<unsigned>(workers_.size());
  destination_ = static_cast<char*>(destination);
  source_ = static_cast<const char*>(source);
  bytes_ = bytes;
  part_ = (bytes / (helpers + 1) + page) / page * page;
  remaining_.store(helpers, std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  copy_part(helpers);
  for (std::uint32_t left; (left = remaining_.load(std::memory_order_acquire)) != 0;)
    remaining_.wait(left, std::memory_order_acquire);
}

}  // namespace lanza::cuda_backend
