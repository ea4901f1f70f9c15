// Python objects as arguments of a launch, and the wrappers in_, out and inout.
#include "arguments.hpp"

#include <lanza/current.hpp>
#include <lanza/error.hpp>
#include <lanza/module.hpp>

#include <utility>

#include "binding.hpp"
#include "buffer.hpp"
#include "interpreter.hpp"
#include "runtime/records.hpp"

namespace nb = nanobind;

namespace lanza::python {
namespace {

using detail::Argument;
using Mode = Argument::Mode;

// ---- in_, out, inout: objects of two words, made in some 30 ns ----

struct Wrapped {
  PyObject_HEAD PyObject* array;
  Mode mode;
};
PyTypeObject* wrapped_type = nullptr;

const char* name_of(Mode mode) {
  switch (mode) {
    case Mode::In:
      return "in_";
    case Mode::Out:
      return "out";
    case Mode::InOut:
      return "inout";
    case Mode::Plain:
      break;
  }
  return "argument";
}

template <Mode mode>
PyObject* wrap(PyObject*, PyObject* array) noexcept {
  auto* wrapped = PyObject_New(Wrapped, wrapped_type);
  if (!wrapped) return nullptr;
  Py_INCREF(array);
  wrapped->array = array;
  wrapped->mode = mode;
  return reinterpret_cast<PyObject*>(wrapped);
}

void wrapped_dealloc(PyObject* self) noexcept {
  PyTypeObject* type = Py_TYPE(self);
  Py_DECREF(reinterpret_cast<Wrapped*>(self)->array);
  PyObject_Free(self);
  Py_DECREF(type);
}

PyObject* wrapped_repr(PyObject* self) noexcept {
  const auto* wrapped = reinterpret_cast<Wrapped*>(self);
  return PyUnicode_FromFormat("lanza.%s(%R)", name_of(wrapped->mode), wrapped->array);
}

PyObject* wrapped_array(PyObject* self, void*) noexcept {
  PyObject* array = reinterpret_cast<Wrapped*>(self)->array;
  Py_INCREF(array);
  return array;
}

PyGetSetDef wrapped_members[] = {{"array", &wrapped_array, nullptr, "The array that it wraps.", nullptr}, {}};
PyType_Slot wrapped_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(&wrapped_dealloc)},
    {Py_tp_repr, reinterpret_cast<void*>(&wrapped_repr)},
    {Py_tp_getset, wrapped_members},
    {Py_tp_doc, const_cast<char*>("A host array as a kernel's argument: made by in_, out and inout.")},
    {0, nullptr}};
constexpr unsigned not_from_python = 1u << 7;  // Py_TPFLAGS_DISALLOW_INSTANTIATION
PyType_Spec wrapped_spec = {"lanza._lanza.Wrapped", sizeof(Wrapped), 0, Py_TPFLAGS_DEFAULT | not_from_python,
                            wrapped_slots};

PyMethodDef functions[] = {
    {"in_", &wrap<Mode::In>, METH_O,
     "in_(array)\n--\n\nAn array that the kernel reads: copied to the device before it runs, never back."},
    {"out", &wrap<Mode::Out>, METH_O,
     "out(array)\n--\n\nAn array that the kernel writes as a whole: copied from the device after it ran, never to it.\n"
     "Elements that the kernel does not write have no defined value afterwards."},
    {"inout", &wrap<Mode::InOut>, METH_O,
     "inout(array)\n--\n\nAn array that the kernel reads and writes: copied both ways."},
    {}};

// ---- NumPy's scalars, known without importing NumPy ----

bool is_numpy_scalar(PyObject* object) {
  static PyObject* generic = nullptr;
  if (!generic) {
    PyObject* numpy = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");
    if (!numpy) return false;
    generic = PyObject_GetAttrString(numpy, "generic");
    if (!generic) {
      PyErr_Clear();  // NumPy is being imported, or something else has its name
      return false;
    }
  }
  return PyObject_IsInstance(object, generic) == 1;
}

