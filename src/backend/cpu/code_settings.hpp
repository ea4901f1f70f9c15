// For what kernels are compiled: the environment variables of the CPU device.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/interface.h"

namespace lanza::executor {

struct CodeSettings {
  std::string target;                ///< as -march takes: LANZA_CPU_TARGET, else "native"
  std::string processor;             ///< what "native" means: part of keys
  LanzaMode mode = LANZA_MODE_AUTO;  ///< LANZA_CPU_MODE
  std::uint32_t lanes = 0;           ///< LANZA_CPU_LANES; 0: the compiler chooses

  /// Throws InvalidArgument for a value that is none.
  static CodeSettings from_environment();
  /// All of it as text, for keys and people: "native (1f3a...), auto, lanes 0".
  std::string text() const;
};

}  // namespace lanza::executor
