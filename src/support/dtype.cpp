// Sizes and names of element types, from one table.
#include <fmt/format.h>

#include <array>
#include <lanza/dtype.hpp>
#include <lanza/error.hpp>

namespace lanza {
namespace {

struct Row {
  DType dtype;
  std::size_t size;
  std::string_view name, cuda, numpy;  // numpy: kind and size of the type string, without byte order
};

constexpr std::array rows = {
    Row{DType::Opaque, 0, "void", "void", ""},
    Row{DType::Bool, 1, "bool", "bool", "b1"},
    Row{DType::Int8, 1, "int8", "signed char", "i1"},
    Row{DType::UInt8, 1, "uint8", "unsigned char", "u1"},
    Row{DType::Int16, 2, "int16", "short", "i2"},
    Row{DType::UInt16, 2, "uint16", "unsigned short", "u2"},
    Row{DType::Int32, 4, "int32", "int", "i4"},
    Row{DType::UInt32, 4, "uint32", "unsigned int", "u4"},
    Row{DType::Int64, 8, "int64", "long long", "i8"},
    Row{DType::UInt64, 8, "uint64", "unsigned long long", "u8"},
    Row{DType::Float16, 2, "float16", "__half", "f2"},
    Row{DType::BFloat16, 2, "bfloat16", "__nv_bfloat16", ""},
    Row{DType::Float32, 4, "float32", "float", "f4"},
    Row{DType::Float64, 8, "float64", "double", "f8"},
    Row{DType::Complex64, 8, "complex64", "float2", "c8"},
    Row{DType::Complex128, 16, "complex128", "double2", "c16"},
    Row{DType::Record, 0, "record", "struct", ""},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].dtype != static_cast<DType>(i)) return false;
  return rows.size() == static_cast<std::size_t>(DType::Record) + 1;
}
static_assert(in_order(), "the table is indexed by DType");

const Row& row(DType dtype) noexcept {
  const auto i = static_cast<std::size_t>(dtype);
  return rows[i < rows.size() ? i : 0];
}

// "<f4", "|u1", "=i8", "f4": the byte order must be the machine's, which is little-endian.
const Row* from_type_string(std::string_view text) {
  const bool swapped = text.starts_with('>');
  if (swapped || text.starts_with('<') || text.starts_with('=') || text.starts_with('|')) text.remove_prefix(1);
  if (text.size() > 1 && text[0] == 'V') return &row(DType::Record);
  for (const Row& r : rows)
    if (!r.numpy.empty() && r.numpy == text) return swapped && r.size > 1 ? nullptr : &r;
  return nullptr;
}

}  // namespace

std::size_t size_of(DType dtype) noexcept { return row(dtype).size; }
std::string_view name_of(DType dtype) noexcept { return row(dtype).name; }
std::string_view cuda_name_of(DType dtype) noexcept { return row(dtype).cuda; }

DType dtype_from_name(std::string_view name) {
  for (const Row& r : rows)
    if (r.name == name) return r.dtype;
  if (const Row* r = from_type_string(name)) return r->dtype;
  if (name.starts_with('>'))
    throw InvalidArgument(
        fmt::format("element type '{}' is big-endian; devices are little-endian: convert with .astype('<{}')", name,
                    name.substr(1)));
  throw InvalidArgument(fmt::format(
      "unknown element type '{}'; expected bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32, float64, "
      "complex64, complex128, void, or NumPy's type string such as '<f4'",
      name));
}

}  // namespace lanza
