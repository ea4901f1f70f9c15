#include "runtime/argument_errors.hpp"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <string>

#include "runtime/registry.hpp"

namespace lanza::detail {
namespace {

using Kind = Argument::Kind;

template <class T>
std::string number(const Argument& a) {
  T value;
  std::memcpy(&value, a.value, sizeof value);
  return fmt::to_string(value);
}

std::string scalar_text(const Argument& a) {
  switch (a.dtype) {
    case DType::Bool:
      return number<bool>(a);
    case DType::Int8:
      return fmt::to_string(static_cast<signed char>(a.value[0]) + 0);
    case DType::UInt8:
      return fmt::to_string(a.value[0] + 0);
    case DType::Int16:
      return number<std::int16_t>(a);
    case DType::UInt16:
      return number<std::uint16_t>(a);
    case DType::Int32:
      return number<std::int32_t>(a);
    case DType::UInt32:
      return number<std::uint32_t>(a);
    case DType::Int64:
      return number<std::int64_t>(a);
    case DType::UInt64:
      return number<std::uint64_t>(a);
    case DType::Float32:
      return number<float>(a);
    case DType::Float64:
      return number<double>(a);
    default:
      return "value";
  }
}

std::string elements_text(const Argument& a, const char* what) {
  const std::size_t count = a.element_size == 0 ? 0 : a.range.bytes / a.element_size;
  if (a.dtype == DType::Opaque) return fmt::format("untyped {} ({} bytes)", what, a.range.bytes);
  if (a.dtype == DType::Record) return fmt::format("{} ({},) of {}-byte structs", what, count, a.element_size);
  return fmt::format("{} {} ({},)", name_of(a.dtype), what, count);
}

std::string describe(const CallSite& site, std::size_t index) {
  const Argument& a = site.arguments[index];
  if (site.caller.describe) return site.caller.describe(site.caller, index, a);
  switch (a.kind) {
    case Kind::Host:
      return elements_text(a, "array");
    case Kind::Buffer:
      return elements_text(a, "buffer");
    case Kind::Address:
      return a.range.address == 0 ? "nullptr" : elements_text(a, "device array");
    case Kind::Scalar:
      return fmt::format("{} {}", name_of(a.dtype), scalar_text(a));
    case Kind::Record:
      return fmt::format("a struct of {} bytes", a.range.bytes);
  }
  return "another argument";
}

bool is_array(const Argument& a) { return a.kind == Kind::Host || a.kind == Kind::Buffer; }

std::string hint(const CallSite& site, const Parameter& p, const Argument& a) {
  if (site.caller.hint) return site.caller.hint(site.caller, p, a);
  if (p.kind == Parameter::Kind::Pointer && is_array(a) && size_of(p.dtype) != 0) {
    return fmt::format("convert its elements to {}", cuda_name_of(p.dtype));
  }
  const bool floating = a.dtype == DType::Float32 || a.dtype == DType::Float64;
  if (p.kind == Parameter::Kind::Scalar && a.kind == Kind::Scalar && floating && size_of(p.dtype) != 0) {
    return fmt::format("convert with static_cast<{}>()", cuda_name_of(p.dtype));
  }
  return {};
}

std::string type_text(const Parameter& p) {
  if (p.type.empty()) return fmt::format("{} bytes", p.size);
  return p.kind == Parameter::Kind::Record ? fmt::format("{} ({} bytes)", p.type, p.size) : p.type;
}

template <class T>
std::string limits_of() {
  return fmt::format(" ({} to {})", std::numeric_limits<T>::min() + 0, std::numeric_limits<T>::max() + 0);
}

std::string limits_text(DType type) {
  switch (type) {
    case DType::Bool:
      return " (0 or 1)";
    case DType::Int8:
      return limits_of<std::int8_t>();
    case DType::UInt8:
      return limits_of<std::uint8_t>();
    case DType::Int16:
      return limits_of<std::int16_t>();
    case DType::UInt16:
      return limits_of<std::uint16_t>();
    case DType::Int32:
      return limits_of<std::int32_t>();
    case DType::UInt32:
      return limits_of<std::uint32_t>();
    case DType::Int64:
      return limits_of<std::int64_t>();
    case DType::UInt64:
      return limits_of<std::uint64_t>();
    default:
      return {};
  }
}

// The parameter, or one made up where the kernel's are not known.
Parameter parameter_at(const CallSite& site, std::size_t index) {
  const Signature& signature = site.kernel.info.signature;
  if (signature.known) return signature.parameters[index];
  return {};
}

std::string other_memory_text(const CallSite& site, const Argument& a) {
  const ContextRecord& own = *site.kernel.module.context;
  const DeviceRecord& theirs = a.kind == Kind::Buffer ? a.buffer->context->device : *a.device;
  if (&theirs == &own.device) {
    return fmt::format("the buffer belongs to another context of {} than the kernel; copy it", id_of(own));
  }
  return fmt::format("the memory is on {}, the kernel on {}; copy it to a buffer there", theirs.id, id_of(own));
}

std::string read_only_text(const CallSite& site, std::size_t index, const Parameter& p) {
  const std::string what = describe(site, index);
  if (site.arguments[index].mode != Argument::Mode::Plain) {
    return fmt::format("{} is read-only and cannot take the kernel's results", what);
  }
  return fmt::format("{} is read-only, but the kernel may write {}; pass it with {}()", what,
                     p.type.empty() ? "it" : p.type, site.caller.in);
}

std::string type_mismatch_text(const CallSite& site, std::size_t index, const Parameter& p) {
  const std::string advice = hint(site, p, site.arguments[index]);
  return fmt::format("expected {}, got {}{}{}", type_text(p), describe(site, index), advice.empty() ? "" : "; ",
                     advice);
}

}  // namespace

void throw_no_block(const CallSite& site) {
  throw InvalidArgument(fmt::format("{}: must specify block size, e.g. block=256", site.kernel.info.name));
}

void throw_count(const CallSite& site) {
  const auto& parameters = site.kernel.info.signature.parameters;
  std::string types;
  for (const Parameter& p : parameters) types += (types.empty() ? "" : ", ") + type_text(p);
  const std::string takes = parameters.empty()       ? "no arguments"
                            : parameters.size() == 1 ? fmt::format("1 argument ({})", types)
                                                     : fmt::format("{} arguments ({})", parameters.size(), types);
  throw ArgumentTypeError(fmt::format("{}: takes {}, got {}", site.kernel.info.name, takes, site.count));
}

void throw_mismatch(const CallSite& site, std::size_t index, Mismatch mismatch) {
  const Parameter p = parameter_at(site, index);
  const std::string where = fmt::format("{}: argument {}{}: ", site.kernel.info.name, index + 1,
                                        p.name.empty() ? "" : fmt::format(" ({})", p.name));
  switch (mismatch) {
    case Mismatch::None:
    case Mismatch::Type:
      break;
    case Mismatch::Range:
      throw InvalidArgument(
          fmt::format("{}{} does not fit {}{}", where, describe(site, index), type_text(p), limits_text(p.dtype)));
    case Mismatch::ReadOnly:
      throw InvalidArgument(where + read_only_text(site, index, p));
    case Mismatch::ConstParameter:
      throw ArgumentTypeError(
          fmt::format("{}the kernel only reads {}; pass it with {}()", where, p.type, site.caller.in));
    case Mismatch::Strided:
      throw InvalidArgument(
          fmt::format("{}{} is not contiguous; pass a contiguous copy", where, describe(site, index)));
    case Mismatch::OtherMemory:
      throw InvalidArgument(where + other_memory_text(site, site.arguments[index]));
  }
  throw ArgumentTypeError(where + type_mismatch_text(site, index, p));
}

}  // namespace lanza::detail
