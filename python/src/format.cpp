// Element types as PEP 3118's format strings name them.
#include "format.hpp"

#include <bit>

namespace lanza::python {
namespace {

DType signed_of(std::size_t size) {
  switch (size) {
    case 1:
      return DType::Int8;
    case 2:
      return DType::Int16;
    case 4:
      return DType::Int32;
    case 8:
      return DType::Int64;
    default:
      return DType::Record;
  }
}

DType unsigned_of(std::size_t size) {
  switch (size) {
    case 1:
      return DType::UInt8;
    case 2:
      return DType::UInt16;
    case 4:
      return DType::UInt32;
    case 8:
      return DType::UInt64;
    default:
      return DType::Record;
  }
}

DType dtype_of_code(const char* code, std::size_t size) {
  if (code[0] == 'Z') {
    if (code[1] == 'f' && !code[2] && size == 8) return DType::Complex64;
    if (code[1] == 'd' && !code[2] && size == 16) return DType::Complex128;
    return DType::Record;
  }
  if (code[0] == '\0' || code[1] != '\0') return DType::Record;
  switch (code[0]) {
    case '?':
      return DType::Bool;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n':
      return signed_of(size);
    case 'c':
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N':
      return unsigned_of(size);
    case 'e':
      return DType::Float16;
    case 'f':
      return DType::Float32;
    case 'd':
      return DType::Float64;
    default:
      return DType::Record;
  }
}

}  // namespace

ElementType element_type(const char* format, std::size_t item_size) noexcept {
  if (!format) return {unsigned_of(item_size)};
  constexpr bool little = std::endian::native == std::endian::little;
  bool swapped = false;
  switch (*format) {
    case '<':
      swapped = !little;
      ++format;
      break;
    case '>':
    case '!':
      swapped = little;
      ++format;
      break;
    case '@':
    case '=':
    case '|':
      ++format;
      break;
    default:
      break;
  }
  return {dtype_of_code(format, item_size), swapped && item_size > 1};
}

const char* format_of(DType dtype) noexcept {
  switch (dtype) {
    case DType::Bool:
      return "?";
    case DType::Int8:
      return "b";
    case DType::UInt8:
      return "B";
    case DType::Int16:
      return "h";
    case DType::UInt16:
      return "H";
    case DType::Int32:
      return "i";
    case DType::UInt32:
      return "I";
    case DType::Int64:
      return "q";
    case DType::UInt64:
      return "Q";
    case DType::Float16:
      return "e";
    case DType::Float32:
      return "f";
    case DType::Float64:
      return "d";
    case DType::Complex64:
      return "Zf";
    case DType::Complex128:
      return "Zd";
    default:
      return "B";
  }
}

const char* typestr_prefix_of(DType dtype) noexcept {
  switch (dtype) {
    case DType::Bool:
      return "|b";
    case DType::Int8:
      return "|i";
    case DType::UInt8:
      return "|u";
    case DType::Int16:
    case DType::Int32:
    case DType::Int64:
      return "<i";
    case DType::UInt16:
    case DType::UInt32:
    case DType::UInt64:
      return "<u";
    case DType::Float16:
    case DType::Float32:
    case DType::Float64:
      return "<f";
    case DType::Complex64:
    case DType::Complex128:
      return "<c";
    default:
      return "|V";
  }
}

}  // namespace lanza::python
