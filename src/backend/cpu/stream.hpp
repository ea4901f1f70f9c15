// Streams of the CPU device.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "backend/backend.hpp"
#include "backend/cpu/cost_history.hpp"
#include "backend/cpu/stream_group.hpp"

namespace lanza::executor {

/// A point in a stream: reached when `progress` has come to `count`, at the time that is then known.
struct Recording {
  std::shared_ptr<Progress> progress;
  std::uint64_t count = 0;
  std::shared_ptr<std::atomic<Clock::rep>> time;
  std::shared_ptr<Printer> printer;
};

class Stream final : public backend::Stream {
 public:
  Stream(std::shared_ptr<StreamGroup> group, StreamKind kind, std::shared_ptr<ContextMemory> memory);
  /// A second handle of a stream: see Context::adopt_stream.
  Stream(std::shared_ptr<StreamGroup> group, std::shared_ptr<StreamQueue> queue, StreamKind kind);
  ~Stream() override;

  void synchronize() override;
  bool synchronize_for(std::chrono::nanoseconds) override;
  bool query() override;
  void wait(backend::Event&) override;
  void cancel() noexcept override { queue_->cancel(); }
  std::uintptr_t handle() const override { return reinterpret_cast<std::uintptr_t>(queue_.get()); }

  /// As StreamQueue's, in CUDA's order with the default stream.
  bool try_begin() {
    group_->order(*queue_, kind_);
    return queue_->try_begin();
  }
  bool run_here(const std::shared_ptr<Task>& task) {
    group_->order(*queue_, kind_);
    return queue_->run_here(task);
  }
  void submit(std::shared_ptr<Task> task) {
    group_->order(*queue_, kind_);
    queue_->push(std::move(task));
  }
  /// Does `work` now when nothing is before it, else later. `work` owns or outlives what it touches.
  template <class Work>
  void run(Work work);
  Recording record();
  StreamQueue& queue() noexcept { return *queue_; }
  const std::shared_ptr<Progress>& progress() const noexcept { return queue_->progress(); }

  /// The stream behind a reference. Throws InvalidArgument when it is another backend's.
  static Stream& of(backend::Stream&);

 private:
  void report();
  std::shared_ptr<StreamGroup> group_;
  std::shared_ptr<StreamQueue> queue_;
  StreamKind kind_;
  bool adopted_ = false;
};

template <class Work>
void Stream::run(Work work) {
  if (try_begin()) {
    work();
    queue_->end();
    return;
  }
  struct Later final : Task {
    explicit Later(Work w) : work(std::move(w)) {}
    void run(StreamQueue&) override { work(); }
    Work work;
  };
  queue_->push(std::make_shared<Later>(std::move(work)));
}

}  // namespace lanza::executor
