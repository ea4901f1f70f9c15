// A second code of a kernel, which runs by planes what the launch takes by flat index.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/codegen/code_beside.hpp"
#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

struct PlaneCode {
  std::unique_ptr<llvm::Module> launch;  ///< asks whether rows and columns are long enough, and calls the code if so
  std::unique_ptr<CodeBeside> code;
};

/// Of `kernel`, which is as the vector engine gets it and stays so, but for kRowsElsewhere, where find_index_planes()
/// finds what it looks for, in groups of as many lanes as `group` has, or of elements that fill registers of `bits`, or
/// of several registers where turns wait for each other (`bits` 0: neither). Nothing: there is no such code. `target`
/// names the host as host_machine() takes it.
std::optional<PlaneCode> make_plane_code(llvm::Function& kernel, const GroupShape& group, unsigned bits,
                                         llvm::TargetMachine& host, const std::string& target);

/// Adds the launch to the module of `run`. The result calls the code where rows and columns are long enough, and `run`
/// otherwise. Both are final.
llvm::Function* add_plane_launch(llvm::Function& run, std::unique_ptr<llvm::Module> launch);

}  // namespace lanza::compiler
