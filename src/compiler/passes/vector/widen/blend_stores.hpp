// Stores of some lanes to shared memory that all lanes have just read: all lanes store, some of them what was there.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: SPMD form after linearise(). Out, for blocks whose only effects are stores to shared memory at addresses from
/// which all lanes loaded before, where nothing was written since:
///
///     v = load p; ... mask(m); store w, p;    becomes    v = load p; ... store (m ? w : v), p;
///
/// Only where no two lanes' addresses meet, save in the same lane. The threads of a block run on one thread of the CPU,
/// so nobody else can have written in between. A conditional exchange of two elements becomes their minimum and
/// maximum.
void blend_stores(llvm::Function& function, const GroupShape& group);

}  // namespace lanza::compiler
