// __shared__ alignas(16), which NVRTC takes and clang does not.
#pragma once

#include "compiler/frontend/edited_text.hpp"

namespace lanza::compiler {

/// Makes `__shared__ alignas(n)` `alignas(n) __shared__` where a declaration begins: clang takes no alignas behind an
/// attribute there. Lines stay.
void rewrite_alignments(EditedText& text);

}  // namespace lanza::compiler
