// lanza.Kernel as a Python object.
#pragma once

#include "python_api.hpp"

#include <lanza/kernel.hpp>

namespace lanza::python {

/// A new reference. `sizes_only`: pointers are checked by item size alone, for the compatibility packages.
nanobind::object make_kernel(const Kernel& kernel, bool sizes_only = false);

}  // namespace lanza::python
