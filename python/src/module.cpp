// The extension module lanza._lanza.
#include <nanobind/stl/string.h>

#include <string>

#include "binding.hpp"
#include "interpreter.hpp"
#include "runtime/registry.hpp"
#include "support/library.hpp"

namespace nb = nanobind;

namespace {

/// Tells liblanza where wheels of NVIDIA's libraries may lie.
void add_wheel_directories() {
  for (nb::handle entry : nb::module_::import_("sys").attr("path")) {
    std::string path;
    if (!nb::try_cast(entry, path)) continue;
    if (path.ends_with("site-packages") || path.ends_with("dist-packages")) lanza::add_wheel_directory(path);
  }
}

/// The public classes belong to the package, for people who read reprs and for pickle.
void name_after_package(nb::module_& m) {
  for (const auto& [name, value] : nb::borrow<nb::dict>(m.attr("__dict__")))
    if (PyType_Check(value.ptr()) && !nb::cast<std::string>(name).starts_with('_')) value.attr("__module__") = "lanza";
}

}  // namespace

NB_MODULE(_lanza, m) {
  using namespace lanza::python;
  m.doc() = "The extension module of the package lanza; use the package.";
  m.attr("__version__") = LANZA_VERSION;
  // Objects that live in a program's globals until it ends are no leak.
  nb::set_leak_warnings(false);
  add_wheel_directories();
  bind_errors(m);
  bind_devices(m);
  bind_streams(m);
  bind_signatures(m);
  bind_arguments(m);
  bind_buffers(m);
  bind_copies(m);
  bind_kernels(m);
  bind_modules(m);
  bind_command_line(m);
  name_after_package(m);
  answer_interrupts_in_kernels();
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&lanza::detail::release_primary_contexts));
}
