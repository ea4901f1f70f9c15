// lanza.Kernel: a type of its own, not nanobind's, so that a launch costs little: called by vectorcall, keywords
// compared by address, arguments converted on the stack.
#include "kernel.hpp"

#include <nanobind/stl/string.h>
#include <structmember.h>
#include <lanza/error.hpp>
#include <lanza/module.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "arguments.hpp"
#include "binding.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "runtime/current_stack.hpp"
#include "runtime/records.hpp"
#include "signatures.hpp"

namespace nb = nanobind;

namespace lanza::python {
namespace {

struct KernelObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* weak_references;
  Kernel kernel;
  bool sizes_only;
};
PyTypeObject* kernel_type = nullptr;

Kernel& kernel_of(PyObject* self) { return reinterpret_cast<KernelObject*>(self)->kernel; }

// ---- keywords ----

enum Keyword { Grid, Block, Shared, OnStream, Wait, Cooperative, Timeout, KeywordCount };
constexpr const char* keyword_names[KeywordCount] = {"grid", "block",       "shared", "stream",
                                                     "wait", "cooperative", "timeout"};
PyObject* keywords[KeywordCount];  // interned, as the names in every call are

Keyword keyword_from(PyObject* name, const Kernel& kernel) {
  for (int k = 0; k < KeywordCount; ++k)
    if (name == keywords[k]) return static_cast<Keyword>(k);
  for (int k = 0; k < KeywordCount; ++k)  // made at run time, so not interned
    if (PyUnicode_Compare(name, keywords[k]) == 0) return static_cast<Keyword>(k);
  throw nb::type_error((kernel.name() + "() got an unexpected keyword argument '" + nb::str(nb::handle(name)).c_str() +
                        "'; there are grid, block, shared, stream, wait, cooperative and timeout")
                           .c_str());
}

[[noreturn]] void bad_value(const Kernel& kernel, Keyword k, PyObject* value, const char* expected) {
  throw ArgumentTypeError(kernel.name() + ": " + keyword_names[k] + "=" + nb::repr(nb::handle(value)).c_str() +
                          ": expected " + expected);
}

/// A non-negative integer up to `limit`; anything with __index__ will do.
std::size_t size_from(const Kernel& kernel, Keyword k, PyObject* value, std::size_t limit, const char* expected) {
  nb::object integer = nb::borrow(value);
  if (Py_TYPE(value) != &PyLong_Type) {
    if (!PyIndex_Check(value)) bad_value(kernel, k, value, expected);
    integer = nb::steal(PyNumber_Index(value));
    if (!integer.is_valid()) nb::raise_python_error();
  }
  int overflow = 0;
  const long long n = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
  if (overflow != 0 || n < 0 || static_cast<unsigned long long>(n) > limit)
    throw InvalidArgument(kernel.name() + ": " + keyword_names[k] + "=" + nb::repr(nb::handle(value)).c_str() +
                          " is out of range (0 to " + std::to_string(limit) + ")");
  return static_cast<std::size_t>(n);
}

constexpr std::size_t largest_extent = std::numeric_limits<unsigned>::max();

Dim3 extents_from(const Kernel& kernel, Keyword k, PyObject* value) {
  constexpr auto expected = "an int, or a tuple of one to three";
  const auto extent = [&](PyObject* o) {
    return static_cast<unsigned>(size_from(kernel, k, o, largest_extent, expected));
  };
  if (Py_TYPE(value) == &PyLong_Type) return extent(value);
  if (PyTuple_Check(value)) {
    const Py_ssize_t n = PyTuple_Size(value);
    if (n < 1 || n > 3) bad_value(kernel, k, value, expected);
    return {extent(PyTuple_GetItem(value, 0)), n > 1 ? extent(PyTuple_GetItem(value, 1)) : 1,
            n > 2 ? extent(PyTuple_GetItem(value, 2)) : 1};
  }
  if (PyIndex_Check(value)) return extent(value);
  if (!PyList_Check(value)) bad_value(kernel, k, value, expected);
  return extents_from(kernel, k, nb::tuple(nb::borrow<nb::list>(value)).ptr());
}

bool truth(PyObject* value) {
  if (value == Py_True) return true;
  if (value == Py_False) return false;
  const int result = PyObject_IsTrue(value);
  if (result < 0) nb::raise_python_error();
  return result == 1;
}

std::chrono::milliseconds timeout_from(const Kernel& kernel, PyObject* value) {
  if (value == Py_None) return std::chrono::milliseconds(0);
  const double seconds = PyFloat_AsDouble(value);
  if (seconds == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    bad_value(kernel, Timeout, value, "seconds, or None");
  }
  if (!(seconds > 0) || seconds > 1e9)
    throw InvalidArgument(kernel.name() + ": timeout=" + nb::repr(nb::handle(value)).c_str() +
                          " is out of range; it is in seconds");
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(seconds * 1000)));
}

