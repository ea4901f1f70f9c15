#include "runtime/registry.hpp"

#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <vector>

#include "runtime/backends.hpp"
#include "runtime/current_stack.hpp"
#include "support/environment.hpp"
#include "support/log.hpp"

namespace lanza::detail {
namespace {

// Never destroyed: destructors of static objects may still ask for devices and contexts.
struct Registry {
  std::mutex mutex;
  Backends backends;
  std::vector<std::unique_ptr<DeviceRecord>> records;
  std::vector<std::unique_ptr<DeviceRecord>> retired;  // of backends that were replaced; handles may refer to them
  std::atomic<DeviceRecord*> default_device{nullptr};
};

Registry& registry() {
  static Registry& instance = *new Registry;
  return instance;
}

backend::Backend& backend_of(DeviceKind kind) {
  return kind == DeviceKind::Cuda ? backends().cuda() : backends().cpu();
}

std::string id_of_device(DeviceKind kind, int index) {
  return kind == DeviceKind::Cpu ? "cpu" : fmt::format("cuda:{}", index);
}

// "cpu, cuda, cuda:0": what Device(name) would take.
std::string valid_names() {
  std::string names = "cpu";
  const int count = backends().cuda().device_count();
  if (count > 0) names += ", cuda";
  for (int i = 0; i < count; ++i) names += fmt::format(", cuda:{}", i);
  return names;
}

std::string unavailable(backend::Backend& backend) {
  std::string why = backend.why_none();
  return why.empty() ? "there is no CUDA device" : why;
}

DeviceRecord& parse_device(std::string_view name) {
  if (name == "cpu") return device_record(DeviceKind::Cpu, 0);
  if (name == "cuda") return device_record(DeviceKind::Cuda, 0);
  if (name.starts_with("cuda:")) {
    int index = -1;
    const std::string_view digits = name.substr(5);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (error == std::errc{} && end == digits.data() + digits.size() && digits.front() != '-') {
      return device_record(DeviceKind::Cuda, index);
    }
  }
  throw InvalidArgument(fmt::format("there is no device '{}'; valid names are: {}", name, valid_names()));
}

// Compute mode 2 is "prohibited": the device is there, but no context can be made on it.
bool works(backend::Device& device) {
  try {
    device.compute_capability();
    return device.attribute("compute_mode") != 2;
  } catch (const NotFound&) {
    return true;
  } catch (const std::exception& error) {
    log::info("CUDA device {} is not usable: {}", device.index(), error.what());
    return false;
  }
}

DeviceRecord& find_default() {
  backend::Backend& cuda = backends().cuda();
  const int count = cuda.device_count();
  for (int i = 0; i < count; ++i) {
    DeviceRecord& record = device_record(DeviceKind::Cuda, i);
    if (works(record.device)) return record;
  }
  return device_record(DeviceKind::Cpu, 0);
}

}  // namespace

const Backends& backends() noexcept { return registry().backends; }

void replace_backends(const Backends& replacement) {
  release_primary_contexts();
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  for (auto& record : r.records) r.retired.push_back(std::move(record));
  r.records.clear();
  r.default_device = nullptr;
  r.backends = replacement;
}

DeviceRecord& device_record(DeviceKind kind, int index) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  for (auto& record : r.records) {
    if (record->kind == kind && record->index == index) return *record;
  }
  backend::Backend& backend = backend_of(kind);
  const int count = backend.device_count();
  if (count == 0) throw Unavailable(unavailable(backend));
  if (index >= count) {
    throw InvalidArgument(
        fmt::format("there is no device '{}'; valid names are: {}", id_of_device(kind, index), valid_names()));
  }
  r.records.push_back(std::make_unique<DeviceRecord>(kind, index, backend.device(index), id_of_device(kind, index)));
  return *r.records.back();
}

std::shared_ptr<ContextRecord> primary_context(DeviceRecord& device) {
  std::lock_guard lock(device.mutex);
  if (!device.primary) device.primary = std::make_shared<ContextRecord>(device, device.device.primary_context());
  return device.primary;
}

std::shared_ptr<ContextRecord> context_of(DeviceRecord& device) {
  if (ContextRecord* current = current_context_record(device)) return current->shared_from_this();
  return primary_context(device);
}

void release_primary_contexts() noexcept {
  Registry& r = registry();
  std::vector<std::shared_ptr<ContextRecord>> released;  // destroyed outside the locks
  try {
    std::lock_guard lock(r.mutex);
    for (auto& record : r.records) {
      std::lock_guard device_lock(record->mutex);
      if (record->primary) released.push_back(std::move(record->primary));
    }
  } catch (const std::exception& error) {
    log::warning("releasing the primary contexts failed: {}", error.what());
  }
}

}  // namespace lanza::detail

namespace lanza {

Device::Device(std::string_view name) : record_(&detail::parse_device(name)) {}

std::vector<Device> devices() {
  std::vector<Device> list;
  const int cuda = detail::backends().cuda().device_count();
  for (int i = 0; i < cuda; ++i) list.emplace_back(detail::device_record(DeviceKind::Cuda, i));
  const int cpu = detail::backends().cpu().device_count();
  for (int i = 0; i < cpu; ++i) list.emplace_back(detail::device_record(DeviceKind::Cpu, i));
  return list;
}

Device default_device() {
  if (const auto name = environment("LANZA_DEVICE")) {
    try {
      return Device(*name);
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(fmt::format("the environment variable LANZA_DEVICE: {}", error.what()));
    } catch (const Unavailable& error) {
      throw Unavailable(fmt::format("the environment variable LANZA_DEVICE is '{}', but {}", *name, error.what()));
    }
  }
  auto& cached = detail::registry().default_device;
  if (detail::DeviceRecord* record = cached.load(std::memory_order_acquire)) return Device(*record);
  detail::DeviceRecord& found = detail::find_default();
  cached.store(&found, std::memory_order_release);
  return Device(found);
}

Device current_device() {
  if (detail::DeviceRecord* current = detail::current_device_record()) return Device(*current);
  return default_device();
}

}  // namespace lanza
