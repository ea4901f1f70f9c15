// Members of pairs, and of records of four, are computed with in the order in which shuffles within halves of registers
// leave them.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// In: run form at its end. Out: on a CPU with AVX2 and without AVX-512, every second lane (the real parts of complex
/// numbers, the left ones of pairs of pixels) is taken out of two registers by one vshufps, which leaves eight in the
/// order 0 1 4 5 2 3 6 7, and every fourth (members of a float4) by two, in the order 0 2 4 6 1 3 5 7. What is computed
/// of such lanes, one by one, in a block, or from turn to turn of a loop of one, has that order, too, and goes back to
/// pairs or records by a vunpcklps and a vunpckhps a step, without the vpermpd and vperm2f128 that the order of the
/// source would take. Other operands and results are put in order, where that costs less than it spares. True when
/// something changed.
bool order_by_halves(llvm::Function& run, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
