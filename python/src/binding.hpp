// The parts of the extension module: each file binds one concept, in this order.
#pragma once

#include "python_api.hpp"

namespace lanza::python {

void bind_errors(nanobind::module_&);
void bind_devices(nanobind::module_&);
void bind_streams(nanobind::module_&);
void bind_buffers(nanobind::module_&);
void bind_copies(nanobind::module_&);
void bind_arguments(nanobind::module_&);
void bind_signatures(nanobind::module_&);
void bind_kernels(nanobind::module_&);
void bind_modules(nanobind::module_&);
void bind_command_line(nanobind::module_&);

}  // namespace lanza::python
