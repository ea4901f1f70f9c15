// Numbers as kernel arguments: from the type that they have to the type that a parameter has.
#pragma once

#include <cstddef>

#include <lanza/arguments.hpp>

#include "runtime/bind.hpp"

namespace lanza::detail {

/// Writes the scalar as `to` at `at`. Integers convert to every number that holds them (and round to floating point);
/// floating point stays what it is or widens; a number of Python takes on any floating-point type that its magnitude
/// fits.
Mismatch convert(DType to, const Argument& scalar, std::byte* at);

/// Writes an integer, or a number of Python, into `size` bytes of unknown type: signed or unsigned, as it fits.
Mismatch convert_to_size(std::size_t size, const Argument& scalar, std::byte* at);

}  // namespace lanza::detail
