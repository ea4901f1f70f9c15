// Element types of arrays, buffers and kernel parameters.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <lanza/export.hpp>

namespace lanza {

/// Element type. `Record` is any other trivially copyable type, told apart by its size; `Opaque` is void, which matches
/// everything.
enum class DType : std::uint8_t {
  Opaque,
  Bool,
  Int8,
  UInt8,
  Int16,
  UInt16,
  Int32,
  UInt32,
  Int64,
  UInt64,
  Float16,
  BFloat16,
  Float32,
  Float64,
  Complex64,
  Complex128,
  Record
};

/// Bytes of one element; 0 for Opaque and Record.
LANZA_API std::size_t size_of(DType) noexcept;
/// NumPy's name: "float32", "int64", "bool", "complex64"; "void" for Opaque, "record" for Record.
LANZA_API std::string_view name_of(DType) noexcept;
/// The type as CUDA C++ spells it: "float", "long long", "float2" (Complex64), "__half" (Float16).
LANZA_API std::string_view cuda_name_of(DType) noexcept;
/// Inverse of name_of; also takes NumPy's type strings ("<f4", "|u1"). Throws InvalidArgument for another name.
LANZA_API DType dtype_from_name(std::string_view name);

/// The DType of a C++ type: integers by size and signedness (plain char as its signedness tells), Record for other
/// classes.
template <class T>
constexpr DType dtype_of() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, std::byte> || std::is_void_v<U>)
    return DType::Opaque;
  else if constexpr (std::is_same_v<U, bool>)
    return DType::Bool;
  else if constexpr (std::is_same_v<U, float>)
    return DType::Float32;
  else if constexpr (std::is_same_v<U, double>)
    return DType::Float64;
  else if constexpr (std::is_same_v<U, std::complex<float>>)
    return DType::Complex64;
  else if constexpr (std::is_same_v<U, std::complex<double>>)
    return DType::Complex128;
  else if constexpr (std::is_enum_v<U>)
    return dtype_of<std::underlying_type_t<U>>();
  else if constexpr (std::is_integral_v<U>) {
    constexpr bool s = std::is_signed_v<U>;
    if constexpr (sizeof(U) == 1)
      return s ? DType::Int8 : DType::UInt8;
    else if constexpr (sizeof(U) == 2)
      return s ? DType::Int16 : DType::UInt16;
    else if constexpr (sizeof(U) == 4)
      return s ? DType::Int32 : DType::UInt32;
    else
      return s ? DType::Int64 : DType::UInt64;
  } else
    return DType::Record;
}

}  // namespace lanza
