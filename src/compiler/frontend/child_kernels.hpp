// The kernels that kernels launch.
#pragma once

namespace clang {
class ASTContext;
class CodeGenerator;
class Sema;
}  // namespace clang
namespace llvm {
class Module;
}

namespace lanza::compiler {

/// Forgets what clang has kept to say of kernels that lambdas refer to (see rewrite_launches), until they are emitted.
/// To be called while declarations come in.
void allow_launches(clang::Sema& sema);

/// Turns the calls that clang makes of launches into calls of the runtime, with the arguments packed as those of a
/// launch from the host. A launched kernel is named by its symbol, so that it is no part of its parent's code; a launch
/// through a pointer chooses among the kernels of that type whose address is taken, by their numbers
/// (number_functions).
void launch_children(const clang::ASTContext& context, clang::CodeGenerator& generator, llvm::Module& module);

}  // namespace lanza::compiler