StreamView stream_from(const Kernel& kernel, PyObject* value) {
  if (value == Py_None) return {};
  const Stream* stream = nullptr;
  if (!nb::try_cast(nb::handle(value), stream)) bad_value(kernel, OnStream, value, "a lanza.Stream, or None");
  return *stream;
}

LaunchConfig configuration(const Kernel& kernel, PyObject* const* values, PyObject* names) {
  LaunchConfig config;
  const Py_ssize_t count = names ? PyTuple_Size(names) : 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* value = values[i];
    const Keyword k = keyword_from(PyTuple_GetItem(names, i), kernel);
    switch (k) {
      case Grid:
        config.grid = extents_from(kernel, k, value);
        break;
      case Block:
        config.block = extents_from(kernel, k, value);
        break;
      case Shared:
        config.shared = size_from(kernel, k, value, largest_extent, "bytes, an int");
        break;
      case OnStream:
        config.stream = stream_from(kernel, value);
        break;
      case Wait:
        config.wait = truth(value);
        break;
      case Cooperative:
        config.cooperative = truth(value);
        break;
      case Timeout:
        config.timeout = timeout_from(kernel, value);
        break;
      case KeywordCount:
        break;
    }
  }
  return config;
}

// ---- the launch ----

/// What the binder of liblanza asks of its caller. It asks without the GIL.
struct PythonCaller : detail::Caller {
  explicit PythonCaller(Arguments& list, bool by_size) : arguments(list) {
    describe = [](const Caller& self, std::size_t i, const detail::Argument&) {
      const nb::gil_scoped_acquire locked;
      return describe_argument(static_cast<const PythonCaller&>(self).arguments.object(i));
    };
    hint = &hint_for;
    in = "lanza.in_";
    sizes_only = by_size;
  }

  static std::string hint_for(const Caller&, const Parameter& p, const detail::Argument& a) {
    using Kind = detail::Argument::Kind;
    const bool known = size_of(p.dtype) != 0;
    const std::string type(lanza::name_of(p.dtype));
    if (p.kind == Parameter::Kind::Pointer && a.kind == Kind::Host && known)
      return "convert with .astype(numpy." + type + ")";
    if (p.kind == Parameter::Kind::Pointer && a.kind == Kind::Host && p.element_size != 0) {
      const std::string bytes = std::to_string(p.element_size);
      return "view its elements as structs of " + bytes + " bytes with .view('V" + bytes + "')";
    }
    if (p.kind == Parameter::Kind::Pointer && a.kind == Kind::Buffer && !known && p.element_size != 0)
      return "view it as structs with .view('V" + std::to_string(p.element_size) + "')";
    if (p.kind == Parameter::Kind::Pointer && a.kind == Kind::Buffer && known) return "make it a Buffer of " + type;
    if (p.kind == Parameter::Kind::Pointer && a.kind == Kind::Scalar) return "pass an array or a Buffer";
    const bool floating = a.kind == Kind::Scalar && (a.dtype == DType::Float32 || a.dtype == DType::Float64);
    if (p.kind == Parameter::Kind::Scalar && floating && known) {
      if (p.dtype == DType::BFloat16) return "convert with float()";
      const bool number = p.dtype == DType::Float16 || p.dtype == DType::Float32;
      return number ? "convert with numpy." + type + "()" : "convert with int()";
    }
    return {};
  }

  Arguments& arguments;
};

void wait_with_signals(const detail::Caller&, detail::StreamRecord& stream) {
  const nb::gil_scoped_acquire locked;
  wait_interruptibly(stream);
}

