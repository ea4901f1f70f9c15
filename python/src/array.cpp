// Memory that Python objects offer: through the buffer protocol, DLPack or __cuda_array_interface__.
#include "array.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <lanza/current.hpp>
#include <lanza/device.hpp>
#include <lanza/error.hpp>

namespace nb = nanobind;

namespace lanza::python {
namespace {

// DLPack's capsules hold one of these (dlpack.h, versions 0.x and 1.x).
struct ManagedTensor {
  nb::dlpack::dltensor tensor;
  void* context;
  void (*release)(ManagedTensor*);
};
struct VersionedTensor {
  std::uint32_t major, minor;
  void* context;
  void (*release)(VersionedTensor*);
  std::uint64_t flags;
  nb::dlpack::dltensor tensor;
};
constexpr std::uint64_t read_only_flag = 1;
enum DlpackDevice { OnCpu = 1, OnCuda = 2, OnCudaHost = 3, OnCudaManaged = 13 };

/// Whether the elements lie side by side, the last index fastest (C) or the first (Fortran). `strides` null: C.
template <class Index>
bool is_contiguous(int dimensions, const Index* shape, const Index* strides, Index element) {
  if (!strides) return true;
  for (int i = 0; i < dimensions; ++i)
    if (shape[i] == 0) return true;
  Index expected = element;
  int i = dimensions - 1;
  for (; i >= 0 && (shape[i] == 1 || strides[i] == expected); --i) expected *= shape[i];
  if (i < 0) return true;
  expected = element;
  for (i = 0; i < dimensions && (shape[i] == 1 || strides[i] == expected); ++i) expected *= shape[i];
  return i == dimensions;
}

ElementType element_type(nb::dlpack::dtype type) {
  using Code = nb::dlpack::dtype_code;
  const auto pick = [&](DType of8, DType of16, DType of32, DType of64, DType of128) {
    switch (type.lanes == 1 ? type.bits : 0) {
      case 8:
        return of8;
      case 16:
        return of16;
      case 32:
        return of32;
      case 64:
        return of64;
      case 128:
        return of128;
      default:
        return DType::Record;
    }
  };
  constexpr auto none = DType::Record;
  switch (static_cast<Code>(type.code)) {
    case Code::Int:
      return {pick(DType::Int8, DType::Int16, DType::Int32, DType::Int64, none)};
    case Code::UInt:
      return {pick(DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64, none)};
    case Code::Float:
      return {pick(none, DType::Float16, DType::Float32, DType::Float64, none)};
    case Code::Bfloat:
      return {pick(none, DType::BFloat16, none, none, none)};
    case Code::Complex:
      return {pick(none, none, none, DType::Complex64, DType::Complex128)};
    case Code::Bool:
      return {pick(DType::Bool, none, none, none, none)};
    default:
      return {none};
  }
}

/// "<f4" and its like.
ElementType element_type(const std::string& typestr) {
  const bool swapped = typestr.size() > 1 && typestr[0] == '>' && typestr.substr(2) != "1";
  try {
    return {dtype_from_name(swapped ? "<" + typestr.substr(1) : typestr), swapped};
  } catch (const InvalidArgument&) {
    return {DType::Record, swapped};
  }
}

std::uint32_t size_in(const std::string& typestr) {
  const unsigned long count = typestr.size() > 2 ? std::stoul(typestr.substr(2)) : 0;
  return static_cast<std::uint32_t>(typestr.size() > 1 && typestr[1] == 'U' ? 4 * count : count);
}

/// The handle of the stream in which the device's work goes on by default, as DLPack numbers it: 1 is the legacy
/// default stream.
std::uintptr_t consumer_stream(const Device& device) {
  const Current guard(device);
  const std::uintptr_t handle = current_stream().handle();
  return handle ? handle : 1;
}

/// The object's capsule: of version 1 where it can, else of the version before.
nb::object capsule_of(nb::handle object, const nb::dict& arguments) {
  arguments["max_version"] = nb::make_tuple(1, 1);
  try {
    return object.attr("__dlpack__")(**arguments);
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_TypeError)) throw;
  }
  nb::del(arguments["max_version"]);
  return object.attr("__dlpack__")(**arguments);
}

}  // namespace

Array::~Array() {
  if (view_.obj) PyBuffer_Release(&view_);
}

void Array::set_type(ElementType type, std::size_t size) {
  if (type.swapped)
    throw InvalidArgument(
        "an array in the other byte order cannot be used; convert with .astype(array.dtype.newbyteorder('='))");
  dtype = type.dtype;
  element_size = static_cast<std::uint32_t>(size);
}

bool Array::open_buffer(PyObject* object) {
  if (PyObject_GetBuffer(object, &view_, PyBUF_FULL_RO) != 0) {
    view_.obj = nullptr;
    PyErr_Clear();
    return false;
  }
  if (view_.suboffsets) contiguous = false;
  const auto size = static_cast<std::size_t>(view_.itemsize);
  set_type(python::element_type(view_.format, size), size);
  contiguous = contiguous && is_contiguous<Py_ssize_t>(view_.ndim, view_.shape, view_.strides, view_.itemsize);
  writable = !view_.readonly;
  address = reinterpret_cast<std::uintptr_t>(view_.buf);
  bytes = static_cast<std::size_t>(view_.len);
  dimensions = view_.ndim;
  return true;
}

