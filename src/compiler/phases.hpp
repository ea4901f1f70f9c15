// Where the compiler's time goes, for Kernel.report().
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace lanza::compiler {

using Phases = std::vector<std::pair<const char*, double>>;  ///< milliseconds, in the order in which they ran

/// Runs from its beginning; what passed since the last phase belongs to the one that is noted.
class PhaseClock {
 public:
  void note(const char* phase);
  const Phases& phases() const { return phases_; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now(), lap_ = start_;
  Phases phases_;
};

/// JSON of the time that each phase took.
std::string to_json(const Phases& phases);

}  // namespace lanza::compiler