void launch(KernelObject* self, PyObject* const* values, std::size_t count, PyObject* names) {
  const Kernel& kernel = self->kernel;
  const LaunchConfig config = configuration(kernel, values + count, names);
  Arguments arguments(values, count, kernel);
  PythonCaller caller(arguments, self->sizes_only);
  detail::KernelRecord& record = *kernel.shared();
  const auto stream_of_launch = [&]() -> detail::StreamRecord& {
    return detail::resolve(config.stream, *kernel.module().context().shared());
  };
  const AnswerInterrupts answering;
  if (!arguments.touches_host()) {
    {
      const nb::gil_scoped_release unlocked;
      detail::launch(record, config, arguments.data(), count, &caller);
    }
    if (PyErr_Occurred()) [[unlikely]]
      raise_interrupt(stream_of_launch());
    return;
  }
  caller.wait = &wait_with_signals;
  detail::StreamRecord& stream = stream_of_launch();
  try {
    {
      const nb::gil_scoped_release unlocked;
      detail::launch(record, config, arguments.data(), count, &caller);
    }
    if (PyErr_Occurred()) [[unlikely]]
      raise_interrupt(stream);
  } catch (const nb::python_error&) {
    arguments.keep_until_done(stream);  // interrupted: the kernel may still be at work on them
    throw;
  }
  if (!config.wait) arguments.keep_until_done(stream);
}

PyObject* kernel_vectorcall(PyObject* self, PyObject* const* values, std::size_t nargsf, PyObject* names) noexcept {
  try {
    launch(reinterpret_cast<KernelObject*>(self), values, static_cast<std::size_t>(NB_VECTORCALL_NARGS(nargsf)), names);
  } catch (...) {
    set_error_from_exception();
    return nullptr;
  }
  Py_INCREF(Py_None);
  return Py_None;
}

// ---- members ----

template <class F>
PyObject* member(F&& make) noexcept {
  return guarded<PyObject*>(nullptr, [&] { return nb::object(make()).release().ptr(); });
}

PyObject* get_name(PyObject* self, void*) noexcept {
  return member([&] { return nb::cast(kernel_of(self).name()); });
}

PyObject* get_signature(PyObject* self, void*) noexcept {
  return member([&] { return nb::cast(KernelSignature{kernel_of(self).name(), kernel_of(self).signature()}); });
}

PyObject* get_attributes(PyObject* self, void*) noexcept {
  return member([&] {
    nb::dict result;
    for (const auto& [name, value] : kernel_of(self).attributes()) result[nb::cast(name)] = nb::cast(value);
    return result;
  });
}

PyObject* get_module(PyObject* self, void*) noexcept {
  return member([&] { return nb::cast(kernel_of(self).module()); });
}

PyObject* get_handle(PyObject* self, void*) noexcept {
  return member([&] { return nb::cast(kernel_of(self).handle()); });
}

PyObject* report(PyObject* self, PyObject*) noexcept {
  return member([&] { return nb::cast(kernel_of(self).report()); });
}

PyObject* by_size(PyObject* self, PyObject*) noexcept {
  return member([&] { return make_kernel(kernel_of(self), true); });
}

PyObject* repr(PyObject* self) noexcept {
  return member([&] {
    const Kernel& k = kernel_of(self);
    return nb::cast("<lanza.Kernel " + to_string(k.name(), k.signature()) + " on " + k.module().device().id() + ">");
  });
}

PyObject* compare(PyObject* a, PyObject* b, int operation) noexcept {
  return member([&]() -> nb::object {
    if ((operation != Py_EQ && operation != Py_NE) || Py_TYPE(b) != kernel_type) return nb::borrow(Py_NotImplemented);
    const bool equal = kernel_of(a).shared() == kernel_of(b).shared();
    return nb::bool_(equal == (operation == Py_EQ));
  });
}

Py_hash_t hash(PyObject* self) noexcept {
  const auto value = static_cast<Py_hash_t>(reinterpret_cast<std::uintptr_t>(kernel_of(self).shared().get()) >> 4);
  return value == -1 ? -2 : value;
}

