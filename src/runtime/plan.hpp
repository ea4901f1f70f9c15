// What a launch needs of a signature, compact: made once a kernel, read at every launch.
#pragma once

#include <cstdint>
#include <vector>

#include <lanza/signature.hpp>

namespace lanza::detail {

/// One parameter in 16 bytes; the strings that only errors need stay in the signature.
struct PlannedParameter {
  Parameter::Kind kind;
  DType dtype;
  bool read_only;
  bool takes_anything;         ///< as a pointer: void*, unsigned char* or a type that is not known
  std::uint32_t element_size;  ///< 0: unknown
  std::uint32_t offset, size;  ///< in the packed block
};

/// One plan for all lists of argument types: an argument carries its type, so that the check is a compare of a few
/// bytes, and there is nothing left to look up or to store for each combination of types.
struct Plan {
  explicit Plan(const Signature&);

  std::vector<PlannedParameter> parameters;
  std::size_t bytes;
  bool known;
};

}  // namespace lanza::detail