bool Array::open_interface(PyObject* object, const char* attribute, Place where) {
  const nb::object interface = nb::getattr(object, attribute, nb::none());
  if (interface.is_none()) return false;
  const auto description = nb::cast<nb::dict>(interface);
  const auto typestr = nb::cast<std::string>(description["typestr"]);
  set_type(element_type(typestr), size_in(typestr));
  shape_ = nb::cast<std::vector<std::int64_t>>(description["shape"]);
  dimensions = static_cast<int>(shape_.size());
  bytes = element_size;
  for (const std::int64_t extent : shape_) bytes *= static_cast<std::size_t>(extent);
  const auto data = nb::cast<nb::tuple>(description["data"]);
  address = nb::cast<std::uintptr_t>(data[0]);
  writable = !nb::cast<bool>(data[1]);
  const nb::object strides = description.attr("get")("strides");
  if (!strides.is_none()) {
    const auto list = nb::cast<std::vector<std::int64_t>>(strides);
    contiguous = is_contiguous<std::int64_t>(dimensions, shape_.data(), list.data(), element_size);
  }
  const nb::object stream = description.attr("get")("stream");
  if (!stream.is_none()) producer_stream = nb::cast<std::uintptr_t>(stream);
  place = where;
  return true;
}

bool Array::open_dlpack(PyObject* object) {
  const nb::object ask = nb::getattr(object, "__dlpack_device__", nb::none());
  if (ask.is_none()) return false;
  const auto where = nb::cast<nb::tuple>(ask());
  const int kind = nb::cast<int>(nb::int_(where[0]));
  nb::dict arguments;
  if (kind == OnCuda || kind == OnCudaManaged) {
    const Device cuda("cuda:" + std::to_string(nb::cast<int>(where[1])));
    arguments["stream"] = consumer_stream(cuda);
    device = &cuda.record();
    place = Place::Device;
  } else if (kind != OnCpu && kind != OnCudaHost) {
    throw InvalidArgument("an array on a device of DLPack's kind " + std::to_string(kind) +
                          " cannot be used: Lanza knows the memory of the CPU and of CUDA devices");
  }
  capsule_ = capsule_of(object, arguments);
  // The capsule keeps its name, so that its own destructor releases the tensor when we let go of it.
  const nb::dlpack::dltensor* tensor = nullptr;
  if (auto* versioned = static_cast<VersionedTensor*>(PyCapsule_GetPointer(capsule_.ptr(), "dltensor_versioned"))) {
    if (versioned->major > 1)
      throw InvalidArgument("an array of DLPack version " + std::to_string(versioned->major) + " cannot be used");
    writable = !(versioned->flags & read_only_flag);
    tensor = &versioned->tensor;
  } else {
    PyErr_Clear();
    auto* managed = static_cast<ManagedTensor*>(PyCapsule_GetPointer(capsule_.ptr(), "dltensor"));
    if (!managed) nb::raise_python_error();
    tensor = &managed->tensor;
  }
  const std::size_t size = (static_cast<std::size_t>(tensor->dtype.bits) * tensor->dtype.lanes + 7) / 8;
  set_type(element_type(tensor->dtype), size);
  shape_.assign(tensor->shape, tensor->shape + tensor->ndim);
  dimensions = tensor->ndim;
  bytes = size;
  for (const std::int64_t extent : shape_) bytes *= static_cast<std::size_t>(extent);
  contiguous = is_contiguous<std::int64_t>(dimensions, shape_.data(), tensor->strides, 1);
  address = reinterpret_cast<std::uintptr_t>(tensor->data) + tensor->byte_offset;
  return true;
}

bool Array::open(PyObject* object) {
  // NumPy's own interface serves dtypes that the buffer protocol has no format for (datetime64, bfloat16).
  return open_buffer(object) || open_interface(object, "__cuda_array_interface__", Place::Device) ||
         open_interface(object, "__array_interface__", Place::Host) || open_dlpack(object);
}

std::vector<std::int64_t> Array::shape() const {
  if (view_.obj) return {view_.shape, view_.shape + (view_.shape ? view_.ndim : 0)};
  return shape_;
}

std::string describe(const Array& array) {
  std::string text = array.dtype == DType::Record ? std::to_string(array.element_size) + "-byte record"
                                                  : std::string(name_of(array.dtype));
  text += " array (";
  const auto shape = array.shape();
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  text += shape.size() == 1 ? ",)" : ")";
  if (array.place == Array::Place::Device)
    text += " on " + (array.device ? Device(const_cast<detail::DeviceRecord&>(*array.device)).id()
                                   : std::string("a CUDA device"));
  return text;
}

}  // namespace lanza::python