void dealloc(PyObject* self) noexcept {
  PyTypeObject* type = Py_TYPE(self);
  auto* object = reinterpret_cast<KernelObject*>(self);
  if (object->weak_references) PyObject_ClearWeakRefs(self);
  object->kernel.~Kernel();
  PyObject_Free(self);
  Py_DECREF(type);
}

constexpr const char* documentation = R"(A function of a module that runs on its device.

kernel(*args, grid=1, block, shared=0, stream=None, wait=True, cooperative=False, timeout=None) launches it.

grid, block: an int or a tuple of one to three. shared: bytes of dynamic shared memory. stream: default the thread's
current one. wait=False returns before host arrays hold their results: the arguments are kept alive, and the caller
leaves the written arrays alone, until the stream is synchronised. cooperative: all blocks resident at once.
timeout: seconds after which a kernel is ended with a LaunchError, where the device can (CPU).

Arguments are checked against the parameters before anything runs: arrays (NumPy's, anything with DLPack or
__cuda_array_interface__) and Buffers of the exact element type for pointers; a plain host array is read for `const T*`,
read and written for `T*`; in_, out and inout say otherwise. Integers are converted with a range check, floats to float
and double. Raises ArgumentTypeError, InvalidArgument, OutOfMemory, LaunchError.)";

PyGetSetDef properties[] = {
    {"name", &get_name, nullptr, "As the user calls it: \"axpy<float>\".", nullptr},
    {"signature", &get_signature, nullptr, "The parameter list; str() of it is the declaration.", nullptr},
    {"attributes", &get_attributes, nullptr,
     "By the lower-case names of CUfunction_attribute: \"num_regs\", \"shared_size_bytes\", ...", nullptr},
    {"module", &get_module, nullptr, "The module that it is a part of.", nullptr},
    {"handle", &get_handle, nullptr, "CUfunction as an integer.", nullptr},
    {}};
PyMethodDef methods[] = {{"report", &report, METH_NOARGS,
                          "report($self, /)\n--\n\nHow it was compiled (CPU): a line of JSON for each blockDim, with "
                          "the engine and why, lanes, regions, and the "
                          "milliseconds of each phase. A sentence before the first launch."},
                         {"_by_size", &by_size, METH_NOARGS,
                          "_by_size($self, /)\n--\n\nThe same kernel, checking pointers by item size alone. For the "
                          "compatibility packages."},
                         {}};
PyMemberDef offsets[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(KernelObject, vectorcall), READONLY, nullptr},
                         {"__weaklistoffset__", T_PYSSIZET, offsetof(KernelObject, weak_references), READONLY, nullptr},
                         {}};
PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(&PyVectorcall_Call)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(&dealloc)},
                       {Py_tp_repr, reinterpret_cast<void*>(&repr)},
                       {Py_tp_hash, reinterpret_cast<void*>(&hash)},
                       {Py_tp_richcompare, reinterpret_cast<void*>(&compare)},
                       {Py_tp_getset, properties},
                       {Py_tp_methods, methods},
                       {Py_tp_members, offsets},
                       {Py_tp_doc, const_cast<char*>(documentation)},
                       {0, nullptr}};
constexpr unsigned long flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | (1UL << 7) /* not made from Python */;
PyType_Spec spec = {"lanza._lanza.Kernel", sizeof(KernelObject), 0, flags, slots};

}  // namespace

nb::object make_kernel(const Kernel& kernel, bool sizes_only) {
  auto* object = PyObject_New(KernelObject, kernel_type);
  if (!object) nb::raise_python_error();
  object->vectorcall = &kernel_vectorcall;
  object->weak_references = nullptr;
  new (&object->kernel) Kernel(kernel);
  object->sizes_only = sizes_only;
  return nb::steal(reinterpret_cast<PyObject*>(object));
}

void bind_kernels(nb::module_& m) {
  for (int k = 0; k < KeywordCount; ++k)
    if (!(keywords[k] = PyUnicode_InternFromString(keyword_names[k]))) nb::raise_python_error();
  PyObject* type = PyType_FromSpec(&spec);
  if (!type) nb::raise_python_error();
  kernel_type = reinterpret_cast<PyTypeObject*>(type);
  m.attr("Kernel") = nb::handle(type);
}

}  // namespace lanza::python
