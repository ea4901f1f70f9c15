// The binder: checks arguments against parameters and packs them. It answers with a code; texts are made only when it
// is an error.
#pragma once

#include <cstddef>
#include <cstdint>

#include <lanza/arguments.hpp>
#include <lanza/kernel.hpp>

#include "runtime/records.hpp"

namespace lanza::detail {

enum class Mismatch : std::uint8_t {
  None,
  Type,            ///< not what the parameter takes
  Range,           ///< a number that the parameter's type does not hold
  ReadOnly,        ///< host memory that must not be written, and would be
  ConstParameter,  ///< out() or inout() for what the kernel only reads
  Strided,         ///< host memory that is not contiguous
  OtherMemory      ///< of another device or context
};

/// Where arguments go to.
struct Binding {
  ContextRecord& context;
  StreamRecord& stream;
  std::byte* block;         ///< the packed arguments
  bool sizes_only = false;  ///< Caller::sizes_only
  bool has_host_ranges =
      false;  ///< out: some are left to HostArguments, which also writes their addresses to the block
};

/// Checks one argument and writes it to the block. Buffers are noted as used on the stream.
Mismatch bind(const PlannedParameter&, const Argument&, Binding&);

/// What a host range is for that parameter: as wrapped, else read for `const T*` and read and written for `T*`.
Argument::Mode effective_mode(const PlannedParameter&, const Argument&) noexcept;

/// A plan for a kernel whose parameters are not known: every argument as it comes, at its natural alignment.
Plan plan_as_given(const Argument* arguments, std::size_t count);

}  // namespace lanza::detail
