// A second code of a kernel, which runs by planes what the launch takes by flat index.
#pragma once

#include <memory>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// Of `kernel`, which is as the vector engine gets it and stays so, but for kRowsElsewhere, where find_index_planes()
/// finds what it looks for, in groups of as many lanes as `group` has, or of elements that fill registers of `bits` (0:
/// they do not). Null: there is no such code.
std::unique_ptr<llvm::Module> make_plane_code(llvm::Function& kernel, const GroupShape& group, unsigned bits,
                                              llvm::TargetMachine& host);

/// Adds it to the module of `run`. The result calls it where rows and columns are long enough, and `run` otherwise.
/// Both are final.
llvm::Function* add_plane_code(llvm::Function& run, std::unique_ptr<llvm::Module> planes);

}  // namespace lanza::compiler
