// A kernel's parameter list, known before its first launch.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <lanza/dtype.hpp>

namespace lanza {

/// One parameter of a kernel.
struct Parameter {
  enum class Kind : std::uint8_t {
    Pointer,  ///< `T*`: takes arrays and buffers
    Scalar,   ///< arithmetic type or enumeration
    Record,   ///< trivially copyable struct, union or vector type, by value
    Unknown   ///< size known, type not: bytes of that size, not checked further
  };
  std::string name;  ///< empty where it is not known (mangled symbols carry no names)
  std::string type;  ///< as CUDA C++ spells it: "const float*", "int"
  Kind kind = Kind::Unknown;
  DType dtype = DType::Opaque;   ///< of the pointee for Pointer, else of the value; Opaque pointee: anything goes
  bool read_only = false;        ///< Pointer: the pointee is const
  std::size_t element_size = 0;  ///< bytes of the pointee (Pointer; 0: unknown) or of the value
  std::size_t offset = 0;        ///< bytes from the start of the packed argument block
  std::size_t size = 0;          ///< bytes in it
};

/// The whole list. `bytes` is the size of the packed argument block that a launch hands over.
struct Signature {
  std::vector<Parameter> parameters;
  std::size_t bytes = 0;
  bool known = true;  ///< false: nothing is known (extern "C" kernel without source); arguments are taken as they come
};

/// "multiplicar(float* dest, const float* a, const float* b)".
LANZA_API std::string to_string(std::string_view kernel, const Signature& signature);

}  // namespace lanza
