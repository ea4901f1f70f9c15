// A parameter that takes a device.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <lanza/device.hpp>

namespace lanza::python {

/// A Device, its name ("cpu", "cuda:1"), or None.
using DeviceArgument = std::optional<std::variant<Device, std::string>>;

/// Throws what Device() throws of a name.
inline std::optional<Device> device_of(const DeviceArgument& argument) {
  if (!argument) return std::nullopt;
  const std::string* name = std::get_if<std::string>(&*argument);
  return name ? Device(*name) : std::get<Device>(*argument);
}

}  // namespace lanza::python
