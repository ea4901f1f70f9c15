// lanza.Buffer: memory of a device, and the type of its elements.
#include "buffer.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <lanza/copy.hpp>
#include <lanza/current.hpp>
#include <lanza/error.hpp>

#include <array>
#include <optional>
#include <string>

#include "array.hpp"
#include "binding.hpp"
#include "current_in.hpp"
#include "device_argument.hpp"
#include "errors.hpp"
#include "format.hpp"
#include "interpreter.hpp"
#include "runtime/records.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace lanza::python {
namespace {

PyTypeObject* buffer_type = nullptr;

/// "float32", "<f4", "void" without NumPy; size 0: not one of ours.
std::optional<Element> element_from_name(const std::string& name) {
  try {
    const DType dtype = dtype_from_name(name);
    if (dtype == DType::Opaque) return Element{dtype, 1, {}};
    if (const auto size = size_of(dtype)) return Element{dtype, static_cast<std::uint32_t>(size), {}};
  } catch (const InvalidArgument&) {
  }
  return std::nullopt;
}

std::string name_of(const Element& e) {
  return e.dtype == DType::Record ? std::to_string(e.size) + "-byte records" : std::string(lanza::name_of(e.dtype));
}

/// One value as the bytes of an element.
std::string bytes_of(const Element& element, nb::handle value) {
  const nb::object array = nb::module_::import_("numpy").attr("array")(value, "dtype"_a = numpy_dtype(element));
  const auto bytes = nb::cast<nb::bytes>(array.attr("tobytes")());
  if (bytes.size() != element.size) throw InvalidArgument("fill: one value is expected, not an array of them");
  return {bytes.c_str(), bytes.size()};
}

void fill(const Memory& m, nb::handle value) {
  const std::string bytes = bytes_of(m.element, value);
  const nb::gil_scoped_release unlocked;
  detail::fill(m.storage, bytes.data(), m.element.size, m.size(), {});
}

nb::object to_numpy(const Memory& m) {
  const nb::object array = nb::module_::import_("numpy").attr("empty")(m.size(), numpy_dtype(m.element));
  const auto address = nb::cast<std::uintptr_t>(array.attr("ctypes").attr("data"));
  {
    const nb::gil_scoped_release unlocked;
    const CurrentIn guard(m.storage.context());
    detail::copy(reinterpret_cast<void*>(address), m.storage.bytes(), m.storage, {}, true);
  }
  return array;
}

Memory view(const Memory& m, nb::handle dtype) {
  Element element = element_from(dtype);
  detail::elements_in_view(m.storage.bytes(), element.size, name_of(element));
  return {m.storage, std::move(element)};
}

Memory part(const Memory& m, const nb::slice& slice) {
  const auto range = slice.compute(m.size());
  const Py_ssize_t start = range.template get<0>(), step = range.template get<2>();
  const std::size_t count = range.template get<3>();
  if (step != 1) throw InvalidArgument("a Buffer is contiguous: slices of it have step 1");
  return {m.storage.part(static_cast<std::size_t>(start), count, m.element.size), m.element};
}

// ---- what other libraries see --------------------------------------------------------------------------------------

bool is_on_cpu(const Memory& m) { return m.storage.device().kind() == DeviceKind::Cpu; }

/// Host code reads CPU memory in place, so that all work on it must have ended.
void settle(const Memory& m) {
  const nb::gil_scoped_release unlocked;
  m.storage.context().synchronize();
}

std::uintptr_t current_stream_handle(const Memory& m) {
  const CurrentIn guard(m.storage.context());
  const std::uintptr_t handle = current_stream().handle();
  return handle ? handle : 1;  // 1 names the legacy default stream, 0 nothing
}

nb::dict cuda_array_interface(const Memory& m) {
  if (is_on_cpu(m))
    throw nb::attribute_error("memory of the CPU has no __cuda_array_interface__; use numpy.asarray() or DLPack");
  nb::dict d;
  d["version"] = 3;
  d["shape"] = nb::make_tuple(m.size());
  d["typestr"] = std::string(typestr_prefix_of(m.element.dtype)) + std::to_string(m.element.size);
  d["data"] = nb::make_tuple(m.storage.address(), false);
  d["strides"] = nb::none();
  d["stream"] = current_stream_handle(m);
  return d;
}

nb::dlpack::dtype dlpack_type(DType t) {
  using Code = nb::dlpack::dtype_code;
  const auto make = [&](Code code) {
    return nb::dlpack::dtype{static_cast<std::uint8_t>(code),
                             static_cast<std::uint8_t>(8 * std::max<std::size_t>(size_of(t), 1)), 1};
  };
  switch (t) {
    case DType::Bool:
      return make(Code::Bool);
    case DType::Int8:
    case DType::Int16:
    case DType::Int32:
    case DType::Int64:
      return make(Code::Int);
    case DType::Opaque:
    case DType::UInt8:
    case DType::UInt16:
    case DType::UInt32:
    case DType::UInt64:
      return make(Code::UInt);
    case DType::Float16:
    case DType::Float32:
    case DType::Float64:
      return make(Code::Float);
    case DType::BFloat16:
      return make(Code::Bfloat);
    case DType::Complex64:
    case DType::Complex128:
      return make(Code::Complex);
    case DType::Record:
      break;
  }
  throw nb::buffer_error("DLPack has no records; export a view of another dtype, e.g. buffer.view(\"uint8\")");
}

nb::tuple dlpack_device(const Memory& m) {
  return is_on_cpu(m) ? nb::make_tuple(1, 0) : nb::make_tuple(2, m.storage.device().index());
}

/// The consumer's stream waits for what our current stream holds.
void order_consumer(const Memory& m, nb::handle stream) {
  if (is_on_cpu(m)) return settle(m);
  if (stream.is_none()) return;
  const auto handle = nb::cast<std::intptr_t>(stream);
  if (handle == -1) return;  // the consumer takes care
  const CurrentIn guard(m.storage.context());
  Stream::from_handle(static_cast<std::uintptr_t>(handle), m.storage.device()).wait(current_stream().record());
}

nb::object dlpack(nb::handle self, nb::handle stream, nb::kwargs rest) {
  const auto& m = nb::cast<const Memory&>(self);
  order_consumer(m, stream);
  const std::size_t shape = m.size();
  const nb::tuple where = dlpack_device(m);
  const nb::ndarray<nb::array_api> array(reinterpret_cast<void*>(m.storage.address()), 1, &shape, self, nullptr,
                                         dlpack_type(m.element.dtype), nb::cast<int>(where[0]),
                                         nb::cast<int>(where[1]));
  return nb::cast(array, nb::rv_policy::reference).attr("__dlpack__")(**rest);
}

/// Shape and stride of an exported Py_buffer.
struct Extents {
  Py_ssize_t shape, stride;
};

int get_buffer(PyObject* self, Py_buffer* view, int flags) noexcept {
  view->obj = nullptr;
  return guarded(-1, [&] {
    const Memory& m = *nb::inst_ptr<Memory>(self);
    if (!is_on_cpu(m))
      throw nb::buffer_error(
          ("memory of " + m.storage.device().id() + " cannot be seen by the host; copy it with .numpy()").c_str());
    settle(m);
    auto* extents = new Extents{static_cast<Py_ssize_t>(m.size()), static_cast<Py_ssize_t>(m.element.size)};
    view->buf = reinterpret_cast<void*>(m.storage.address());
    view->len = static_cast<Py_ssize_t>(m.storage.bytes());
    view->itemsize = m.element.size;
    view->readonly = 0;
    view->ndim = 1;
    const bool bytes =
        !(flags & PyBUF_FORMAT) || m.element.dtype == DType::Record || m.element.dtype == DType::BFloat16;
    view->format = (flags & PyBUF_FORMAT) ? const_cast<char*>(bytes ? "B" : format_of(m.element.dtype)) : nullptr;
    if (bytes) *extents = {view->len, 1};
    if (bytes) view->itemsize = 1;
    view->shape = (flags & PyBUF_ND) ? &extents->shape : nullptr;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? &extents->stride : nullptr;
    view->suboffsets = nullptr;
    view->internal = extents;
    Py_INCREF(self);
    view->obj = self;
    return 0;
  });
}

void release_buffer(PyObject*, Py_buffer* view) noexcept { delete static_cast<Extents*>(view->internal); }

PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(&get_buffer)},
                       {Py_bf_releasebuffer, reinterpret_cast<void*>(&release_buffer)},
                       {0, nullptr}};

