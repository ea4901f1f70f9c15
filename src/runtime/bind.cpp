#include "runtime/bind.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/convert.hpp"
#include "runtime/registry.hpp"

namespace lanza::detail {
namespace {

using Kind = Argument::Kind;
using Mode = Argument::Mode;

void store_address(std::byte* at, std::uintptr_t address) { std::memcpy(at, &address, sizeof address); }

// Types that C++ and NumPy have no single name for, so that a record of the same size stands for them.
bool is_compound(DType type) {
  return type == DType::Record || type == DType::Complex64 || type == DType::Complex128 || type == DType::Float16 ||
         type == DType::BFloat16;
}

bool sizes_agree(std::uint32_t a, std::uint32_t b) { return a == 0 || b == 0 || a == b; }

bool element_fits(const PlannedParameter& p, const Argument& a, bool sizes_only) {
  if (a.dtype == p.dtype && a.dtype != DType::Record) return true;
  if (p.takes_anything || a.dtype == DType::Opaque) return true;
  if (sizes_only) return sizes_agree(a.element_size, p.element_size);
  const bool record = a.dtype == DType::Record || p.dtype == DType::Record;
  return record && is_compound(a.dtype) && is_compound(p.dtype) && sizes_agree(a.element_size, p.element_size);
}

Mismatch check_host(const PlannedParameter& p, const Argument& a, bool sizes_only) {
  if (a.flags & Argument::Strided) return Mismatch::Strided;
  const Mode mode = effective_mode(p, a);
  if (mode == Mode::In) return Mismatch::None;
  if (p.kind == Parameter::Kind::Pointer && p.read_only && !sizes_only) return Mismatch::ConstParameter;
  return a.flags & Argument::Writable ? Mismatch::None : Mismatch::ReadOnly;
}

// An argument for `T*`, or for eight bytes of which nothing else is known.
Mismatch bind_pointer(const PlannedParameter& p, const Argument& a, Binding& b) {
  std::byte* const at = b.block + p.offset;
  switch (a.kind) {
    case Kind::Buffer:
      if (!element_fits(p, a, b.sizes_only)) return Mismatch::Type;
      if (a.buffer->context.get() != &b.context) return Mismatch::OtherMemory;
      a.buffer->use_on(b.stream);
      store_address(at, a.range.address);
      return Mismatch::None;
    case Kind::Host:
      if (!element_fits(p, a, b.sizes_only)) return Mismatch::Type;
      b.has_host_ranges = true;
      return check_host(p, a, b.sizes_only);
    case Kind::Address:
      if (!element_fits(p, a, b.sizes_only)) return Mismatch::Type;
      if (a.device && a.device != &b.context.device) return Mismatch::OtherMemory;
      store_address(at, a.range.address);
      return Mismatch::None;
    case Kind::Scalar:
      // Programs that reinterpret memory pass addresses as sized integers.
      if (!b.sizes_only || (a.flags & Argument::Weak)) return Mismatch::Type;
      if (a.dtype != DType::Int64 && a.dtype != DType::UInt64) return Mismatch::Type;
      std::memcpy(at, a.value, sizeof(std::uintptr_t));
      return Mismatch::None;
    case Kind::Record:
      break;
  }
  return Mismatch::Type;
}

Mismatch bind_record(const PlannedParameter& p, const Argument& a, Binding& b) {
  std::byte* const at = b.block + p.offset;
  if (a.kind == Kind::Record && a.range.bytes == p.size) {
    std::memcpy(at, reinterpret_cast<const void*>(a.range.address), p.size);
    return Mismatch::None;
  }
  if (a.kind == Kind::Scalar && is_compound(a.dtype) && a.element_size == p.size) {
    std::memcpy(at, a.value, p.size);
    return Mismatch::None;
  }
  return Mismatch::Type;
}

Mismatch bind_scalar(const PlannedParameter& p, const Argument& a, Binding& b) {
  if (a.kind == Kind::Scalar) return convert(p.dtype, a, b.block + p.offset);
  return is_compound(p.dtype) ? bind_record(p, a, b) : Mismatch::Type;
}

// Bytes of a known size and unknown type: what has that size, and integers that fit it.
Mismatch bind_unknown(const PlannedParameter& p, const Argument& a, Binding& b) {
  if (a.kind == Kind::Record) return bind_record(p, a, b);
  if (a.kind != Kind::Scalar) return p.size == sizeof(void*) ? bind_pointer(p, a, b) : Mismatch::Type;
  if (a.element_size == p.size && !(a.flags & Argument::TooLarge)) {
    std::memcpy(b.block + p.offset, a.value, p.size);
    return Mismatch::None;
  }
  return convert_to_size(p.size, a, b.block + p.offset);
}

}  // namespace

Mode effective_mode(const PlannedParameter& p, const Argument& a) noexcept {
  if (a.mode != Mode::Plain) return a.mode;
  if (p.kind != Parameter::Kind::Pointer) return a.flags & Argument::Writable ? Mode::InOut : Mode::In;
  return p.read_only ? Mode::In : Mode::InOut;
}

Mismatch bind(const PlannedParameter& p, const Argument& a, Binding& b) {
  switch (p.kind) {
    case Parameter::Kind::Pointer:
      return bind_pointer(p, a, b);
    case Parameter::Kind::Scalar:
      return bind_scalar(p, a, b);
    case Parameter::Kind::Record:
      return bind_record(p, a, b);
    case Parameter::Kind::Unknown:
      return bind_unknown(p, a, b);
  }
  return Mismatch::Type;
}

Plan plan_as_given(const Argument* arguments, std::size_t count) {
  Signature signature;
  for (std::size_t i = 0; i < count; ++i) {
    const Argument& a = arguments[i];
    Parameter p;
    std::size_t alignment;
    if (a.kind == Kind::Scalar) {
      p.kind = is_compound(a.dtype) ? Parameter::Kind::Record : Parameter::Kind::Scalar;
      p.size = a.element_size;
      p.dtype = a.dtype;
      alignment = a.dtype == DType::Complex64 ? 8 : a.dtype == DType::Complex128 ? 16 : p.size;  // float2, double2
    } else if (a.kind == Kind::Record) {
      p.kind = Parameter::Kind::Record;
      p.size = a.range.bytes;
      alignment = a.element_size;
    } else {
      p.kind = Parameter::Kind::Unknown;
      p.size = alignment = sizeof(void*);
    }
    p.offset = (signature.bytes + alignment - 1) / alignment * alignment;
    signature.bytes = p.offset + p.size;
    signature.parameters.push_back(std::move(p));
  }
  return Plan(signature);
}

}  // namespace lanza::detail
