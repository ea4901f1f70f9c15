#include "runtime/convert.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

namespace lanza::detail {
namespace {

template <class T>
T load(const Argument& a) {
  T value;
  std::memcpy(&value, a.value, sizeof value);
  return value;
}

template <class T>
Mismatch store(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
  return Mismatch::None;
}

// Calls visit with the scalar as an int64 or, beyond that, a uint64. False: it is no integer.
template <class Visit>
bool visit_integer(const Argument& a, Visit visit) {
  switch (a.dtype) {
    case DType::Bool:
      return visit(std::int64_t{load<bool>(a)}), true;
    case DType::Int8:
      return visit(std::int64_t{load<std::int8_t>(a)}), true;
    case DType::UInt8:
      return visit(std::int64_t{load<std::uint8_t>(a)}), true;
    case DType::Int16:
      return visit(std::int64_t{load<std::int16_t>(a)}), true;
    case DType::UInt16:
      return visit(std::int64_t{load<std::uint16_t>(a)}), true;
    case DType::Int32:
      return visit(std::int64_t{load<std::int32_t>(a)}), true;
    case DType::UInt32:
      return visit(std::int64_t{load<std::uint32_t>(a)}), true;
    case DType::Int64:
      return visit(load<std::int64_t>(a)), true;
    case DType::UInt64:
      return visit(load<std::uint64_t>(a)), true;
    default:
      return false;
  }
}

template <class T, class V>
Mismatch store_checked(std::byte* at, V value) {
  return std::in_range<T>(value) ? store(at, static_cast<T>(value)) : Mismatch::Range;
}

/// A binary format of 16 bits: `precision` counts the hidden bit, 2^lowest is the last place of denormals.
struct Format16 {
  int precision, lowest, infinity;
};
constexpr Format16 kHalf{11, -24, 0x7c00}, kBFloat16{8, -133, 0x7f80};

bool is_16_bits(DType type) { return type == DType::Float16 || type == DType::BFloat16; }
const Format16& format_of(DType type) { return type == DType::Float16 ? kHalf : kBFloat16; }

/// Rounded to nearest, ties to even. A long double holds all integers of 64 bits.
std::uint16_t to_16_bits(const Format16& format, long double value) {
  const int sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return 0x7fff;
  if (std::isinf(value)) return static_cast<std::uint16_t>(sign | format.infinity);
  // In units of the last place of its binade, where the rounding is that of an integer. 1 more may be the next
  // binade's.
  const int place = value == 0 ? format.lowest : std::max(std::ilogb(value) + 1 - format.precision, format.lowest);
  const auto units = std::llrint(std::ldexp(std::fabs(value), -place));
  const auto below = static_cast<long long>(place - format.lowest) << (format.precision - 1);
  return static_cast<std::uint16_t>(sign | std::min<long long>(units + below, format.infinity));
}

double from_16_bits(const Format16& format, std::uint16_t bits) {
  const int size = bits & 0x7fff, exponent = size >> (format.precision - 1), hidden = 1 << (format.precision - 1);
  const double sign = bits & 0x8000 ? -1 : 1;
  if (size > format.infinity) return std::numeric_limits<double>::quiet_NaN();
  if (size == format.infinity) return sign * std::numeric_limits<double>::infinity();
  const int mantissa = (size & (hidden - 1)) | (exponent ? hidden : 0);
  return sign * std::ldexp(mantissa, format.lowest + std::max(exponent - 1, 0));
}

Mismatch store_16_bits(DType to, std::byte* at, long double value) {
  const std::uint16_t bits = to_16_bits(format_of(to), value);
  const bool overflow = (bits & 0x7fff) == format_of(to).infinity && !std::isinf(value);
  return overflow ? Mismatch::Range : store(at, bits);
}

template <class V>
Mismatch store_integer(DType to, std::byte* at, V value) {
  switch (to) {
    case DType::Bool:
      return value == 0 || value == 1 ? store(at, value == 1) : Mismatch::Range;
    case DType::Int8:
      return store_checked<std::int8_t>(at, value);
    case DType::UInt8:
      return store_checked<std::uint8_t>(at, value);
    case DType::Int16:
      return store_checked<std::int16_t>(at, value);
    case DType::UInt16:
      return store_checked<std::uint16_t>(at, value);
    case DType::Int32:
      return store_checked<std::int32_t>(at, value);
    case DType::UInt32:
      return store_checked<std::uint32_t>(at, value);
    case DType::Int64:
      return store_checked<std::int64_t>(at, value);
    case DType::UInt64:
      return store_checked<std::uint64_t>(at, value);
    case DType::Float16:
    case DType::BFloat16:
      return store_16_bits(to, at, static_cast<long double>(value));
    case DType::Float32:
      return store(at, static_cast<float>(value));
    case DType::Float64:
      return store(at, static_cast<double>(value));
    default:
      return Mismatch::Type;
  }
}

Mismatch store_floating(DType to, std::byte* at, double value, bool may_narrow) {
  if (to == DType::Float64) return store(at, value);
  if (!may_narrow) return Mismatch::Type;
  if (is_16_bits(to)) return store_16_bits(to, at, value);
  if (to != DType::Float32) return Mismatch::Type;
  const auto narrow = static_cast<float>(value);
  return std::isinf(narrow) && !std::isinf(value) ? Mismatch::Range : store(at, narrow);
}

Mismatch convert_other_type(DType to, const Argument& a, std::byte* at) {
  if (a.flags & Argument::TooLarge) {
    const bool integer = to >= DType::Bool && to <= DType::UInt64;
    return integer || is_16_bits(to) || to == DType::Float32 || to == DType::Float64 ? Mismatch::Range : Mismatch::Type;
  }
  Mismatch result = Mismatch::Type;
  if (visit_integer(a, [&](auto value) { result = store_integer(to, at, value); })) return result;
  if (is_16_bits(a.dtype) && !is_16_bits(to))
    return store_floating(to, at, from_16_bits(format_of(a.dtype), load<std::uint16_t>(a)), true);  // a float holds it
  if (a.dtype == DType::Float32) return store_floating(to, at, double{load<float>(a)}, false);
  if (a.dtype == DType::Float64) return store_floating(to, at, load<double>(a), a.flags & Argument::Weak);
  return Mismatch::Type;
}

}  // namespace

Mismatch convert(DType to, const Argument& a, std::byte* at) {
  if (a.dtype != to || (a.flags & Argument::TooLarge)) return convert_other_type(to, a, at);
  switch (a.element_size) {
    case 1:
      std::memcpy(at, a.value, 1);
      break;
    case 2:
      std::memcpy(at, a.value, 2);
      break;
    case 4:
      std::memcpy(at, a.value, 4);
      break;
    case 8:
      std::memcpy(at, a.value, 8);
      break;
    default:
      std::memcpy(at, a.value, a.element_size);
  }
  return Mismatch::None;
}

Mismatch convert_to_size(std::size_t size, const Argument& a, std::byte* at) {
  if (a.flags & Argument::TooLarge) return Mismatch::Range;
  if (a.dtype == DType::Float64 && (a.flags & Argument::Weak) && size == 4) return convert(DType::Float32, a, at);
  Mismatch result = Mismatch::Type;
  visit_integer(a, [&](auto value) {
    const DType as_signed = size == 1   ? DType::Int8
                            : size == 2 ? DType::Int16
                            : size == 4 ? DType::Int32
                                        : DType::Int64;
    const DType as_unsigned = size == 1   ? DType::UInt8
                              : size == 2 ? DType::UInt16
                              : size == 4 ? DType::UInt32
                                          : DType::UInt64;
    if (size != 1 && size != 2 && size != 4 && size != 8) return;
    result = store_integer(as_signed, at, value);
    if (result == Mismatch::Range) result = store_integer(as_unsigned, at, value);
  });
  return result;
}

}  // namespace lanza::detail
