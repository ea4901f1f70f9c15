// A CUDA event: a point in a stream's work.
#pragma once

#include <atomic>

#include "backend/backend.hpp"
#include "backend/cuda/driver.hpp"

namespace lanza::cuda_backend {

class Context;

class Event final : public backend::Event {
 public:
  Event(Context&, bool timing);
  ~Event() override;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(backend::Stream&) override;
  bool query() override;
  void synchronize() override;
  float milliseconds_since(backend::Event& start) override;
  std::uintptr_t handle() const override { return reinterpret_cast<std::uintptr_t>(raw_); }

  CUevent raw() const { return raw_; }
  bool recorded() const { return recorded_.load(std::memory_order_acquire); }

 private:
  Context& context_;
  CUevent raw_ = nullptr;
  bool timing_;
  std::atomic<bool> recorded_{false};
};

}  // namespace lanza::cuda_backend
