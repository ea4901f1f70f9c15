// Devices: their properties and contexts.
#include "backend/cuda/device.hpp"

#include <fmt/format.h>

#include "backend/cuda/compile.hpp"
#include "backend/cuda/context.hpp"
#include "backend/cuda/current.hpp"
#include "backend/cuda/device_attributes.hpp"

namespace lanza::cuda_backend {

Device::Device(const Driver& driver, int index) : driver_(driver), index_(index) {
  call(driver_.cuDeviceGet, &raw_, index);
  const auto get = [this](std::string_view name) { return static_cast<unsigned>(attribute(name)); };
  major_ = static_cast<int>(get("compute_capability_major"));
  minor_ = static_cast<int>(get("compute_capability_minor"));
  max_block_ = {get("max_block_dim_x"), get("max_block_dim_y"), get("max_block_dim_z")};
  max_grid_ = {get("max_grid_dim_x"), get("max_grid_dim_y"), get("max_grid_dim_z")};
  max_shared_ = std::max(get("max_shared_memory_per_block_optin"), get("max_shared_memory_per_block"));
}

std::string Device::name() {
  char text[256] = {};
  call(driver_.cuDeviceGetName, text, static_cast<int>(sizeof text - 1), raw_);
  return text;
}

std::string Device::pci_bus_id() const {
  char text[32] = {};
  call(driver_.cuDeviceGetPCIBusId, text, static_cast<int>(sizeof text - 1), raw_);
  return text;
}

bool Device::can_access(const Device& other) const {
  int can = 0;
  return driver_.cuDeviceCanAccessPeer(&can, raw_, other.raw_) == CUDA_SUCCESS && can;
}

std::pair<std::size_t, std::size_t> Device::memory_info() {
  // The driver tells this only of a context's device.
  const auto context = primary_context();
  const Current current(driver_, reinterpret_cast<CUcontext>(context->handle()));
  std::size_t free = 0, total = 0;
  call(driver_.cuMemGetInfo_v2, &free, &total);
  return {free, total};
}

std::vector<std::pair<std::string, std::int64_t>> Device::attributes() {
  std::vector<std::pair<std::string, std::int64_t>> result;
  for (const DeviceAttribute& a : device_attributes()) {
    int value = 0;
    // An older driver does not know the newer ones.
    if (driver_.cuDeviceGetAttribute(&value, a.number, raw_) == CUDA_SUCCESS) result.emplace_back(a.name, value);
  }
  return result;
}

std::int64_t Device::attribute(std::string_view name) {
  const int number = device_attribute(name);
  if (number == 0) throw NotFound(fmt::format("no device attribute '{}'; Device.attributes lists them", name));
  int value = 0;
  const CUresult result = driver_.cuDeviceGetAttribute(&value, number, raw_);
  if (result == CUDA_ERROR_INVALID_VALUE) return 0;  // newer than the driver: it has no such feature
  if (result != CUDA_SUCCESS) throw_result(result, driver_.cuDeviceGetAttribute.name, std::string(name));
  return value;
}

std::shared_ptr<backend::Context> Device::primary_context() {
  const std::lock_guard lock(mutex_);
  if (auto context = primary_.lock()) return context;
  auto context = std::make_shared<Context>(*this, Context::Kind::Primary);
  primary_ = context;
  return context;
}

std::shared_ptr<backend::Context> Device::create_context() {
  return std::make_shared<Context>(*this, Context::Kind::Own);
}

std::string Device::compiler_identity() { return cuda_backend::compiler_identity({major_, minor_}); }

backend::CompileResult Device::compile(const backend::CompileRequest& request) {
  return cuda_backend::compile(request, {major_, minor_});
}

}  // namespace lanza::cuda_backend
