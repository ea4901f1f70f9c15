// The front half of the compiler plug-in, in the terms of backend.hpp: what both backends compile with.
#pragma once

#include "backend/backend.hpp"

namespace lanza::backend {

/// Code of kind "bitcode", with its data segment and dependencies. Throws CompileError with the first error's position
/// and the whole log, Unavailable without a plug-in. Thread-safe.
CompileResult compile_to_bitcode(const CompileRequest& request);

}  // namespace lanza::backend
