// Straight code of which neighbours along an axis do a good part alike.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Function.h>

#include "compiler/passes/vector/analysis/group_ways.hpp"

namespace lanza::compiler {

/// In: code in group form. True where a good part of what these blocks compute for each lane does not depend on the
/// group's place along the axis: where an output pixel's column lies in an image that is scaled, and how it weighs its
/// neighbours there, is the same in all rows. Whether it is worth to walk together is choose_join()'s to say.
bool shares_work(llvm::ArrayRef<llvm::BasicBlock*> blocks, const GroupWays& along);

/// Of all the kernel, along any of the axes.
bool shares_work(llvm::Function& kernel, llvm::ArrayRef<unsigned> axes);

}  // namespace lanza::compiler
