// Which backends the runtime works on: the real ones, or others that tests and benchmarks put in their place.
#pragma once

#include "backend/backend.hpp"

namespace lanza::detail {

struct Backends {
  backend::Backend& (*cuda)() = &backend::cuda;
  backend::Backend& (*cpu)() = &backend::cpu;
};

const Backends& backends() noexcept;

/// For tests and benchmarks: what devices are made from, from now on. Releases the primary contexts, forgets the
/// devices; handles made before stay valid. Not to be called while other threads use Lanza.
void replace_backends(const Backends&);

}  // namespace lanza::detail
