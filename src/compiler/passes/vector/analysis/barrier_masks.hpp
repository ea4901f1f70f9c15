// The proof that a group comes to a barrier only while one of its lanes does.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/codegen/report.hpp"

namespace lanza::compiler {

/// In: SPMD form as linearise() leaves it, points isolated, the barriers of its threads proved to be met by all of
/// them. Why a group might pass a barrier with no active lane, and so meet others where none of its threads does; no
/// words when it is proved that it does not: then groups meet as their threads do.
Reason why_empty_groups_meet(llvm::Function& linear);

}  // namespace lanza::compiler
