// Events: recording, waiting, the time between two.
#include "backend/cuda/event.hpp"

#include "backend/cuda/context.hpp"
#include "backend/cuda/current.hpp"
#include "backend/cuda/stream.hpp"

namespace lanza::cuda_backend {

Event::Event(Context& context, bool timing) : context_(context), timing_(timing) {
  const Current current(context_.driver(), context_.raw());
  context_.call(context_.driver().cuEventCreate, &raw_, unsigned{timing ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING});
}

Event::~Event() {
  const Current current(context_.driver(), context_.raw(), std::nothrow);
  if (current.ok()) cleanup(context_.driver().cuEventDestroy_v2, raw_);
}

void Event::record(backend::Stream& other) {
  Stream& stream = stream_of(other, context_);
  const Current current(context_.driver(), context_.raw());
  context_.call(context_.driver().cuEventRecord, raw_, stream.raw());
  recorded_.store(true, std::memory_order_release);
}

bool Event::query() {
  if (!recorded()) return true;
  const Current current(context_.driver(), context_.raw());
  const auto& routine = context_.driver().cuEventQuery;
  const CUresult result = routine(raw_);
  if (result == CUDA_ERROR_NOT_READY) return false;
  context_.check(result, routine.name);
  return true;
}

void Event::synchronize() {
  if (!recorded()) return;
  const Current current(context_.driver(), context_.raw());
  context_.call(context_.driver().cuEventSynchronize, raw_);
}

float Event::milliseconds_since(backend::Event& other) {
  auto* start = dynamic_cast<Event*>(&other);
  if (!start) throw InvalidArgument("the time between events of different backends is not defined");
  if (!start->timing_ || !timing_) throw InvalidArgument("an event that was made with timing=false has no time");
  if (!start->recorded()) throw InvalidArgument("the start event was never recorded; call record() on it first");
  if (!recorded()) throw InvalidArgument("the end event was never recorded; call record() on it first");
  if (&start->context_ != &context_)
    throw InvalidArgument("the events belong to different contexts, whose clocks differ");
  start->synchronize();
  synchronize();
  const Current current(context_.driver(), context_.raw());
  float milliseconds = 0;
  context_.call(context_.driver().cuEventElapsedTime, &milliseconds, start->raw_, raw_);
  return milliseconds;
}

}  // namespace lanza::cuda_backend
