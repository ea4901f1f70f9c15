// The options of a compilation, brought to one form and read as far as others need them.
#pragma once

#include <string>
#include <vector>

namespace lanza::cuda_backend {

struct CompileOptions {
  std::vector<std::string> passed;        ///< one string an option, joined to its value: "-Iinclude", "-DN=4"
  std::vector<std::string> include_dirs;  ///< of -I, in order
  std::vector<std::string> macros;        ///< of -D: "N=4"
  std::vector<std::string> pre_includes;  ///< of -include
  std::string architecture;               ///< of -arch; empty: none given
  bool has_standard = false;
};

/// Takes NVRTC's spellings, values joined or apart ("-I", "dir"). Throws InvalidArgument for an option whose value is
/// missing.
CompileOptions read_options(const std::vector<std::string>&);

}  // namespace lanza::cuda_backend
