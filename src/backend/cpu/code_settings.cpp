// For what kernels are compiled: the environment variables of the CPU device.
#include "backend/cpu/code_settings.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include <lanza/error.hpp>

#include "support/cpu.hpp"
#include "support/environment.hpp"

namespace lanza::executor {
namespace {

constexpr std::array<std::pair<std::string_view, LanzaMode>, 4> modes{{{"auto", LANZA_MODE_AUTO},
                                                                       {"threads", LANZA_MODE_THREADS},
                                                                       {"lanes", LANZA_MODE_LANES},
                                                                       {"vector", LANZA_MODE_VECTOR}}};

LanzaMode parse_mode(const std::string& text) {
  for (const auto& [name, mode] : modes) {
    if (name == text) return mode;
  }
  throw InvalidArgument(fmt::format("LANZA_CPU_MODE is '{}'; it takes auto, threads, lanes or vector", text));
}

std::uint32_t parse_lanes(const std::string& text) {
  for (const std::uint32_t lanes : {8, 16, 32}) {
    if (text == std::to_string(lanes)) return lanes;
  }
  throw InvalidArgument(fmt::format("LANZA_CPU_LANES is '{}'; it takes 8, 16 or 32", text));
}

template <typename When>
When parse_when(const char* variable, const std::string& text) {
  if (text == "auto") return When::Auto;
  if (text == "always") return When::Always;
  if (text == "never") return When::Never;
  throw InvalidArgument(fmt::format("{} is '{}'; it takes auto, always or never", variable, text));
}

template <typename When>
void read_when(const char* variable, When& when) {
  if (const auto text = environment(variable)) when = parse_when<When>(variable, *text);
}

}  // namespace

CodeSettings CodeSettings::from_environment() {
  CodeSettings s;
  s.target = environment("LANZA_CPU_TARGET").value_or("native");
  if (s.target == "native") s.processor = cpu_digest();
  if (const auto mode = environment("LANZA_CPU_MODE")) s.mode = parse_mode(*mode);
  if (const auto lanes = environment("LANZA_CPU_LANES")) s.lanes = parse_lanes(*lanes);
  read_when("LANZA_CPU_QUICK_START", s.quick_start);
  read_when("LANZA_CPU_FOLD_ARGUMENTS", s.fold_arguments);
  return s;
}

std::string CodeSettings::text() const {
  return fmt::format("{} ({}), {}, lanes {}", target, processor, modes[mode].first, lanes);
}

}  // namespace lanza::executor