template <class T>
Argument number(T value, DType dtype, std::uint8_t flags = 0) {
  return Argument::scalar(&value, sizeof value, dtype, flags);
}

}  // namespace

Arguments::Arguments(PyObject* const* objects, std::size_t count, const Kernel& kernel)
    : objects_(objects), kernel_(kernel), signature_(kernel.signature()), list_(count), arrays_(count) {
  for (std::size_t i = 0; i < count; ++i) add(objects[i]);
}

const Parameter* Arguments::parameter() const {
  const std::size_t i = list_.size();
  return signature_.known && i < signature_.parameters.size() ? &signature_.parameters[i] : nullptr;
}

std::string Arguments::prefix() const {
  std::string text = kernel_.name() + ": argument " + std::to_string(list_.size() + 1);
  if (const Parameter* p = parameter(); p && !p->name.empty()) text += " (" + p->name + ")";
  return text + ": ";
}

void Arguments::add(PyObject* object) {
  if (const Memory* memory = memory_of(object)) {
    list_.emplace_back(memory->argument());
    return;
  }
  PyTypeObject* type = Py_TYPE(object);
  if (type == wrapped_type) return add_wrapped(object);
  if (type == &PyLong_Type) return add_integer(object);
  if (type == &PyFloat_Type) return add_float(object);
  add_other(object);
}

void Arguments::add_integer(PyObject* object) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0) {
    if (value == -1 && PyErr_Occurred()) nb::raise_python_error();
    list_.emplace_back(number(value, DType::Int64, Argument::Weak));
    return;
  }
  if (overflow > 0) {
    const unsigned long long large = PyLong_AsUnsignedLongLong(object);
    if (large != static_cast<unsigned long long>(-1) || !PyErr_Occurred()) {
      list_.emplace_back(number(large, DType::UInt64, Argument::Weak));
      return;
    }
    PyErr_Clear();
  }
  list_.emplace_back(number(value, DType::Int64, Argument::Weak | Argument::TooLarge));
}

void Arguments::add_float(PyObject* object) {
  list_.emplace_back(number(PyFloat_AsDouble(object), DType::Float64, Argument::Weak));
}

void Arguments::add_complex(PyObject* object) {
  const std::complex<double> value(PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object));
  list_.emplace_back(number(value, DType::Complex128, Argument::Weak));
}

void Arguments::add_wrapped(PyObject* object) {
  const auto* wrapped = reinterpret_cast<Wrapped*>(object);
  if (const Memory* memory = memory_of(wrapped->array)) {
    list_.emplace_back(memory->argument()).mode = wrapped->mode;
    return;
  }
  if (!add_array(wrapped->array, wrapped->mode)) add_misfit();
}

void Arguments::add_other(PyObject* object) {
  if (object == Py_None) {
    list_.emplace_back(Argument::null());
    return;
  }
  if (Py_TYPE(object) == &PyBool_Type) {
    list_.emplace_back(number(object == Py_True, DType::Bool, Argument::Weak));
    return;
  }
  if (add_array(object, Mode::Plain)) return;
  if (PyFloat_Check(object)) return add_float(object);
  if (PyComplex_Check(object)) return add_complex(object);
  if (!PyIndex_Check(object)) return add_misfit();
  const nb::object integer = nb::steal(PyNumber_Index(object));
  if (!integer.is_valid()) nb::raise_python_error();
  add_integer(integer.ptr());
}

bool Arguments::add_array(PyObject* object, Mode mode) {
  Array& array = arrays_.emplace_back();
  if (!array.open(object)) {
    arrays_.pop_back();
    return false;
  }
  if (array.place == Array::Place::Device) {
    add_device_array(array, mode);
    return true;
  }
  const Parameter* p = parameter();
  const bool by_value = mode == Mode::Plain && (p ? p->kind != Parameter::Kind::Pointer : false);
  if (mode == Mode::Plain && array.dimensions == 0 && (by_value || is_numpy_scalar(object))) {
    add_by_value(array);
    return true;
  }
  if (by_value && p->kind != Parameter::Kind::Scalar && array.bytes == p->size && array.contiguous) {
    list_.emplace_back(Argument::object(reinterpret_cast<void*>(array.address), array.bytes, 1));
    return true;
  }
  Argument& a = list_.emplace_back(Argument::host(reinterpret_cast<void*>(array.address), array.bytes, array.dtype,
                                                  array.element_size, mode, array.writable));
  if (!array.contiguous) a.flags |= Argument::Strided;
  touches_host_ = true;
  return true;
}

