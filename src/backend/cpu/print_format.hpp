// Device printf: the text of a format and CUDA's vprintf buffer.
#pragma once

#include <string>

namespace lanza::executor {

/// Appends to `text` what CUDA's printf prints. `arguments` holds each argument at its natural alignment: integers of 4
/// or 8 bytes as the length modifier tells, floating point as double, pointers of 8 bytes. Widths and precisions stop
/// at 4096; a conversion that C does not have, and one cut off by the end of the format, is printed as it stands.
/// Returns the number of arguments taken.
int format_print(std::string& text, const char* format, const void* arguments);

}  // namespace lanza::executor
