// Lanza's exceptions as Python classes: the names of <lanza/error.hpp>, each also the builtin that fits.
#include "errors.hpp"

#include <lanza/error.hpp>

#include <exception>
#include <new>
#include <string>

namespace nb = nanobind;

namespace lanza::python {
namespace {

struct Classes {
  PyObject *error, *invalid_argument, *argument_type_error, *not_found, *out_of_memory, *unavailable, *compile_error,
      *launch_error, *driver_error;
};
Classes classes;  // alive as long as the process, as extension modules are

nb::object text(const std::string& s) {
  return nb::steal(PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "replace"));
}

PyObject* make(nb::module_& module, const char* name, const char* doc, nb::tuple bases, nb::dict members = {}) {
  const std::string qualified = std::string("lanza.") + name;
  PyObject* type = PyErr_NewExceptionWithDoc(qualified.c_str(), doc, bases.ptr(), members.ptr());
  if (!type) nb::raise_python_error();
  module.attr(name) = nb::handle(type);
  return type;
}

nb::object instance(PyObject* type, const std::exception& e) { return nb::handle(type)(text(e.what())); }

void raise(PyObject* type, const std::exception& e) { PyErr_SetObject(type, text(e.what()).ptr()); }

void raise_compile_error(const CompileError& e) {
  const auto& d = e.details();
  nb::object o = instance(classes.compile_error, e);
  o.attr("file") = text(d.file);
  o.attr("line") = nb::steal(PyLong_FromUnsignedLong(d.line));
  o.attr("column") = nb::steal(PyLong_FromUnsignedLong(d.column));
  o.attr("log") = text(d.log);
  o.attr("options") = text(d.options);
  PyErr_SetObject(classes.compile_error, o.ptr());
}

void raise_launch_error(const LaunchError& e) {
  nb::object o = instance(classes.launch_error, e);
  o.attr("kernel") = text(e.kernel());
  PyErr_SetObject(classes.launch_error, o.ptr());
}

void raise_driver_error(const DriverError& e) {
  nb::object o = instance(classes.driver_error, e);
  o.attr("routine") = text(e.routine());
  o.attr("code") = nb::steal(PyLong_FromLong(e.code()));
  o.attr("code_name") = text(e.code_name());
  PyErr_SetObject(classes.driver_error, o.ptr());
}

/// Lanza's own exceptions; any other goes on to the caller.
void translate(const std::exception_ptr& pending) {
  try {
    std::rethrow_exception(pending);
  } catch (const CompileError& e) {
    raise_compile_error(e);
  } catch (const LaunchError& e) {
    raise_launch_error(e);
  } catch (const DriverError& e) {
    raise_driver_error(e);
  } catch (const OutOfMemory& e) {
    raise(classes.out_of_memory, e);
  } catch (const ArgumentTypeError& e) {
    raise(classes.argument_type_error, e);
  } catch (const InvalidArgument& e) {
    raise(classes.invalid_argument, e);
  } catch (const NotFound& e) {
    raise(classes.not_found, e);
  } catch (const Unavailable& e) {
    raise(classes.unavailable, e);
  } catch (const Error& e) {
    raise(classes.error, e);
  }
}

}  // namespace

void set_error_from_exception() noexcept {
  try {
    translate(std::current_exception());
  } catch (nb::python_error& e) {
    e.restore();
  } catch (const nb::builtin_exception& e) {
    const bool type = e.type() == nb::exception_type::type_error, buffer = e.type() == nb::exception_type::buffer_error;
    PyErr_SetString(type ? PyExc_TypeError : buffer ? PyExc_BufferError : PyExc_RuntimeError, e.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (...) {
    PyErr_SetString(PyExc_SystemError, "lanza: an exception of unknown type");
  }
}

void bind_errors(nb::module_& module) {
  const auto also = [](PyObject* base, auto... builtins) {
    return nb::make_tuple(nb::handle(base), nb::handle(builtins)...);
  };
  const nb::str empty("");
  const nb::int_ zero(0);

  classes.error = make(module, "Error", "Base of every exception that Lanza raises.", also(PyExc_Exception));
  classes.invalid_argument =
      make(module, "InvalidArgument",
           "A value that cannot be used: a block over the limit, arrays of different sizes, a malformed option.",
           also(classes.error, PyExc_ValueError));
  classes.argument_type_error =
      make(module, "ArgumentTypeError", "A kernel argument whose type does not fit its parameter.",
           also(classes.invalid_argument, PyExc_TypeError));
  classes.not_found = make(module, "NotFound", "A kernel, variable or device of that name does not exist.",
                           also(classes.error, PyExc_AttributeError, PyExc_LookupError));
  classes.out_of_memory =
      make(module, "OutOfMemory", "The device's memory does not suffice, after the pool gave back what it held.",
           also(classes.error, PyExc_MemoryError));
  classes.unavailable =
      make(module, "Unavailable", "Something that this machine lacks: no driver, no NVRTC, no compiler plug-in.",
           also(classes.error, PyExc_RuntimeError));

  nb::dict position;
  position["file"] = empty;
  position["line"] = zero;
  position["column"] = zero;
  position["log"] = empty;
  position["options"] = empty;
  classes.compile_error =
      make(module, "CompileError",
           "The source was not accepted, or the compiler failed.\n\n"
           "file, line, column: position of the first error, counted from 1 (\"\" and 0: unknown);\n"
           "log: everything the compiler said; options: what it was given, separated by spaces.",
           also(classes.error, PyExc_RuntimeError), position);
  nb::dict kernel;
  kernel["kernel"] = empty;
  classes.launch_error = make(module, "LaunchError",
                              "A kernel that could not be launched, or that failed while it ran.\n\n"
                              "kernel: its name, or \"\" when no launch of ours explains the fault.",
                              also(classes.error, PyExc_RuntimeError), kernel);
  nb::dict driver;
  driver["routine"] = empty;
  driver["code"] = zero;
  driver["code_name"] = empty;
  classes.driver_error = make(module, "DriverError",
                              "A routine of a driver or library failed.\n\n"
                              "routine: e.g. \"cuMemcpyHtoDAsync\"; code: e.g. 700;\n"
                              "code_name: e.g. \"CUDA_ERROR_ILLEGAL_ADDRESS\".",
                              also(classes.error, PyExc_RuntimeError), driver);

  nb::register_exception_translator([](const std::exception_ptr& pending, void*) { translate(pending); });
}

}  // namespace lanza::python
