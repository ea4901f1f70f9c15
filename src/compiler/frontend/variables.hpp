// __device__ and __constant__ variables: one data segment for all that outlive a launch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/frontend/compile.hpp"
#include "compiler/frontend/names.hpp"

namespace clang {
class CompilerInstance;
class CodeGenerator;
}  // namespace clang
namespace llvm {
class Module;
}

namespace lanza::compiler {

/// Lays out the segment: what kernels can write, what the host can see, and what those point to or are pointed to by.
/// Each such global gets its offset as metadata `!lanza.offset`; the others (string literals, tables of the prelude)
/// stay constants of the code. Fills variables, data and relocations; errors for initialisers that cannot be.
void lay_out_variables(clang::CompilerInstance& instance, clang::CodeGenerator& generator, llvm::Module& module,
                       const NamedEntities& entities, const LanzaBytes* names, Compiled& result);

}  // namespace lanza::compiler
