// Events of the CPU device.
#include "backend/cpu/event.hpp"

#include <fmt/format.h>

namespace lanza::executor {

void Event::record(backend::Stream& stream) {
  auto recording = Stream::of(stream).record();
  std::lock_guard lock(mutex_);
  recording_ = std::move(recording);
}

bool Event::query() {
  const auto r = recording();
  if (r && !r->progress->reached(r->count)) return false;
  if (r) r->printer->flush();
  return true;
}

void Event::synchronize() {
  const auto r = recording();
  if (!r) return;
  r->progress->wait(r->count);
  r->printer->flush();
}

float Event::milliseconds_since(backend::Event& start) {
  const auto begin = Event::of(start).time("first");
  const auto end = time("second");
  return std::chrono::duration<float, std::milli>(end - begin).count();
}

Clock::time_point Event::time(const char* which) {
  if (!timing_) throw InvalidArgument(fmt::format("the {} event keeps no time; make it with timing=True", which));
  const auto r = recording();
  if (!r)
    throw InvalidArgument(
        fmt::format("the {} event was not recorded; record it in a stream before asking for the time", which));
  r->progress->wait(r->count);
  return Clock::time_point(Clock::duration(r->time->load(std::memory_order_relaxed)));
}

std::optional<Recording> Event::recording() {
  std::lock_guard lock(mutex_);
  return recording_;
}

Event& Event::of(backend::Event& event) {
  auto* own = dynamic_cast<Event*>(&event);
  if (!own)
    throw InvalidArgument(
        "an event of another device was given to the CPU device; events are compared and waited for on one device");
  return *own;
}

}  // namespace lanza::executor
