// Inline PTX is checked where it is compiled, with the place in the user's source.
#pragma once

namespace clang {
class CompilerInstance;
}
namespace llvm {
class Module;
}

namespace lanza::compiler {

/// Errors for asm statements, in functions that were emitted, that passes/translate_asm.hpp will not translate. Each is
/// translated here once and thrown away, so that no launch meets an error that the compilation did not. The module
/// keeps the statements: code for a GPU is made of it too.
void check_inline_asm(clang::CompilerInstance& instance, llvm::Module& module);

}  // namespace lanza::compiler
