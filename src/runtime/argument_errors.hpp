// The texts of errors about kernel arguments. Cold: nothing here runs when a launch is right.
#pragma once

#include <cstddef>

#include "runtime/bind.hpp"

namespace lanza::detail {

/// A launch, as far as its errors are concerned.
struct CallSite {
  const KernelRecord& kernel;
  const Caller& caller;
  const Argument* arguments;
  std::size_t count;
};

[[noreturn, gnu::cold]] void throw_no_block(const CallSite&);
[[noreturn, gnu::cold]] void throw_count(const CallSite&);
[[noreturn, gnu::cold]] void throw_mismatch(const CallSite&, std::size_t index, Mismatch);

}  // namespace lanza::detail
