// Element types as PEP 3118's format strings name them.
#pragma once

#include <lanza/dtype.hpp>

#include <cstddef>

namespace lanza::python {

struct ElementType {
  DType dtype = DType::Opaque;
  bool swapped = false;  ///< not in this machine's byte order: no kernel can use it
};

/// "f", "<f4"-like prefixes, "Zf", "?", ... by the size of an item; a struct or anything else is a Record. Null means
/// bytes ("B").
ElementType element_type(const char* format, std::size_t item_size) noexcept;

/// The format string for a DType, for the buffers that we export: "f", "Zd"; "B" where there is none (Record, Opaque,
/// bfloat16).
const char* format_of(DType) noexcept;

/// NumPy's type string ("<f4", "|b1", "|V16") of an element.
const char* typestr_prefix_of(DType) noexcept;

}  // namespace lanza::python
