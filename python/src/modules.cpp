// Module, compile() and load().
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <lanza/compile.hpp>
#include <lanza/current.hpp>
#include <lanza/error.hpp>
#include <lanza/module.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "binding.hpp"
#include "buffer.hpp"
#include "device_argument.hpp"
#include "errors.hpp"
#include "interpreter.hpp"
#include "kernel.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace lanza::python {
namespace {

PyTypeObject* module_type = nullptr;

/// The kernel as a Python object, and kept in the instance's __dict__, where the next look-up finds it in 24 ns instead
/// of 300. A name that the class has too stays out: members win.
nb::object kernel_attribute(nb::handle self, nb::handle name) {
  nb::object kernel = make_kernel(nb::inst_ptr<Module>(self)->kernel(nb::cast<std::string>(name)));
  if (!nb::hasattr(nb::handle(reinterpret_cast<PyObject*>(module_type)), name)) self.attr("__dict__")[name] = kernel;
  return kernel;
}

nb::object kernel(nb::handle self, nb::handle name) {
  nb::object known = self.attr("__dict__").attr("get")(name);
  return known.is_none() ? kernel_attribute(self, name) : known;
}

/// Attributes as usual; what is none of them is a kernel, unless it starts with an underscore.
PyObject* get_attribute(PyObject* self, PyObject* name) noexcept {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  return guarded<PyObject*>(nullptr, [&] {
    nb::python_error missing;
    if (nb::cast<std::string>(nb::handle(name)).starts_with('_')) throw missing;
    return kernel_attribute(self, name).release().ptr();
  });
}

PyType_Slot slots[] = {{Py_tp_getattro, reinterpret_cast<void*>(&get_attribute)}, {0, nullptr}};

nb::object repr(const Module& m) {
  std::string text = "<lanza.Module '" + m.filename() + "' on " + m.device().id() + ":";
  const auto names = m.kernels();
  for (std::size_t i = 0; i < names.size(); ++i) text += (i ? ", " : " ") + names[i];
  return nb::cast(text + (names.empty() ? " no kernels>" : ">"));
}

nb::list dir(nb::handle self) {
  nb::list names(nb::module_::import_("builtins").attr("object").attr("__dir__")(self));
  for (const auto& name : nb::inst_ptr<Module>(self)->kernels())
    if (name.find_first_of("<(:") == std::string::npos) names.append(nb::cast(name));
  return names;
}

// ---- compiling ----

/// A list of strings, or one string by mistake: ["-DN=4"], not "-DN=4".
std::vector<std::string> strings(nb::handle sequence, const char* what) {
  if (nb::isinstance<nb::str>(sequence) || nb::isinstance<nb::bytes>(sequence))
    throw ArgumentTypeError(std::string(what) + " is a sequence of strings, not one string: write [" +
                            nb::repr(sequence).c_str() + "]");
  std::vector<std::string> result;
  for (nb::handle item : nb::iter(sequence)) {
    nb::object text = nb::module_::import_("os").attr("fspath")(item);
    result.push_back(nb::cast<std::string>(text));
  }
  return result;
}

/// What a compilation owns while Python may have gone on: see run_interruptibly().
struct Work {
  CompileOptions options;
  std::optional<Context> context;
  std::optional<Module> module;

  /// Compiles on this thread, in the context that was current where it was asked for.
  template <class F>
  void run(F&& compile) {
    const Current guard(*context);
    module.emplace(compile());
  }
};

std::shared_ptr<Work> make_work(nb::handle filename, const DeviceArgument& argument, nb::handle names,
                                nb::handle options, nb::handle include_dirs, nb::handle headers, bool cache) {
  auto work = std::make_shared<Work>();
  const std::optional<Device> device = device_of(argument);
  CompileOptions& o = work->options;
  if (!filename.is_none()) o.filename = nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(filename));
  o.names = strings(names, "names");
  o.options = strings(options, "options");
  for (auto& dir : strings(include_dirs, "include_dirs")) o.include_dirs.emplace_back(std::move(dir));
  o.headers = nb::cast<std::map<std::string, std::string>>(headers);
  o.cache = cache;
  const nb::gil_scoped_release unlocked;
  o.device = device ? *device : current_device();
  work->context = o.device->context();
  return work;
}

Module compile(std::string source, nb::handle filename, const DeviceArgument& device, nb::handle names,
               nb::handle options, nb::handle include_dirs, nb::handle headers, bool cache) {
  const auto work = make_work(filename, device, names, options, include_dirs, headers, cache);
  run_interruptibly(
      [work, source = std::move(source)] { work->run([&] { return lanza::compile(source, work->options); }); });
  return *work->module;
}

Module load(std::filesystem::path path, nb::handle filename, const DeviceArgument& device, nb::handle names,
            nb::handle options, nb::handle include_dirs, nb::handle headers, bool cache) {
  const auto work = make_work(filename, device, names, options, include_dirs, headers, cache);
  run_interruptibly([work, path = std::move(path)] { work->run([&] { return lanza::load(path, work->options); }); });
  return *work->module;
}

