// The driver's device attributes by name.
#pragma once

#include <span>
#include <string_view>

namespace lanza::cuda_backend {

struct DeviceAttribute {
  std::string_view name;  ///< "max_threads_per_block"
  int number;             ///< CUdevice_attribute
};

std::span<const DeviceAttribute> device_attributes();
/// Number of an attribute, 0 for an unknown name.
int device_attribute(std::string_view name);

}  // namespace lanza::cuda_backend
