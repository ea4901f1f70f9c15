// What a kernel notes for reports of faults goes into registers that its code has no other use for.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: `run`, final, with its volatile stores to the fields LanzaBlock::index and first_lane to lane_rows (note_lanes,
/// and what comes before it). Out, on x86-64: these go to MMX registers, as kernel_abi.h has it, and lane_count says so
/// (LANZA_LANES_IN_REGISTERS): the handler of a fault finds them in its context. x87 is as it was wherever the code is
/// left: by a return, or by a call that does not come back, before which the fields are written.
/// Left as it is: code without notes in loops, and code that calls others, who might count on x87, but for small
/// functions of its module that only compute, load and store.
/// Why: Intel's cores commit stores in order, and cannot fetch lines for several at a time where each is followed by
/// one to a line that is there. A note for each vector took as long as the vector's own work, or longer: wherever
/// results go beyond the first cache.
void keep_notes_in_registers(llvm::Function& run);

}  // namespace lanza::compiler
