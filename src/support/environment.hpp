// Environment variables, read when asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lanza {

/// Value of a variable; nothing when unset or empty.
std::optional<std::string> environment(const char* name);
/// "512", "512K", "64M", "2G" in bytes. Throws InvalidArgument naming `what` for anything else.
std::uint64_t parse_size(std::string_view text, std::string_view what);

}  // namespace lanza
