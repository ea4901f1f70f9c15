// Numbers as people read them, and text to stdout.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace lanza::cli {

/// "512 B", "1.5 MiB", "139.7 GiB".
std::string size_text(std::uint64_t bytes);
/// "85 us", "3.2 ms", "1.4 s".
std::string time_text(double seconds);
/// "1 entry", "12 entries".
std::string count_text(std::uint64_t n, const char* one, const char* many);

template <class... A>
void print(fmt::format_string<A...> format, A&&... arguments) {
  fmt::print(stdout, format, std::forward<A>(arguments)...);
}

}  // namespace lanza::cli
