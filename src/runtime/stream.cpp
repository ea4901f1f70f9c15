// Streams: what they keep alive until their work is done, and waiting for it.
#include <lanza/event.hpp>
#include <lanza/stream.hpp>

#include <iterator>
#include <utility>

#include "runtime/current_stack.hpp"
#include "runtime/records.hpp"
#include "runtime/registry.hpp"
#include "support/log.hpp"

namespace lanza {
namespace detail {

StreamRecord::StreamRecord(ContextRecord& default_stream_of)
    : context(default_stream_of), stream(default_stream_of.context->default_stream()) {}

StreamRecord::StreamRecord(std::shared_ptr<ContextRecord> parent_context, std::unique_ptr<backend::Stream> made)
    : parent(std::move(parent_context)), context(*parent), owned(std::move(made)), stream(*owned) {}

StreamRecord::~StreamRecord() {
  if (!keeps_) return;
  try {
    stream.synchronize();
  } catch (const std::exception& error) {
    log::warning("work on a stream that was given up failed: {}", error.what());
  }
}

void StreamRecord::keep(std::shared_ptr<void> thing) {
  constexpr std::size_t often =
      256;  // look whether the stream is idle, so that launches that nobody waits for do not pile up
  bool full;
  {
    std::lock_guard lock(mutex_);
    kept_.push_back(std::move(thing));
    keeps_ = true;
    full = kept_.size() % often == 0;
  }
  if (!full) return;
  auto held = take_kept();
  if (stream.query()) return;
  std::lock_guard lock(mutex_);
  kept_.insert(kept_.end(), std::make_move_iterator(held.begin()), std::make_move_iterator(held.end()));
  keeps_ = true;
}

std::vector<std::shared_ptr<void>> StreamRecord::take_kept() {
  if (!keeps_.load(std::memory_order_relaxed)) return {};
  std::lock_guard lock(mutex_);
  keeps_ = false;
  return std::exchange(kept_, {});
}

void StreamRecord::synchronize() {
  const auto held = take_kept();  // before the wait: what comes later is not done after it
  stream.synchronize();
}

bool StreamRecord::query() { return stream.query(); }

std::shared_ptr<StreamRecord> share(StreamRecord& stream) {
  if (stream.parent) return stream.shared_from_this();
  return {stream.context.shared_from_this(), &stream};
}

}  // namespace detail

namespace {

std::shared_ptr<detail::StreamRecord> make_stream(const Device& device, Stream::Options options) {
  auto context = detail::context_of(device.record());
  auto made = context->context->make_stream(options.priority, options.non_blocking);
  return std::make_shared<detail::StreamRecord>(std::move(context), std::move(made));
}

}  // namespace

StreamView::StreamView(const Stream& stream) noexcept : record_(stream.shared().get()) {}

Stream::Stream(const Device& device) : Stream(device, Options()) {}
Stream::Stream(const Device& device, Options options) : record_(make_stream(device, options)) {}

Stream Stream::from_handle(std::uintptr_t handle, const Device& device) {
  auto context = detail::context_of(device.record());
  auto adopted = context->context->adopt_stream(handle);
  return Stream(std::make_shared<detail::StreamRecord>(std::move(context), std::move(adopted)));
}

void Stream::synchronize() const { record_->synchronize(); }
bool Stream::query() const { return record_->query(); }

void Stream::wait(const Event& event) const {
  if (event.device().kind() != device().kind()) return event.synchronize();
  record_->stream.wait(*event.shared()->event);
}

Event Stream::record() const {
  auto context = this->context().shared();
  auto made = context->context->make_event(true);
  auto record = std::make_shared<detail::EventRecord>(std::move(context), true, std::move(made));
  Event event(std::move(record));
  event.record(*this);
  return event;
}

Device Stream::device() const noexcept { return Device(record_->context.device); }
Context Stream::context() const noexcept { return Context(record_->context.shared_from_this()); }
std::uintptr_t Stream::handle() const { return record_->stream.handle(); }

Stream current_stream() {
  const Context context = current_context();
  return Stream(detail::share(detail::current_stream_record(*context.shared())));
}

}  // namespace lanza
