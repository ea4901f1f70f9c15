// Private arrays lie [index][lane].
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// On an alloca: one for all lanes of the group, not one a lane.
inline constexpr char kOfGroup[] = "lanza.of_group";

/// In: SPMD form as widen() takes it. Out: the private arrays that are only loaded from and stored to, by elements of
/// one size, are arrays of the group, in which an element of all lanes lies side by side: where lanes use one index, it
/// is one vector. Copies and fills are loads and stores of elements, of many in a loop. Other arrays stay as they are.
void transpose_private(llvm::Function& function, const GroupShape& group);

}  // namespace lanza::compiler
