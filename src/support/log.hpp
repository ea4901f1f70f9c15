// Messages for people who debug: to stderr, as LANZA_LOG tells (error, warning, info or debug; the default is warning).
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace lanza::log {

enum class Level { Error, Warning, Info, Debug };

bool enabled(Level) noexcept;
/// Never throws; one line, prefixed "lanza: ".
void write(Level, std::string_view message) noexcept;

/// A message that cannot be put together is not worth an exception in the place that reports one.
template <class... A>
void write_formatted(Level level, fmt::format_string<A...> format, A&&... arguments) noexcept {
  if (!enabled(level)) return;
  try {
    write(level, fmt::format(format, std::forward<A>(arguments)...));
  } catch (...) {  // NOLINT(bugprone-empty-catch)
  }
}

template <class... A>
void warning(fmt::format_string<A...> format, A&&... arguments) noexcept {
  write_formatted<A...>(Level::Warning, format, std::forward<A>(arguments)...);
}
template <class... A>
void info(fmt::format_string<A...> format, A&&... arguments) noexcept {
  write_formatted<A...>(Level::Info, format, std::forward<A>(arguments)...);
}
template <class... A>
void debug(fmt::format_string<A...> format, A&&... arguments) noexcept {
  write_formatted<A...>(Level::Debug, format, std::forward<A>(arguments)...);
}

}  // namespace lanza::log
