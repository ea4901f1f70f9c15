// For what kernels are compiled: the environment variables of the CPU device.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/interface.h"

namespace lanza::executor {

/// When a kernel's first launch begins with other code than it keeps: quick_launch.hpp.
enum class QuickStart : std::uint8_t { Auto, Always, Never };

/// When code is made for the numbers that launches have as arguments: folded_arguments.hpp. Always: at once.
enum class FoldArguments : std::uint8_t { Auto, Always, Never };

struct CodeSettings {
  std::string target;                                  ///< as -march takes: LANZA_CPU_TARGET, else "native"
  std::string processor;                               ///< what "native" means: part of keys
  LanzaMode mode = LANZA_MODE_AUTO;                    ///< LANZA_CPU_MODE
  std::uint32_t lanes = 0;                             ///< LANZA_CPU_LANES; 0: the compiler chooses
  QuickStart quick_start = QuickStart::Auto;           ///< LANZA_CPU_QUICK_START; changes no code
  FoldArguments fold_arguments = FoldArguments::Auto;  ///< LANZA_CPU_FOLD_ARGUMENTS; not of the code for any

  /// Throws InvalidArgument for a value that is none.
  static CodeSettings from_environment();
  /// All that code depends on as text, for keys and people: "native (1f3a...), auto, lanes 0".
  std::string text() const;
};

}  // namespace lanza::executor
