// Reads a compiler's log: where the first error is and what it says.
#pragma once

#include <string>
#include <string_view>

namespace lanza::cuda_backend {

struct FirstError {
  std::string file;  ///< empty: the error has no position
  unsigned line = 0, column = 0;
  std::string message;  ///< without position and severity
  std::string shown;    ///< the line of source and a caret, as they stand below the message
  unsigned count = 0;   ///< errors in the log
};

/// NVRTC's form, `kernel.cu(3): error: text`, with the source line and a caret below, and ptxas' form, `ptxas error :
/// text`.
FirstError first_error(std::string_view log);

}  // namespace lanza::cuda_backend
