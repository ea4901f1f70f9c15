// Loads that need no active lane.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// Metadata of a load: what it reads is there, whichever lanes come to it.
inline constexpr char kInside[] = "lanza.inside";

/// In: SPMD form after prepare_control(). Out: loads of shared memory behind a condition, at an address that all lanes
/// share and that lies in the block's own memory in any case (`if (r2 < h2) sum += tile[k].mass`), are marked: to ask
/// whether any lane goes there would cost more than what little is done there, and be guessed wrong half of the time.
void note_inside(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
