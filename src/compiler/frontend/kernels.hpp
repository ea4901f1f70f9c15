// The kernels of a module, as their callers must know them.
#pragma once

#include <vector>

#include <clang/AST/Type.h>

#include "compiler/frontend/compile.hpp"
#include "compiler/frontend/names.hpp"

namespace clang {
class ASTContext;
class CodeGenerator;
class FunctionDecl;
}  // namespace clang
namespace llvm {
class Module;
}

namespace lanza::compiler {

/// Every __global__ function that was emitted, in the order of the module; once for each expression that names it.
std::vector<Kernel> describe_kernels(const clang::ASTContext& context, clang::CodeGenerator& generator,
                                     const llvm::Module& module, const NamedEntities& entities,
                                     const LanzaBytes* names);

/// A kernel of which only the parameters and their layout are described.
Kernel parameters_of(const clang::FunctionDecl& function, const clang::ASTContext& context);

/// Threads of a block that __launch_bounds__ allows; 0: no bound.
std::uint32_t launch_bound(const clang::FunctionDecl& function, const clang::ASTContext& context);

/// Name as a user writes it: qualified, with template arguments, without anonymous namespaces.
std::string written_name(const clang::NamedDecl& declaration, const clang::ASTContext& context);

}  // namespace lanza::compiler