nb::object repr(const Memory& m) {
  return nb::str("<lanza.Buffer of {} {} on {} at {:#x}>")
      .attr("format")(m.size(), name_of(m.element), m.storage.device().id(), m.storage.address());
}

}  // namespace

Element element_from(nb::handle dtype) {
  if (nb::isinstance<nb::str>(dtype))
    if (auto known = element_from_name(nb::cast<std::string>(dtype))) return *known;
  nb::object numpy;
  try {
    numpy = nb::module_::import_("numpy").attr("dtype")(dtype);
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_TypeError)) throw;
    throw InvalidArgument("no element type " + std::string(nb::repr(dtype).c_str()) +
                          "; expected a name such as \"float32\" or a numpy.dtype");
  }
  if (!nb::cast<bool>(numpy.attr("isnative")))
    throw InvalidArgument("an element type in the other byte order cannot be used; take dtype.newbyteorder('=')");
  const auto size = nb::cast<std::uint32_t>(numpy.attr("itemsize"));
  if (size == 0) throw InvalidArgument("an element type of no bytes cannot be used");
  Element element{DType::Record, size, numpy};
  if (auto known = element_from_name(nb::cast<std::string>(numpy.attr("name"))); known && known->size == size)
    element.dtype = known->dtype;
  return element;
}

