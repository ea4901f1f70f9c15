// Streams of the CPU device.
#include "backend/cpu/stream.hpp"

#include "backend/cpu/event.hpp"
#include "backend/cpu/wait_task.hpp"
#include "support/log.hpp"

namespace lanza::executor {

Stream::Stream(std::shared_ptr<StreamGroup> group, StreamKind kind, std::shared_ptr<ContextMemory> memory)
    : group_(std::move(group)), queue_(std::make_shared<StreamQueue>(std::move(memory))), kind_(kind) {
  group_->add(queue_, kind_);
}

Stream::Stream(std::shared_ptr<StreamGroup> group, std::shared_ptr<StreamQueue> queue, StreamKind kind)
    : group_(std::move(group)), queue_(std::move(queue)), kind_(kind), adopted_(true) {}

Stream::~Stream() {
  if (adopted_) return;
  group_->remove(*queue_);
  queue_->abandon();
  if (const auto error = queue_->take_error())
    log::warning("a stream ended with an error that nobody asked for: {}", error->what());
}

void Stream::synchronize() {
  queue_->work_off(Clock::time_point::max());
  for (const auto& [other, count] : group_->before(kind_)) other->wait(count);
  progress()->wait(progress()->submitted());
  report();
}

bool Stream::synchronize_for(std::chrono::nanoseconds limit) {
  const auto start = Clock::now();
  const auto rest = [&] { return limit - (Clock::now() - start); };
  queue_->work_off(start + limit);
  for (const auto& [other, count] : group_->before(kind_)) {
    if (!other->wait_for(count, rest())) return false;
  }
  if (!progress()->wait_for(progress()->submitted(), rest())) return false;
  report();
  return true;
}

bool Stream::query() {
  if (!progress()->idle()) return false;
  queue_->printer()->flush();
  return true;
}

void Stream::wait(backend::Event& event) {
  const auto recording = Event::of(event).recording();
  if (!recording || recording->progress->reached(recording->count) || recording->progress == progress()) return;
  submit(std::make_shared<WaitTask>(recording->progress, recording->count));
}

// What the work so far has left: output, then the first error, once.
void Stream::report() {
  queue_->printer()->flush();
  if (const auto error = queue_->take_error()) throw LaunchError(*error);
}

Recording Stream::record() {
  struct RecordTask final : Task {
    explicit RecordTask(std::shared_ptr<std::atomic<Clock::rep>> t) : time(std::move(t)) {}
    void run(StreamQueue&) override { time->store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed); }
    std::shared_ptr<std::atomic<Clock::rep>> time;
  };
  Recording recording{progress(), 0, std::make_shared<std::atomic<Clock::rep>>(0), queue_->printer()};
  if (try_begin()) {
    recording.time->store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
    recording.count = progress()->submitted();
    queue_->end();
  } else {
    // Another thread's work may come between: then the event is reached a little later than recorded, never too early.
    queue_->push(std::make_shared<RecordTask>(recording.time));
    recording.count = progress()->submitted();
  }
  return recording;
}

Stream& Stream::of(backend::Stream& stream) {
  auto* own = dynamic_cast<Stream*>(&stream);
  if (!own)
    throw InvalidArgument(
        "a stream of another device was given to the CPU device; make one with Stream(device=\"cpu\")");
  return *own;
}

}  // namespace lanza::executor
