// Why lanes that do not lie side by side go to memory one by one.
#pragma once

#include <string>

#include "compiler/passes/vector/analysis/shapes.hpp"

namespace lanza::compiler {

/// In words, of an address that is not the same in all lanes: they are so many bytes apart, an index comes from memory
/// or may wrap around, a distance is known only when the kernel runs.
std::string why_apart(const Shapes& shapes, const llvm::Value* address);

}  // namespace lanza::compiler
