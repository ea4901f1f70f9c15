#include "runtime/current_stack.hpp"

#include <fmt/format.h>

#include <lanza/current.hpp>

#include <algorithm>
#include <atomic>
#include <vector>

#include "runtime/registry.hpp"

namespace lanza::detail {
namespace {

struct Entry {
  std::uint64_t token;
  DeviceRecord* device;
  std::shared_ptr<ContextRecord> context;
  std::shared_ptr<StreamRecord> stream;
};

// What launches look at: plain data, so that it can be read at any time, also while the thread or the process ends. Its
// static TLS model saves a call into the loader at every launch.
struct View {
  const Entry* entries;
  std::size_t count;
  bool ended;
};
__attribute__((tls_model("initial-exec"))) thread_local constinit View view{nullptr, 0, false};

struct Stack {
  std::vector<Entry> entries;

  void publish() noexcept {
    view.entries = entries.data();
    view.count = entries.size();
  }
  ~Stack() { view = {nullptr, 0, true}; }
};

Stack& stack() {
  thread_local Stack instance;
  return instance;
}

// The nearest entry of that device, or null.
const Entry* nearest(const DeviceRecord& device) noexcept {
  for (std::size_t i = view.count; i-- > 0;) {
    if (view.entries[i].device == &device) return &view.entries[i];
  }
  return nullptr;
}

}  // namespace

std::uint64_t push_current(DeviceRecord& device, std::shared_ptr<ContextRecord> context,
                           std::shared_ptr<StreamRecord> stream) {
  static std::atomic<std::uint64_t> next{1};
  if (view.ended) throw Error("nothing can be made current on a thread that ends");
  Stack& s = stack();
  const std::uint64_t token = next.fetch_add(1, std::memory_order_relaxed);
  s.entries.push_back({token, &device, std::move(context), std::move(stream)});
  s.publish();
  return token;
}

void pop_current(std::uint64_t token) noexcept {
  if (view.ended || view.count == 0) return;
  Stack& s = stack();
  const auto found =
      std::find_if(s.entries.rbegin(), s.entries.rend(), [&](const Entry& e) { return e.token == token; });
  if (found == s.entries.rend()) return;
  const Entry removed = std::move(*found);  // destroyed after the stack is in order again
  s.entries.erase(std::next(found).base());
  s.publish();
}

DeviceRecord* current_device_record() noexcept {
  return view.count == 0 ? nullptr : view.entries[view.count - 1].device;
}

ContextRecord* current_context_record(const DeviceRecord& device) noexcept {
  const Entry* entry = nearest(device);
  return entry ? entry->context.get() : nullptr;
}

StreamRecord& current_stream_record(ContextRecord& context) noexcept {
  if (view.count != 0) {
    const Entry* entry = nearest(context.device);
    if (entry && entry->stream && entry->context.get() == &context) return *entry->stream;
  }
  return context.default_stream;
}

StreamRecord& resolve(StreamView view, ContextRecord& context) {
  StreamRecord* stream = view.record();
  if (!stream) return current_stream_record(context);
  if (&stream->context == &context) return *stream;
  if (&stream->context.device == &context.device) {
    throw InvalidArgument(
        fmt::format("the stream belongs to another context of {} than the work that was given to it", id_of(context)));
  }
  throw InvalidArgument(fmt::format("the stream is one of {}, the work that was given to it is on {}",
                                    id_of(stream->context), id_of(context)));
}

}  // namespace lanza::detail

namespace lanza {

Current::Current(const Device& device) : token_(detail::push_current(device.record(), nullptr, nullptr)) {}
Current::Current(const Context& context)
    : token_(detail::push_current(context.shared()->device, context.shared(), nullptr)) {}
Current::Current(const Stream& stream)
    : token_(detail::push_current(stream.shared()->context.device, stream.context().shared(), stream.shared())) {}
Current::~Current() { detail::pop_current(token_); }

}  // namespace lanza
