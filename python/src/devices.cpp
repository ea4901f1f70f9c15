// Device and Context.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <lanza/context.hpp>
#include <lanza/cuda.hpp>
#include <lanza/device.hpp>

#include <functional>

#include "binding.hpp"
#include "interpreter.hpp"
#include "runtime/records.hpp"
#include "runtime/registry.hpp"
#include "with.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace lanza::python {
namespace {

nb::dict dictionary(const std::vector<std::pair<std::string, std::int64_t>>& items) {
  nb::dict result;
  for (const auto& [name, value] : items) result[nb::cast(name)] = nb::cast(value);
  return result;
}

/// Waits for all streams of the context. The default stream first, looking at signals: most work is there.
void synchronize(const Context& context) {
  wait_interruptibly(context.shared()->default_stream);
  const nb::gil_scoped_release unlocked;
  context.synchronize();
}

void bind_device(nb::module_& m) {
  nb::class_<Device> device(m, "Device", R"(A device that runs kernels, as a value: its kind and index.

Device("cuda"), Device("cuda:1"), Device("cpu"). Raises InvalidArgument for another name or an index that does not
exist, Unavailable when there is no CUDA device. `with device:` makes it current for the thread.)");
  device.def(nb::init<std::string_view>(), "name"_a)
      .def_prop_ro(
          "kind", [](const Device& d) { return d.kind() == DeviceKind::Cuda ? "cuda" : "cpu"; },
          nb::sig("def kind(self) -> typing.Literal['cuda', 'cpu']"), "\"cuda\" or \"cpu\".")
      .def_prop_ro("index", &Device::index, "Number among the devices of its kind, from 0.")
      .def_prop_ro("name", &Device::name, "Name of the product: \"NVIDIA H200\".")
      .def_prop_ro(
          "attributes", [](const Device& d) { return dictionary(d.attributes()); },
          nb::sig("def attributes(self) -> dict[str, int]"),
          "Limits and properties by the lower-case names of CUdevice_attribute: \"max_threads_per_block\", "
          "\"warp_size\", ...")
      .def_prop_ro("compute_capability", &Device::compute_capability,
                   "(major, minor). The CPU answers with the level of CUDA that its kernels see.")
      .def(
          "memory_info",
          [](const Device& d) {
            const auto info = d.memory_info();
            return std::pair(info.free, info.total);
          },
          "(free, total) memory in bytes.")
      .def(
          "synchronize", [](const Device& d) { synchronize(d.context()); },
          "Waits for all work in the device's current context; raises LaunchError for what failed in it.")
      .def("create_context", &Device::create_context, nb::call_guard<nb::gil_scoped_release>(),
           "A context of its own. By default Lanza works in the primary context, which other libraries share.")
      .def_prop_ro(
          "primary_context", [](const Device& d) { return Context(detail::primary_context(d.record())); },
          "The context that other libraries in the process share.")
      .def("__str__", &Device::id)
      .def("__repr__", [](const Device& d) { return "<lanza.Device '" + d.id() + "' " + d.name() + ">"; })
      .def(
          "__eq__", [](const Device& a, const Device& b) { return a == b; }, nb::is_operator())
      .def("__hash__", [](const Device& d) { return std::hash<std::string>{}(d.id()); })
      .def("__reduce__", [](const Device& d) { return nb::make_tuple(nb::type<Device>(), nb::make_tuple(d.id())); });
  bind_with<Device>(device);
}

void bind_context(nb::module_& m) {
  nb::class_<Context> context(m, "Context", R"(What owns the memory, modules, streams and events of a device.

Made by Device.create_context(). It is released after the last object made in it. `with context:` makes it current for
the thread.)");
  context.def_prop_ro("device", &Context::device, "The device it belongs to.")
      .def_prop_ro("handle", &Context::handle, "CUcontext as an integer; for the CPU an address that identifies it.")
      .def("synchronize", &synchronize, "Waits for all work of all its streams; raises LaunchError for what failed.")
      .def(
          "__eq__", [](const Context& a, const Context& b) { return a == b; }, nb::is_operator())
      .def("__hash__", [](const Context& c) { return std::hash<std::uintptr_t>{}(c.handle()); })
      .def(
          "__repr__",
          [](const Context& c) {
            return nb::str("<lanza.Context {:#x} on {}>").attr("format")(c.handle(), c.device().id());
          },
          nb::sig("def __repr__(self) -> str"));
  bind_with<Context>(context);
}

}  // namespace

void bind_devices(nb::module_& m) {
  bind_device(m);
  bind_context(m);
  m.def("devices", &lanza::devices, nb::call_guard<nb::gil_scoped_release>(),
        "Every device that works: the CUDA devices, then the CPU.");
  m.def("default_device", &lanza::default_device, nb::call_guard<nb::gil_scoped_release>(),
        "The first CUDA device that works, else the CPU. LANZA_DEVICE (\"cpu\", \"cuda:1\") overrides it.");
  m.def("_cuda_device_count", &cuda::device_count, nb::call_guard<nb::gil_scoped_release>());
  m.def("_current_context", &current_context, "The thread's current context, else that of the default device.");
}

}  // namespace lanza::python
