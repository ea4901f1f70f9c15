// Events: made in a context, recorded in streams, compared with each other.
#include <fmt/format.h>

#include <lanza/event.hpp>

#include "runtime/current_stack.hpp"
#include "runtime/records.hpp"
#include "runtime/registry.hpp"

namespace lanza {
namespace detail {

EventRecord::EventRecord(std::shared_ptr<ContextRecord> made_in, bool timing, std::unique_ptr<backend::Event> made)
    : context(std::move(made_in)), timing(timing), event(std::move(made)) {}

}  // namespace detail

namespace {

std::shared_ptr<detail::EventRecord> make_event(const Device& device, Event::Options options) {
  auto context = detail::context_of(device.record());
  auto made = context->context->make_event(options.timing);
  return std::make_shared<detail::EventRecord>(std::move(context), options.timing, std::move(made));
}

void check_measurable(const detail::EventRecord& event, const char* which) {
  if (!event.timing) throw InvalidArgument(fmt::format("time_since: the {} event was made without timing", which));
  if (!event.recorded) throw InvalidArgument(fmt::format("time_since: the {} event was never recorded", which));
}

}  // namespace

Event::Event(const Device& device) : Event(device, Options()) {}
Event::Event(const Device& device, Options options) : record_(make_event(device, options)) {}

void Event::record(StreamView view) const {
  record_->event->record(detail::resolve(view, *record_->context).stream);
  record_->recorded = true;
}

void Event::synchronize() const { record_->event->synchronize(); }
bool Event::query() const { return record_->event->query(); }

std::chrono::duration<float, std::milli> Event::time_since(const Event& start) const {
  check_measurable(*start.record_, "start");
  check_measurable(*record_, "end");
  if (&record_->context->device != &start.record_->context->device) {
    throw InvalidArgument(
        fmt::format("time_since: the start event is of {}, the end event of {}; times of different "
                    "devices cannot be compared",
                    detail::id_of(*start.record_->context), detail::id_of(*record_->context)));
  }
  return std::chrono::duration<float, std::milli>(record_->event->milliseconds_since(*start.record_->event));
}

Device Event::device() const noexcept { return Device(record_->context->device); }
std::uintptr_t Event::handle() const { return record_->event->handle(); }

}  // namespace lanza