nb::object numpy_dtype(const Element& element) {
  if (element.numpy.is_valid()) return element.numpy;
  const nb::object make = nb::module_::import_("numpy").attr("dtype");
  const bool named =
      element.dtype != DType::Opaque && element.dtype != DType::Record && element.dtype != DType::BFloat16;
  return named ? make(name_of(element)) : make("V" + std::to_string(element.size));
}

Memory* memory_of(PyObject* o) noexcept { return Py_TYPE(o) == buffer_type ? nb::inst_ptr<Memory>(o) : nullptr; }

void bind_buffers(nb::module_& m) {
  nb::class_<Memory> buffer(m, "Buffer", nb::type_slots(slots), nb::is_weak_referenceable(), nb::is_final(),
                            R"(`size` elements of memory of a device; the contents are not initialised.

dtype: a name ("float32"), a numpy.dtype or what makes one, also structured; "void" is memory without a type, which fits
every pointer parameter. device: default the thread's current one. A size of 0 is legal, and a null pointer. Slices and
views are the same memory, which is given back, in stream order, when the last of them goes. On the CPU numpy.asarray()
sees the memory itself. Raises OutOfMemory.)");
  buffer_type = reinterpret_cast<PyTypeObject*>(buffer.ptr());
  buffer
      .def(
          "__init__",
          [](Memory* self, std::size_t size, nb::handle dtype, const DeviceArgument& argument) {
            const std::optional<Device> device = device_of(argument);
            Element element = element_from(dtype);
            const std::size_t bytes = detail::bytes_of(size, element.size);
            const nb::gil_scoped_release unlocked;
            new (self) Memory{detail::Storage(bytes, device ? *device : current_device()), std::move(element)};
          },
          "size"_a, "dtype"_a = "uint8", nb::kw_only(), "device"_a = nb::none(),
          nb::sig(
              "def __init__(self, size: int, dtype: numpy.typing.DTypeLike = 'uint8', *, device: Device | str | None = "
              "None) -> None"))
      .def_prop_ro("size", &Memory::size, "Number of elements.")
      .def_prop_ro(
          "nbytes", [](const Memory& m) { return m.storage.bytes(); }, "Number of bytes.")
      .def_prop_ro(
          "dtype", [](const Memory& m) { return numpy_dtype(m.element); },
          nb::sig("def dtype(self) -> numpy.dtype[typing.Any]"), "Type of an element, as a numpy.dtype.")
      .def_prop_ro(
          "device", [](const Memory& m) { return m.storage.device(); }, "Where the memory is.")
      .def_prop_ro(
          "ptr", [](const Memory& m) { return m.storage.address(); },
          "Address on the device; 0 when there are no elements.")
      .def("numpy", &to_numpy, nb::sig("def numpy(self) -> numpy.typing.NDArray[typing.Any]"),
           "The contents in a new array, after waiting for the current stream. A copy on the CPU too.")
      .def("fill", &fill, "value"_a, nb::sig("def fill(self, value: typing.Any) -> None"),
           "Sets every element; enqueued on the current stream, not waited for.")
      .def(
          "view", &view, "dtype"_a, nb::sig("def view(self, dtype: numpy.typing.DTypeLike) -> Buffer"),
          "The same memory as elements of another type. Raises InvalidArgument when the size is no multiple of theirs.")
      .def("__getitem__", &part, "slice"_a, nb::sig("def __getitem__(self, slice: slice, /) -> Buffer"),
           "Elements [a:b], the same memory.")
      .def("__len__", &Memory::size)
      .def_prop_ro("__cuda_array_interface__", &cuda_array_interface,
                   nb::sig("def __cuda_array_interface__(self) -> dict[str, typing.Any]"),
                   "For other libraries on CUDA, without a copy; memory of the CPU has none.")
      .def("__dlpack_device__", &dlpack_device, nb::sig("def __dlpack_device__(self) -> tuple[int, int]"))
      .def("__dlpack__", &dlpack, nb::kw_only(), "stream"_a = nb::none(), "rest"_a,
           nb::sig("def __dlpack__(self, *, stream: int | None = None, **rest: typing.Any) -> "
                   "typing_extensions.CapsuleType"),
           "For other libraries, without a copy: numpy.from_dlpack(), torch.from_dlpack().")
      .def("__repr__", &repr, nb::sig("def __repr__(self) -> str"));
}

}  // namespace lanza::python
