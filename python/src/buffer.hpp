// lanza.Buffer: memory of a device, and the type of its elements.
#pragma once

#include "python_api.hpp"

#include <lanza/arguments.hpp>
#include <lanza/buffer.hpp>
#include <lanza/dtype.hpp>

#include <cstddef>
#include <cstdint>

namespace lanza::python {

/// An element type as Python code names it: "float32", numpy.float32, numpy.dtype("f4"), float, a structured dtype.
struct Element {
  DType dtype = DType::UInt8;
  std::uint32_t size = 1;
  nanobind::object numpy;  ///< the numpy.dtype where one was given; else null, made when asked for
};

/// Throws InvalidArgument for what names no type.
Element element_from(nanobind::handle dtype);
/// The numpy.dtype. Imports NumPy.
nanobind::object numpy_dtype(const Element&);

/// What lanza.Buffer is in C++.
struct Memory {
  detail::Storage storage;
  Element element;

  std::size_t size() const { return storage.bytes() / element.size; }
  detail::Argument argument() const { return detail::Argument::memory(storage, element.dtype, element.size); }
};

/// The class lanza.Buffer, and its C++ object when `o` is exactly of it, else null.
Memory* memory_of(PyObject* o) noexcept;

}  // namespace lanza::python
