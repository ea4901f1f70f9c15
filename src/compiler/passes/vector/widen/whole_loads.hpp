// Loads of some lanes from the block's own memory, all of which may be loaded.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

inline constexpr char kReadsGaps[] = "lanza.reads_gaps";

/// In: a kernel in group form, as widen() leaves it: what idle lanes load nobody looks at. Out: masked loads of the
/// block's static shared memory are loads of all lanes, where the ranges of their indices say that these lie inside,
/// whichever lanes are on. So elements in an order that is known need no mask in that order (`s[min(t + 1, 15)]`), and
/// a load does not wait for its mask. What idle lanes get may be what another thread is about to write, or, of floats,
/// where no variable is: then the module has a flag kReadsGaps. True when something changed.
bool load_whole_vectors(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
