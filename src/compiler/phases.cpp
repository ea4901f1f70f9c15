#include "compiler/phases.hpp"

#include <algorithm>
#include <string_view>

#include <llvm/Support/JSON.h>

namespace lanza::compiler {

void PhaseClock::note(const char* phase) {
  const auto now = Clock::now();
  const double milliseconds = std::chrono::duration<double, std::milli>(now - lap_).count();
  lap_ = now;
  const auto known = std::ranges::find(phases_, std::string_view(phase), &Phases::value_type::first);
  if (known == phases_.end())
    phases_.emplace_back(phase, milliseconds);
  else  // begun anew
    known->second += milliseconds;
}

std::string to_json(const Phases& phases) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  json.object([&] {
    for (const auto& [phase, milliseconds] : phases) json.attribute(phase, milliseconds);
  });
  return text;
}

}  // namespace lanza::compiler
