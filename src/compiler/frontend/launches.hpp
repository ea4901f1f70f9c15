// Kernel launches in device code, which clang 19 knows from host code only.
#pragma once

#include "compiler/frontend/edited_text.hpp"

namespace lanza::compiler {

/// Puts each launch, also those of macros, into a lambda of its own:
///   name<T><<<grid, block>>>(x)  becomes  [&]{name<T><<<grid, block>>>(x);}()
/// A lambda counts as code for host and device: there clang accepts the launch, and reports only when the lambda is
/// emitted (allow_launches). Lines stay what they are. A text without launches is not even read.
void rewrite_launches(EditedText& text);

}  // namespace lanza::compiler
