// Devices as values, and the questions that never fail.
#include <lanza/context.hpp>
#include <lanza/cuda.hpp>
#include <lanza/device.hpp>

#include "runtime/backends.hpp"
#include "runtime/registry.hpp"

namespace lanza {

DeviceKind Device::kind() const noexcept { return record_->kind; }
int Device::index() const noexcept { return record_->index; }
std::string Device::id() const { return record_->id; }
std::string Device::name() const { return record_->device.name(); }
std::pair<int, int> Device::compute_capability() const { return record_->device.compute_capability(); }

Device::MemoryInfo Device::memory_info() const {
  const auto [free, total] = record_->device.memory_info();
  return {free, total};
}

std::vector<std::pair<std::string, std::int64_t>> Device::attributes() const { return record_->device.attributes(); }
std::int64_t Device::attribute(std::string_view name) const { return record_->device.attribute(name); }

void Device::synchronize() const { context().synchronize(); }
Context Device::context() const { return Context(detail::context_of(*record_)); }

Context Device::create_context() const {
  return Context(std::make_shared<detail::ContextRecord>(*record_, record_->device.create_context()));
}

namespace cuda {

bool is_available() noexcept { return device_count() > 0; }
int device_count() noexcept { return detail::backends().cuda().device_count(); }
std::string why_unavailable() { return is_available() ? std::string{} : detail::backends().cuda().why_none(); }

}  // namespace cuda
}  // namespace lanza