void Arguments::add_by_value(const Array& array) {
  const auto* data = reinterpret_cast<const void*>(array.address);
  const bool number = array.dtype != DType::Record && array.bytes <= sizeof(Argument::value);
  list_.emplace_back(number ? Argument::scalar(data, array.bytes, array.dtype)
                            : Argument::object(data, array.bytes, 1));
}

void Arguments::add_device_array(Array& array, Mode mode) {
  if (!array.contiguous)
    throw InvalidArgument(prefix() + describe(array) + " is not contiguous; pass a contiguous copy");
  const Parameter* p = parameter();
  const bool written = mode == Mode::Out || mode == Mode::InOut || (mode == Mode::Plain && p && !p->read_only);
  if (written && !array.writable)
    throw InvalidArgument(prefix() + describe(array) +
                          " is read-only, and the kernel may write it; pass a copy, or make the parameter const");
  if (!array.device && kernel_.module().device().kind() == DeviceKind::Cpu)
    throw InvalidArgument(prefix() + describe(array) + " cannot be used: the kernel runs on the CPU");
  has_producers_ |= array.producer_stream != 0;
  list_.emplace_back(Argument::foreign(array.address, array.bytes, array.dtype, array.element_size, array.device));
}

/// An argument that fits nothing: a record of no bytes.
void Arguments::add_misfit() {
  if (!signature_.known)
    throw ArgumentTypeError(prefix() + "got " + describe_argument(objects_[list_.size()]) +
                            ", which is neither array nor number");
  list_.emplace_back(Argument::object(nullptr, 0, 1));
}

void Arguments::order_after_producers(const Stream& stream) {
  if (!has_producers_) return;
  for (const Array& array : arrays_) {
    if (!array.producer_stream || array.producer_stream == stream.handle()) continue;
    stream.wait(Stream::from_handle(array.producer_stream, stream.device()).record());
  }
}

void Arguments::keep_until_done(detail::StreamRecord& stream) const {
  nb::list objects;
  for (std::size_t i = 0; i < list_.size(); ++i) objects.append(nb::handle(objects_[i]));
  stream.keep(shared_reference(std::move(objects)));
}

std::string describe_argument(PyObject* object) {
  if (Py_TYPE(object) == wrapped_type) return describe_argument(reinterpret_cast<Wrapped*>(object)->array);
  if (const Memory* m = memory_of(object)) {
    const std::string type = m->element.dtype == DType::Record ? std::to_string(m->element.size) + "-byte record"
                                                               : std::string(lanza::name_of(m->element.dtype));
    return type + " buffer (" + std::to_string(m->size()) + ",) on " + m->storage.device().id();
  }
  if (object == Py_None) return "None";
  if (PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyBool_Check(object) || PyComplex_CheckExact(object))
    return std::string(nb::type_name(nb::handle(object).type()).c_str()) + " " + nb::repr(object).c_str();
  if (is_numpy_scalar(object))
    return std::string(nb::cast<nb::str>(nb::handle(object).attr("dtype").attr("name")).c_str()) + " scalar " +
           nb::str(nb::handle(object)).c_str();
  Array array;
  if (array.open(object)) return describe(array);
  return nb::type_name(nb::handle(object).type()).c_str();
}

void bind_arguments(nb::module_& m) {
  PyObject* type = PyType_FromSpec(&wrapped_spec);
  if (!type) nb::raise_python_error();
  wrapped_type = reinterpret_cast<PyTypeObject*>(type);
  m.attr("_Wrapped") = nb::handle(type);
  if (PyModule_AddFunctions(m.ptr(), functions) != 0) nb::raise_python_error();
}

}  // namespace lanza::python
