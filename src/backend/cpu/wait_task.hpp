// Work of a stream that waits until another stream has come to a certain point.
#pragma once

#include <memory>
#include <utility>

#include "backend/cpu/stream_queue.hpp"

namespace lanza::executor {

class WaitTask final : public Task {
 public:
  WaitTask(std::shared_ptr<Progress> progress, std::uint64_t count) : progress_(std::move(progress)), count_(count) {}
  void run(StreamQueue&) override { progress_->wait(count_); }

 private:
  std::shared_ptr<Progress> progress_;
  std::uint64_t count_;
};

}  // namespace lanza::executor
