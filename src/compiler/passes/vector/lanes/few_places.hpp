// Gathers from two to four places.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: code with vectors. Out: gathers by all lanes whose places are made of what all share and a number that has four
/// values at most (`weights[i % 3 * taps + k]` of a filter with phases), are a load for each of these values, and
/// choices between them. For a value that no lane has the first lane's is loaded once more: nothing is read that the
/// gather would not read. Only where which lane has which value is known in front of a loop, or serves several gathers.
/// True when something changed.
bool choose_few_places(llvm::Function& run);

}  // namespace lanza::compiler
