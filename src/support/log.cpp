// Messages to stderr, each written by one system call so that lines of several threads and processes do not mix.
#include "support/log.hpp"

#include <unistd.h>

#include <algorithm>
#include <string>

#include "support/environment.hpp"

namespace lanza::log {
namespace {

Level level_from_environment() noexcept {
  try {
    const std::string name = environment("LANZA_LOG").value_or("warning");
    if (name == "error") return Level::Error;
    if (name == "warning") return Level::Warning;
    if (name == "info") return Level::Info;
    if (name == "debug") return Level::Debug;
    write(Level::Warning, fmt::format("LANZA_LOG: expected error, warning, info or debug, got '{}'", name));
  } catch (...) {
  }
  return Level::Warning;
}

}  // namespace

bool enabled(Level level) noexcept {
  static const Level threshold = level_from_environment();  // read once: this stands on the launch path
  return level <= threshold;
}

void write(Level, std::string_view message) noexcept {
  try {
    std::string line = "lanza: ";
    line += message;
    std::replace(line.begin(), line.end(), '\n', ' ');
    line += '\n';
    for (std::string_view rest = line; !rest.empty();) {
      const ssize_t n = ::write(STDERR_FILENO, rest.data(), rest.size());
      if (n <= 0) return;
      rest.remove_prefix(static_cast<std::size_t>(n));
    }
  } catch (...) {
  }
}

}  // namespace lanza::log
