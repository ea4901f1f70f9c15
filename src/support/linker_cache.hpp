// Where the system's loader finds a library of a given name, told without loading it.
#pragma once

#include <filesystem>
#include <string_view>

namespace lanza {

/// Path that dlopen(name) would take from LD_LIBRARY_PATH, the loader's cache or its default directories; empty when
/// there is none.
std::filesystem::path system_library(std::string_view name);

/// The same from the bytes of an ld.so.cache (format 1.1) alone. Never trusts the bytes.
std::filesystem::path find_in_linker_cache(std::string_view cache, std::string_view name);

}  // namespace lanza
