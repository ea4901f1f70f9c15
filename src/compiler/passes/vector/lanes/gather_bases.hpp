// Gathers and scatters of lanes that are constant steps apart have one address and constant indices.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form, at the end. Out: where a gather's lanes are constant steps from each other (columns of a tile, members
/// of records) its addresses are `base + <0, 64, 128 ...>`, made right in front of it, whichever part of the base
/// changes in a loop. LLVM takes the base and indices of 32 bits then, a gather of 16 lanes; of addresses that it has
/// made in front of the loop, 64 bits each, to which it adds the rest, it makes two of 8. So it does of indices of 32
/// bits that are known not to be negative and have been extended with zeros, or in another basic block: they are
/// extended with their sign, in front of it. True when something changed.
bool set_gather_bases(llvm::Function& run);

}  // namespace lanza::compiler
