// Headers that are kept parsed: a source that includes one at its beginning gets it from a PCH of its own, as parsing
// it would take longer than all else (half precision: 25 ms).
#pragma once

#include <string>

#include <llvm/ADT/StringRef.h>

namespace lanza::compiler {

/// Name of the set of headers, as in the PCHs' names, that the source includes in any case and whose text nothing
/// before can change: "half" or "bfloat16"; empty: none, the headers are parsed where they are included.
std::string preloaded_headers(llvm::StringRef source);

}  // namespace lanza::compiler
