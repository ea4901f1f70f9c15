// Contexts: handles on what the backend made for a device.
#include <lanza/context.hpp>
#include <lanza/stream.hpp>

#include "runtime/records.hpp"
#include "runtime/registry.hpp"

namespace lanza {
namespace detail {

ContextRecord::ContextRecord(DeviceRecord& device, std::shared_ptr<backend::Context> made)
    : device(device), context(std::move(made)), uses_host_memory(context->uses_host_memory()), default_stream(*this) {}

const std::string& id_of(const ContextRecord& context) noexcept { return context.device.id; }

}  // namespace detail

Device Context::device() const noexcept { return Device(record_->device); }
std::uintptr_t Context::handle() const { return record_->context->handle(); }

void Context::synchronize() const {
  const auto held = record_->default_stream.take_kept();
  record_->context->synchronize();
}

Stream Context::default_stream() const { return Stream(detail::share(record_->default_stream)); }

Context current_context() { return current_device().context(); }

}  // namespace lanza
