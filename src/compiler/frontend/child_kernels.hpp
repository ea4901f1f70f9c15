// The kernels that kernels launch.
#pragma once

namespace clang {
class ASTContext;
class CodeGenerator;
}  // namespace clang
namespace llvm {
class Module;
}

namespace lanza::compiler {

/// Names each launched kernel by its symbol in place of its address, which would make it part of its parent's code, and
/// fills in what the executor must know of it (child_launch.cuh). Reports launches of what is no kernel.
void name_child_kernels(const clang::ASTContext& context, clang::CodeGenerator& generator, llvm::Module& module);

}  // namespace lanza::compiler
