// Streams: waiting for them, asking them, making them wait.
#include "backend/cuda/stream.hpp"

#include <algorithm>
#include <thread>

#include "backend/cuda/context.hpp"
#include "backend/cuda/current.hpp"
#include "backend/cuda/event.hpp"

namespace lanza::cuda_backend {

Stream::Stream(Context& context, CUstream raw, bool owned) : context_(context), raw_(raw), owned_(owned) {
  context_.add(*this);
}

Stream::~Stream() {
  context_.remove(*this);
  UploadRing* const uploads = uploads_.load(std::memory_order_acquire);
  if (!owned_ && !uploads) return;
  const Current current(context_.driver(), context_.raw(), std::nothrow);
  if (!current.ok()) return;
  if (uploads && uploads->leave(raw_)) context_.upload_rings().give_back(uploads);
  if (owned_) cleanup(context_.driver().cuStreamDestroy_v2, raw_);
}

UploadRing& Stream::uploads() {
  UploadRing* ring = uploads_.load(std::memory_order_acquire);
  if (ring) return *ring;
  UploadRing* const made = context_.upload_rings().take();
  if (uploads_.compare_exchange_strong(ring, made, std::memory_order_acq_rel)) return *made;
  context_.upload_rings().give_back(made);  // another thread was first
  return *ring;
}

void Stream::synchronize() {
  const Current current(context_.driver(), context_.raw());
  const std::uint64_t launched = recent_.count();
  context_.call(context_.driver().cuStreamSynchronize, raw_);
  recent_.done(launched);
}

bool Stream::query() {
  const Current current(context_.driver(), context_.raw());
  const std::uint64_t launched = recent_.count();
  const auto& routine = context_.driver().cuStreamQuery;
  const CUresult result = routine(raw_);
  if (result == CUDA_ERROR_NOT_READY) return false;
  context_.check(result, routine.name);
  recent_.done(launched);
  return true;
}

bool Stream::synchronize_for(std::chrono::nanoseconds limit) {
  using Clock = std::chrono::steady_clock;
  using namespace std::chrono_literals;
  if (query()) return true;
  const Clock::time_point start = Clock::now();
  for (;;) {
    const Clock::duration waited = Clock::now() - start;
    if (waited >= limit) return query();
    // Polling for the first millisecond answers short kernels at once; after that sleeping a sixteenth of the time
    // already waited costs at most as much latency and leaves the core to others.
    if (waited < 1ms) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::min<Clock::duration>({waited / 16, 1ms, limit - waited}));
    }
    if (query()) return true;
  }
}

void Stream::wait(backend::Event& other) {
  auto* event = dynamic_cast<Event*>(&other);
  if (!event)
    throw InvalidArgument("a CUDA stream cannot wait for an event of another backend; synchronize the event instead");
  if (!event->recorded()) return;
  const Current current(context_.driver(), context_.raw());
  context_.call(context_.driver().cuStreamWaitEvent, raw_, event->raw(), 0u);
}

Stream& stream_of(backend::Stream& stream, const Context& context) {
  auto& ours = static_cast<Stream&>(stream);
  if (&ours.context() != &context) [[unlikely]]
    throw InvalidArgument(
        "the stream belongs to another context; use one of the same context as the memory, kernel or event");
  return ours;
}

}  // namespace lanza::cuda_backend
