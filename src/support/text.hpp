// Taking text apart. The library uses no iostreams: a copy of the C++ runtime that is linked into it statically, beside
// another one in the process, shares their locale facets with it and crashes (seen with a GCC that links it so by
// default).
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lanza {

/// The parts between delimiters, which lie in `text`: "a::b" at ':' gives "a", "", "b"; an empty text one empty part.
inline std::vector<std::string_view> split(std::string_view text, char delimiter) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find(delimiter, at);
    parts.push_back(text.substr(at, end - at));
    if (end == std::string_view::npos) return parts;
    at = end + 1;
  }
}

/// The decimal number that the text begins with, after spaces; nothing when there is none or it needs more than 64
/// bits.
inline std::optional<std::int64_t> leading_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
  std::int64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  return result.ec == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace lanza
