// Functions and variables that are used and defined nowhere: there is no device linker that could find them elsewhere.
#pragma once

namespace clang {
class CodeGenerator;
class CompilerInstance;
}  // namespace clang
namespace llvm {
class Module;
}

namespace lanza::compiler {

/// An error for each, at its declaration. What the prelude declares is the runtime's.
void report_undefined(clang::CompilerInstance& instance, clang::CodeGenerator& generator, const llvm::Module& module);

}  // namespace lanza::compiler
