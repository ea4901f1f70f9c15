// The forms of NVRTC's and ptxas' messages.
#include "backend/cuda/compile_log.hpp"

#include <charconv>
#include <vector>

namespace lanza::cuda_backend {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// "kernel.cu(3): error: text", "kernel.cu(3): catastrophic error: text", "kernel.cu(3): error #20: text".
bool positioned(std::string_view line, FirstError& error) {
  const std::size_t end = line.find("): ");
  const std::size_t open = end == line.npos ? end : line.rfind('(', end);
  if (open == line.npos || open == 0) return false;
  unsigned number = 0;
  const auto [stop, code] = std::from_chars(line.data() + open + 1, line.data() + end, number);
  if (code != std::errc() || stop != line.data() + end) return false;
  std::string_view rest = line.substr(end + 3);
  for (const std::string_view severity : {"error", "catastrophic error", "internal error"}) {
    if (rest.substr(0, severity.size()) != severity) continue;
    const std::size_t colon = rest.find(": ", severity.size());
    if (colon == rest.npos) return false;
    error.file = line.substr(0, open);
    error.line = number;
    error.message = trimmed(rest.substr(colon + 2));
    return true;
  }
  return false;
}

/// "ptxas error   : text", "nvrtc: error: text".
bool unpositioned(std::string_view line, FirstError& error) {
  for (const std::string_view tool : {"ptxas", "nvrtc", "nvlink"}) {
    if (line.substr(0, tool.size()) != tool) continue;
    std::string_view rest = trimmed(line.substr(tool.size()));
    if (!rest.empty() && rest[0] == ':') rest = trimmed(rest.substr(1));
    const bool fatal = rest.substr(0, 5) == "fatal";
    if (!fatal && rest.substr(0, 5) != "error") return false;
    const std::size_t colon = rest.find(':');
    if (colon == rest.npos) return false;
    error.message = trimmed(rest.substr(colon + 1));
    return true;
  }
  return false;
}

/// What stands below a message, up to an empty line. The column of the caret: source lines are indented by two.
void take_source(const std::vector<std::string_view>& lines, std::size_t message, FirstError& error) {
  for (std::size_t i = message + 1; i < lines.size() && i <= message + 6 && !trimmed(lines[i]).empty(); ++i) {
    error.shown.append("\n").append(lines[i]);
    if (error.column == 0 && trimmed(lines[i]) == "^" && lines[i].find('^') >= 2)
      error.column = static_cast<unsigned>(lines[i].find('^') - 1);
  }
}

}  // namespace

FirstError first_error(std::string_view log) {
  FirstError first;
  const std::vector<std::string_view> lines = lines_of(log);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    FirstError one;
    if (!positioned(lines[i], one) && !unpositioned(lines[i], one)) continue;
    if (first.count == 0) {
      if (one.line) take_source(lines, i, one);
      first = one;
    }
    ++first.count;
  }
  if (first.count == 0 && !lines.empty()) first.message = trimmed(lines.front());
  return first;
}

}  // namespace lanza::cuda_backend
