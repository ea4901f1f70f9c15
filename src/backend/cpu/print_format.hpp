// Device printf: the text of a format and CUDA's vprintf buffer.
#pragma once

#include <string>

#include <lanza/error.hpp>

namespace lanza::executor {

/// A pointer for %s where no string is.
class InvalidString : public Error {
 public:
  explicit InvalidString(const void* address);
};

/// Appends to `text` what CUDA's printf prints. `arguments` holds each argument at its natural alignment: integers of 4
/// or 8 bytes as the length modifier tells, floating point as double, pointers of 8 bytes. Widths and precisions stop
/// at 4096; a conversion that C does not have, and one cut off by the end of the format, is printed as it stands.
/// Returns the number of arguments taken. Throws InvalidString, with `text` as far as it came.
int format_print(std::string& text, const char* format, const void* arguments);

}  // namespace lanza::executor
