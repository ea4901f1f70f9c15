// The streams of one context, and CUDA's rule that its default stream is ordered with all that are not non-blocking.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backend/cpu/stream_queue.hpp"

namespace lanza::executor {

enum class StreamKind : std::uint8_t {
  Default,     ///< waits for earlier work in all blocking streams
  Blocking,    ///< waits for earlier work in the default stream
  NonBlocking  ///< waits for nobody
};

/// Thread-safe.
class StreamGroup {
 public:
  void add(std::shared_ptr<StreamQueue> queue, StreamKind kind);
  void remove(const StreamQueue& queue) noexcept;
  /// The queue with that address, and its kind; null when no stream of the context has it.
  std::pair<std::shared_ptr<StreamQueue>, StreamKind> find(std::uintptr_t handle);
  std::vector<std::shared_ptr<StreamQueue>> all();
  /// What CUDA orders before the next work of a stream of that kind, and is not done yet: progress and count.
  using Marks = std::vector<std::pair<std::shared_ptr<Progress>, std::uint64_t>>;
  Marks before(StreamKind kind);
  /// Makes what is submitted next to `queue` wait for that.
  void order(StreamQueue& queue, StreamKind kind);

 private:
  struct Member {
    std::shared_ptr<StreamQueue> queue;
    StreamKind kind;
  };
  std::mutex mutex_;
  std::vector<Member> members_;
  std::shared_ptr<Progress> default_;
  std::atomic<unsigned> blocking_{0};  // how many there are: none costs nothing
};

}  // namespace lanza::executor
