// Lanes that move on by an odd number, from one register into the next.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// In: run form at its end. Out: on a CPU with AVX2 and without AVX-512, shuffles of 32-bit lanes that take eight which
/// lie side by side in two registers are a vperm2f128 and a vpalignr. LLVM 19 has a vperm2f128 and two vshufps, as it
/// takes no integer instruction for floats, and comes back to that from every other way to write it in IR: so the
/// vpalignr is assembly. Eight that begin at an even lane take it two as well, and stay. True when something changed.
bool rotate_lanes(llvm::Function& run, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
