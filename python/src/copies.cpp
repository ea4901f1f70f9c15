// to_device() and copy().
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <lanza/copy.hpp>
#include <lanza/current.hpp>
#include <lanza/error.hpp>

#include <optional>
#include <string>

#include "array.hpp"
#include "binding.hpp"
#include "buffer.hpp"
#include "current_in.hpp"
#include "device_argument.hpp"
#include "interpreter.hpp"
#include "runtime/current_stack.hpp"
#include "runtime/records.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace lanza::python {
namespace {

StreamView view_of(const std::optional<Stream>& stream) { return stream ? StreamView(*stream) : StreamView(); }

/// The array that an object offers, contiguous.
void open_contiguous(Array& array, nb::handle object, const char* what) {
  if (!array.open(object.ptr()))
    throw ArgumentTypeError(std::string(what) + " is no array: " + nb::type_name(object.type()).c_str() +
                            " has none of the buffer protocol, DLPack and __cuda_array_interface__");
  if (!array.contiguous)
    throw InvalidArgument(std::string(what) + ", " + describe(array) +
                          ", is not contiguous; copy it with numpy.ascontiguousarray()");
}

/// A device array of another library as a Storage: a view, which the Array keeps alive.
detail::Storage foreign(const Array& array, const Context& context) {
  const auto& record = context.shared();
  return detail::Storage(
      std::make_shared<detail::BufferRecord>(record, nullptr, backend::Memory{array.address, array.bytes}));
}

/// Context in which another library's device array is copied: that of its device, or the current CUDA one.
Context context_for(const Array& array) {
  if (array.device) return Device(const_cast<detail::DeviceRecord&>(*array.device)).context();
  const Device device = current_device();
  return (device.kind() == DeviceKind::Cuda ? device : Device("cuda")).context();
}

/// One side of a copy: memory of a device, or of the host.
struct Side {
  Side(nb::handle object, const char* what) {
    if (const Memory* m = memory_of(object.ptr())) {
      storage = m->storage;
      bytes = m->storage.bytes();
      return;
    }
    open_contiguous(array, object, what);
    bytes = array.bytes;
    if (array.place == Array::Place::Host) return;
    const Context context = context_for(array);
    storage = foreign(array, context);
    if (array.producer_stream) {
      const CurrentIn guard(context);
      current_stream().wait(Stream::from_handle(array.producer_stream, context.device()).record());
    }
  }
  void* host() const { return reinterpret_cast<void*>(array.address); }

  Array array;
  std::optional<detail::Storage> storage;  ///< none: host memory
  std::size_t bytes = 0;
};

/// What `wait=False` leaves running may still write the destination, and read a source of another library.
void keep_until_done(nb::handle object, const detail::Storage& storage, const StreamView& stream) {
  auto& context = *storage.context().shared();
  detail::resolve(stream, context).keep(shared_reference(nb::borrow(object)));
}

void copy(nb::handle destination, nb::handle source, std::optional<Stream> stream, bool wait) {
  const Side to(destination, "the destination"), from(source, "the source");
  const StreamView view = view_of(stream);
  if (to.array.address && !to.array.writable)
    throw InvalidArgument("the destination, " + describe(to.array) + ", is read-only");
  if (!to.storage && !from.storage)
    throw InvalidArgument("neither side of the copy is memory of a device; use numpy.copyto()");
  const detail::Storage& where = to.storage ? *to.storage : *from.storage;
  {
    const nb::gil_scoped_release unlocked;
    if (to.storage && from.storage)
      detail::copy(*to.storage, *from.storage, view, false);
    else if (to.storage)
      detail::copy(*to.storage, from.host(), from.bytes, view, false);
    else
      detail::copy(to.host(), to.bytes, *from.storage, view, false);
  }
  if (wait) return wait_interruptibly(detail::resolve(view, *where.context().shared()));
  keep_until_done(destination, where, view);
  keep_until_done(source, where, view);
}

Memory to_device(nb::handle object, const DeviceArgument& argument, std::optional<Stream> stream) {
  const std::optional<Device> device = device_of(argument);
  const StreamView view = view_of(stream);
  const Device where = device ? *device : stream ? stream->device() : current_device();
  const Side from(object, "to_device: the argument");
  Element element{from.array.dtype, std::max<std::uint32_t>(from.array.element_size, 1), {}};
  if (const Memory* m = memory_of(object.ptr()))
    element = m->element;
  else if (element.dtype == DType::Record)
    element = element_from(nb::getattr(object, "dtype", nb::cast("V" + std::to_string(element.size))));
  Memory result{[&] {
                  const nb::gil_scoped_release unlocked;
                  std::optional<Current> guard;
                  if (stream && stream->device() == where) guard.emplace(*stream);
                  return detail::Storage(from.bytes, where, view);
                }(),
                std::move(element)};
  const nb::gil_scoped_release unlocked;
  if (from.storage)
    detail::copy(result.storage, *from.storage, view, true);
  else
    detail::copy(result.storage, from.host(), from.bytes, view, true);
  return result;
}

}  // namespace

void bind_copies(nb::module_& m) {
  m.def("to_device", &to_device, "array"_a, "device"_a = nb::none(), "stream"_a = nb::none(),
        nb::sig("def to_device(array: typing.Any, device: Device | str | None = None, stream: Stream | None = None) -> "
                "Buffer"),
        "A Buffer with a copy of a contiguous array: NumPy's or anything with the buffer protocol, DLPack or\n"
        "__cuda_array_interface__. device: default that of the stream, else the thread's current one.");
  m.def(
      "copy", &copy, "dst"_a, "src"_a, nb::kw_only(), "stream"_a = nb::none(), "wait"_a = true,
      nb::sig("def copy(dst: typing.Any, src: typing.Any, *, stream: Stream | None = None, wait: bool = True) -> None"),
      "Copies between host arrays and Buffers, in any direction; sizes in bytes must agree. With wait=False both are "
      "kept\n"
      "alive, and a host destination is valid only, after the stream is synchronised.");
  m.def(
      "_memory",
      [](std::uintptr_t address, std::size_t bytes, const Context& context, nb::object owner) {
        std::shared_ptr<void> kept = owner.is_none() ? nullptr : shared_reference(std::move(owner));
        return Memory{detail::Storage(std::make_shared<detail::BufferRecord>(context.shared(), std::move(kept),
                                                                             backend::Memory{address, bytes})),
                      Element{DType::Opaque, 1, {}}};
      },
      "address"_a, "nbytes"_a, "context"_a, "owner"_a = nb::none(),
      "A Buffer over memory that somebody else owns; `owner` is kept alive with it. For the compatibility packages.");
}

}  // namespace lanza::python
