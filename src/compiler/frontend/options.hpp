// Compile options in NVRTC's spelling.
#pragma once

#include <string>
#include <vector>

#include "compiler/interface.h"

namespace lanza::compiler {

struct Options {
  std::string standard = "c++17";
  std::vector<std::string> macros;  ///< cc1 arguments in the order given: "-DN=4", "-UN"
  std::vector<std::string> include_dirs;
  std::vector<std::string> pre_includes;  ///< -include
  std::vector<std::string> warnings;      ///< "-w", "-Werror", "-Wno-unused-value"
  bool source_include = true;             ///< #include "x" looks beside the source, too
  bool default_device = false;            ///< functions without an execution space are __device__
  bool fmad = true, ftz = false, prec_div = true, prec_sqrt = true, fast_math = false;
  bool debug = false;                 ///< full debug information; line tables are always there
  std::string debug_directory = ".";  ///< where debuggers find the source; liblanza's, not the user's
};

/// Empty: all understood. Else a sentence that names the option that was not, and says what to do.
std::string parse_options(const LanzaBytes* arguments, std::size_t count, Options& options);

}  // namespace lanza::compiler
