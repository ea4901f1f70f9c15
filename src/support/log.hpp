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

template <class... A>
void warning(fmt::format_string<A...> format, A&&... arguments) noexcept {
  if (enabled(Level::Warning)) try {
      write(Level::Warning, fmt::format(format, std::forward<A>(arguments)...));
    } catch (...) {
    }
}
template <class... A>
void info(fmt::format_string<A...> format, A&&... arguments) noexcept {
  if (enabled(Level::Info)) try {
      write(Level::Info, fmt::format(format, std::forward<A>(arguments)...));
    } catch (...) {
    }
}
template <class... A>
void debug(fmt::format_string<A...> format, A&&... arguments) noexcept {
  if (enabled(Level::Debug)) try {
      write(Level::Debug, fmt::format(format, std::forward<A>(arguments)...));
    } catch (...) {
    }
}

}  // namespace lanza::log
