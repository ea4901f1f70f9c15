// The source text of a module compiled for debugging, as a file that debuggers find.
#pragma once

#include <filesystem>
#include <optional>

#include "backend/backend.hpp"

namespace lanza::backend {

/// Writes the source into a folder of the cache, under the name that debug information has for it, and returns the
/// folder. Nothing: the options do not ask for debug information, the source names a file of its own (a path), or there
/// is no folder to write to.
std::optional<std::filesystem::path> write_debug_source(const CompileRequest& request) noexcept;

}  // namespace lanza::backend
