// Parameter and Signature.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <lanza/signature.hpp>

#include <string>

#include "binding.hpp"
#include "signatures.hpp"

namespace nb = nanobind;

namespace lanza::python {
namespace {

const char* name_of(Parameter::Kind kind) {
  switch (kind) {
    case Parameter::Kind::Pointer:
      return "pointer";
    case Parameter::Kind::Scalar:
      return "scalar";
    case Parameter::Kind::Record:
      return "record";
    case Parameter::Kind::Unknown:
      return "unknown";
  }
  return "unknown";
}

std::string declaration(const Parameter& p) { return p.name.empty() ? p.type : p.type + " " + p.name; }

}  // namespace

void bind_signatures(nb::module_& m) {
  nb::class_<Parameter>(m, "Parameter", "One parameter of a kernel.")
      .def_ro("name", &Parameter::name, "\"\" where it is not known: mangled symbols carry no names.")
      .def_ro("type", &Parameter::type, "As CUDA C++ spells it: \"const float*\", \"int\".")
      .def_prop_ro(
          "kind", [](const Parameter& p) { return name_of(p.kind); },
          nb::sig("def kind(self) -> typing.Literal['pointer', 'scalar', 'record', 'unknown']"),
          "\"pointer\" takes arrays and buffers, \"scalar\" numbers, \"record\" structs by value; \"unknown\": only "
          "its size is.")
      .def_prop_ro(
          "dtype", [](const Parameter& p) { return std::string(lanza::name_of(p.dtype)); },
          "NumPy's name of the type of the value, or of what the pointer points to; \"void\": anything goes.")
      .def_ro("read_only", &Parameter::read_only, "A pointer to const: the kernel only reads.")
      .def_ro("element_size", &Parameter::element_size,
              "Bytes of the value, or of what the pointer points to (0: unknown).")
      .def_ro("offset", &Parameter::offset, "Bytes from the start of the packed arguments.")
      .def_ro("size", &Parameter::size, "Bytes in the packed arguments.")
      .def("__str__", &declaration)
      .def("__repr__", [](const Parameter& p) { return "<lanza.Parameter " + declaration(p) + ">"; });

  nb::class_<KernelSignature>(m, "Signature",
                              "A kernel's parameter list, known before its first launch. str() is its declaration.")
      .def_prop_ro(
          "parameters", [](const KernelSignature& s) { return s.signature.parameters; }, "In order.")
      .def_prop_ro(
          "nbytes", [](const KernelSignature& s) { return s.signature.bytes; }, "Size of the packed arguments.")
      .def_prop_ro(
          "known", [](const KernelSignature& s) { return s.signature.known; },
          "False when nothing is known and arguments are taken as they come.")
      .def("__len__", [](const KernelSignature& s) { return s.signature.parameters.size(); })
      .def("__getitem__",
           [](const KernelSignature& s, Py_ssize_t i) {
             const auto n = static_cast<Py_ssize_t>(s.signature.parameters.size());
             if (i < -n || i >= n) throw nb::index_error("parameter index out of range");
             return s.signature.parameters[static_cast<std::size_t>(i < 0 ? i + n : i)];
           })
      .def("__str__", [](const KernelSignature& s) { return to_string(s.kernel, s.signature); })
      .def("__repr__",
           [](const KernelSignature& s) { return "<lanza.Signature " + to_string(s.kernel, s.signature) + ">"; });
}

}  // namespace lanza::python
