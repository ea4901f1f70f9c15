// Elements that are read and written again, lane after lane, are addressed by one register.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a function after all other passes. Out: where a block updates integers at many variable indices (load, change,
/// store to the same place), each address is computed before its use, which LLVM then cannot fold into the accesses.
///
/// Measured on AMD's Zen 4 with 64 increments in a row at random places of 64 words, ns each: `inc [base + i * 4]` 6.2,
/// `inc [p]` 0.7. The CPU's prediction of which load follows on which store goes wrong for long rows of the first form.
void compute_update_addresses(llvm::Function& f);

}  // namespace lanza::compiler
