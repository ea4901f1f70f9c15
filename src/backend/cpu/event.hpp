// Events of the CPU device.
#pragma once

#include <mutex>
#include <optional>

#include "backend/cpu/stream.hpp"

namespace lanza::executor {

class Event final : public backend::Event {
 public:
  explicit Event(bool timing) : timing_(timing) {}

  void record(backend::Stream&) override;
  bool query() override;
  void synchronize() override;
  float milliseconds_since(backend::Event& start) override;
  std::uintptr_t handle() const override { return reinterpret_cast<std::uintptr_t>(this); }

  /// Where it was recorded last; nothing when never.
  std::optional<Recording> recording();
  /// The event behind a reference. Throws InvalidArgument when it is another backend's.
  static Event& of(backend::Event&);

 private:
  Clock::time_point time(const char* which);
  std::mutex mutex_;
  std::optional<Recording> recording_;
  const bool timing_;
};

}  // namespace lanza::executor