void bind_module(nb::module_& m) {
  nb::class_<Module> module(
      m, "Module", nb::type_slots(slots), nb::dynamic_attr(), nb::is_weak_referenceable(), nb::is_final(),
      R"(A compiled source, loaded on a device. Its kernels are its attributes: module.multiplicar.

Members win over kernels of the same name; module["name"] always reaches the kernel, also "axpy<float>". A name
expression that was not named when compiling is compiled then, and cached like the rest. dir(module) lists the kernels.)");
  module_type = reinterpret_cast<PyTypeObject*>(module.ptr());
  module
      .def("kernel", &kernel, "name"_a, nb::sig("def kernel(self, name: str) -> Kernel"),
           "The kernel of that name: \"multiplicar\", \"axpy<float>\". Raises NotFound and lists the kernels.")
      .def("__getitem__", &kernel, "name"_a, nb::sig("def __getitem__(self, name: str, /) -> Kernel"))
      .def("__dir__", &dir, nb::sig("def __dir__(self) -> list[str]"))
      .def(
          "variable",
          [](const Module& self, const std::string& name) {
            return Memory{self.variable(name).storage(), Element{DType::Opaque, 1, {}}};
          },
          "name"_a,
          "A __device__ or __constant__ variable as memory without a type (see Buffer.view), which keeps the module "
          "alive.")
      .def_prop_ro("kernels", &Module::kernels, "The names of all kernels.")
      .def(
          "image",
          [](const Module& self, const std::string& kind) {
            const std::string image = self.image(kind);
            return nb::bytes(image.data(), image.size());
          },
          "kind"_a,
          "The code in a form of the device's: \"cubin\", \"ptx\", \"bitcode\", \"llvm\", ... Raises NotFound and "
          "lists them.")
      .def_prop_ro("log", &Module::log, "The compiler's warnings.")
      .def_prop_ro("cached", &Module::cached, "Whether nothing had to be compiled: all came from the disk cache.")
      .def_prop_ro("compile_seconds", &Module::compile_seconds,
                   "Seconds spent in the compiler, or in finding its results in the cache.")
      .def_prop_ro("compiler", &Module::compiler, "\"NVRTC 13.0\", \"clang 19.1.7\".")
      .def_prop_ro("filename", &Module::filename, "As messages name the source.")
      .def_prop_ro("device", &Module::device, "Where it is loaded.")
      .def_prop_ro("handle", &Module::handle, "CUmodule as an integer.")
      .def(
          "__eq__", [](const Module& a, const Module& b) { return a.shared() == b.shared(); }, nb::is_operator())
      .def("__hash__", [](const Module& self) { return reinterpret_cast<std::uintptr_t>(self.shared().get()) >> 4; })
      .def("__repr__", &repr, nb::sig("def __repr__(self) -> str"));
}

}  // namespace

void bind_modules(nb::module_& m) {
  bind_module(m);
  m.def("compile", &compile, "source"_a, nb::kw_only(), "filename"_a = "kernel.cu", "device"_a = nb::none(),
        "names"_a = nb::tuple(), "options"_a = nb::tuple(), "include_dirs"_a = nb::tuple(), "headers"_a = nb::dict(),
        "cache"_a = true,
        nb::sig("def compile(source: str, *, filename: str | os.PathLike[str] = 'kernel.cu', device: Device | str | "
                "None = None, "
                "names: collections.abc.Sequence[str] = (), options: collections.abc.Sequence[str] = (), "
                "include_dirs: collections.abc.Sequence[str | os.PathLike[str]] = (), "
                "headers: collections.abc.Mapping[str, str] = {}, cache: bool = True) -> Module"),
        R"(Compiles CUDA C++ for a device and loads it in the device's current context.

filename: how messages name the source. device: default the thread's current one. names: name expressions to instantiate,
["axpy<float>"]. options: NVRTC's spelling, ["-DN=4", "-std=c++20", "--use_fast_math"]. include_dirs: searched by #include.
headers: text by the name that #include uses. cache: keep the result in, and take it from, the disk cache.
Raises CompileError (file, line, column, log), Unavailable when there is no compiler. Ctrl-C is answered at once; the
compiler then ends its work in the background.)");
  m.def("load", &load, "path"_a, nb::kw_only(), "filename"_a = nb::none(), "device"_a = nb::none(),
        "names"_a = nb::tuple(), "options"_a = nb::tuple(), "include_dirs"_a = nb::tuple(), "headers"_a = nb::dict(),
        "cache"_a = true,
        nb::sig("def load(path: str | os.PathLike[str], *, filename: str | os.PathLike[str] | None = None, device: "
                "Device | None = None, "
                "names: collections.abc.Sequence[str] = (), options: collections.abc.Sequence[str] = (), "
                "include_dirs: collections.abc.Sequence[str | os.PathLike[str]] = (), "
                "headers: collections.abc.Mapping[str, str] = {}, cache: bool = True) -> Module"),
        "Compiles a file; its path names the source, and its directory is searched for #include \"...\". The rest as "
        "compile().\n"
        "Raises also NotFound.");
}

}  // namespace lanza::python
