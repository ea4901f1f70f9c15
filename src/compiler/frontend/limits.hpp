// Bounds on what one source may cost, so that a pathological one is an error and not a hang.
#pragma once

namespace clang {
class CompilerInstance;
class Sema;
}  // namespace clang

namespace lanza::compiler {

/// Counts the preprocessor's work, and ends a compile that is short of stack. Past a bound the compile is abandoned
/// (guard.hpp) with a sentence that says which.
void limit_preprocessor(clang::CompilerInstance& instance);
/// Counts the templates that are instantiated.
void limit_templates(clang::Sema& sema);

}  // namespace lanza::compiler
