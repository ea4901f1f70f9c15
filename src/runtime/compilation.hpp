// Compiling through the cache, and loading.
#pragma once

#include <memory>

#include "runtime/records.hpp"

namespace lanza::detail {

/// Takes the code of that request from the disk cache or compiles it, and loads it. Errors as lanza::compile().
std::shared_ptr<ModuleRecord> load_module(std::shared_ptr<ContextRecord>, backend::CompileRequest, bool use_cache);

}  // namespace lanza::detail
