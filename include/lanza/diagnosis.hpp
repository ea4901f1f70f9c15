// What Lanza found on this machine, for people who ask why something is missing. `lanza doctor` prints it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <lanza/export.hpp>

namespace lanza {

/// Version of the library: "0.1.0".
LANZA_API std::string_view version() noexcept;

/// One part of Lanza and what it says, a sentence a line.
struct Diagnosis {
  std::string part;  ///< "CUDA", "CPU"
  std::vector<std::string> lines;
};

/// Asks every part: which libraries it looked for, where, and what it found. Loads the CUDA driver, no compiler.
LANZA_API std::vector<Diagnosis> diagnose();

}  // namespace lanza
