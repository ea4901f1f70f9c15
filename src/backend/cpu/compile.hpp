// The front half of the compiler plug-in, in the terms of backend.hpp.
#pragma once

#include "backend/backend.hpp"

namespace lanza::executor {

/// Throws CompileError with the first error's position and the whole log, Unavailable without a plug-in. Thread-safe.
backend::CompileResult compile(const backend::CompileRequest& request);

}  // namespace lanza::executor
