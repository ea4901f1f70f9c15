// Environment variables, and the sizes that people write in them.
#include "support/environment.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <lanza/error.hpp>
#include <limits>

namespace lanza {
namespace {

// Power of two that a unit stands for; -1 for another text.
int shift_of(std::string_view unit) {
  if (unit.empty()) return 0;
  if (unit.size() > 1) return -1;
  switch (unit[0]) {
    case 'k':
    case 'K':
      return 10;
    case 'm':
    case 'M':
      return 20;
    case 'g':
    case 'G':
      return 30;
    case 't':
    case 'T':
      return 40;
    default:
      return -1;
  }
}

}  // namespace

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  if (!value || !*value) return std::nullopt;
  return value;
}

std::uint64_t parse_size(std::string_view text, std::string_view what) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const int shift = error == std::errc() ? shift_of({rest, static_cast<std::size_t>(end - rest)}) : -1;
  if (shift < 0 || value > std::numeric_limits<std::uint64_t>::max() >> shift)
    throw InvalidArgument(
        fmt::format("{}: expected a size in bytes such as 512, 512K, 64M or 2G, got '{}'", what, text));
  return value << shift;
}

}  // namespace lanza
