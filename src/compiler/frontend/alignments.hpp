// __shared__ alignas(16), which NVRTC takes and clang does not.
#pragma once

#include <string>

namespace lanza::compiler {

/// The text with `__shared__ alignas(n)` as `alignas(n) __shared__` where a declaration begins: clang takes no alignas
/// behind an attribute there. Lines stay.
std::string rewrite_alignments(std::string text);

}  // namespace lanza::compiler
