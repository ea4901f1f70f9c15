// Stream and Event.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <lanza/current.hpp>
#include <lanza/event.hpp>
#include <lanza/stream.hpp>

#include <chrono>
#include <optional>
#include <thread>

#include "binding.hpp"
#include "device_argument.hpp"
#include "interpreter.hpp"
#include "runtime/records.hpp"
#include "with.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace lanza::python {
namespace {

Device device_or_current(const DeviceArgument& argument) {
  const std::optional<Device> device = device_of(argument);
  return device ? *device : current_device();
}

/// Waits for an event, looking at signals.
void synchronize(const Event& event) {
  using namespace std::chrono_literals;
  for (auto pause = 20us; !event.query(); pause = std::min<std::chrono::microseconds>(2 * pause, 10ms)) {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    const nb::gil_scoped_release unlocked;
    std::this_thread::sleep_for(pause);
  }
  const nb::gil_scoped_release unlocked;
  event.synchronize();  // reports what failed
}

void bind_stream(nb::module_& m) {
  nb::class_<Stream> stream(m, "Stream", R"(A queue of work that a device does in order.

device: default the thread's current one. priority: lower numbers go first. non_blocking: not ordered with the legacy
default stream of other libraries. `with stream:` makes it current for the thread.)");
  stream
      .def(
          "__init__",
          [](Stream* self, const DeviceArgument& device, int priority, bool non_blocking) {
            new (self) Stream(device_or_current(device), Stream::Options{priority, non_blocking});
          },
          "device"_a = nb::none(), nb::kw_only(), "priority"_a = 0, "non_blocking"_a = false)
      .def_static(
          "from_handle",
          [](std::uintptr_t handle, const std::variant<Device, std::string>& device) {
            return Stream::from_handle(handle, *device_of(device));
          },
          "handle"_a, "device"_a,
          "A stream that another library made (a CUstream as an integer) and goes on owning: it must outlive "
          "every use.")
      .def(
          "synchronize", [](const Stream& s) { wait_interruptibly(*s.shared()); },
          "Waits for all work; raises LaunchError, naming the kernel, when some of it failed.")
      .def("query", &Stream::query, "Whether all work is done.")
      .def("wait", &Stream::wait, "event"_a, nb::call_guard<nb::gil_scoped_release>(),
           "Work enqueued from now on waits for the event.")
      .def(
          "record",
          [](const Stream& s, nb::handle event) {
            if (event.is_none()) return nb::cast(s.record());
            nb::cast<const Event&>(event).record(s);
            return nb::borrow(event);
          },
          "event"_a = nb::none(), nb::sig("def record(self, event: Event | None = None) -> Event"),
          "Marks the work that the stream holds now, with the event given or a new one; returns it.")
      .def_prop_ro("device", &Stream::device, "The device it belongs to.")
      .def_prop_ro("handle", &Stream::handle, "CUstream as an integer; for the CPU an address that identifies it.")
      .def(
          "__cuda_stream__", [](const Stream& s) { return nb::make_tuple(0, s.handle()); },
          nb::sig("def __cuda_stream__(self) -> tuple[int, int]"), "(version, handle), as cuda.core asks for it.")
      .def(
          "__eq__", [](const Stream& a, const Stream& b) { return a == b; }, nb::is_operator())
      .def("__hash__", [](const Stream& s) { return std::hash<std::uintptr_t>{}(s.handle()); })
      .def(
          "__repr__",
          [](const Stream& s) {
            return nb::str("<lanza.Stream {:#x} on {}>").attr("format")(s.handle(), s.device().id());
          },
          nb::sig("def __repr__(self) -> str"));
  bind_with<Stream>(stream);
}

void bind_event(nb::module_& m) {
  nb::class_<Event>(m, "Event", R"(A mark in a stream, to wait for and to measure time between.

device: default the thread's current one. timing=False is cheaper, but time_since() raises.)")
      .def(
          "__init__",
          [](Event* self, const DeviceArgument& device, bool timing) {
            new (self) Event(device_or_current(device), Event::Options{timing});
          },
          "device"_a = nb::none(), nb::kw_only(), "timing"_a = true)
      .def(
          "record",
          [](nb::handle self, std::optional<Stream> stream) {
            nb::cast<const Event&>(self).record(stream ? StreamView(*stream) : StreamView());
            return nb::borrow(self);
          },
          "stream"_a = nb::none(), nb::sig("def record(self, stream: Stream | None = None) -> Event"),
          "Marks the work that the stream (default: the current one) holds now; returns the event.")
      .def("synchronize", &synchronize, "Waits until the marked work is done; at once when nothing was recorded.")
      .def("query", &Event::query, "Whether the marked work is done, or nothing was recorded.")
      .def(
          "time_since", [](const Event& e, const Event& start) { return e.time_since(start).count(); }, "start"_a,
          "Milliseconds on the device from `start` to this event. Waits for neither: synchronise first.")
      .def_prop_ro("device", &Event::device, "The device it belongs to.")
      .def_prop_ro("handle", &Event::handle, "CUevent as an integer; for the CPU an address that identifies it.")
      .def(
          "__repr__",
          [](const Event& e) {
            return nb::str("<lanza.Event {:#x} on {}>").attr("format")(e.handle(), e.device().id());
          },
          nb::sig("def __repr__(self) -> str"));
}

}  // namespace

void bind_streams(nb::module_& m) {
  bind_event(m);  // Stream's methods name it
  bind_stream(m);
}

}  // namespace lanza::python
