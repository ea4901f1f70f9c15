// How many lanes a kernel of bytes or shorts wants.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form that may run with groups of `group`. Where lanes never work on more than bytes, or shorts,
/// but for answers (`found[i] = j == m`) and additions to one counter, which are masks, and for what is rare beside
/// that work (a distance that is stored once, a byte that each lane loads from its own string a turn), and what they
/// load and store lies side by side, but for edges, for tables that `host` permutes (permute_tables()) and for members
/// of pixels (two to four), of which all are stored: groups that fill a register of `bits` with such elements. Else
/// `group`: a second register of wide elements costs more than it gains, and so does each lane that gathers. Bytes are
/// brought into the form that asks for fewest bits (narrow_bytes()).
GroupShape fill_registers(llvm::Function& kernel, const GroupShape& group, unsigned bits, PassRunner& runner,
                          const llvm::TargetMachine& host);

}  // namespace lanza::compiler
