// Loops around compare-and-swap, loops that only scatter, and lists of scatters are run for one lane after the other.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// On the functions that outline_serial_loops() makes: why lanes take turns.
inline constexpr char kSerial[] = "lanza-serial";

/// Whether the loop's end depends on what a compare-and-swap of it finds.
bool goes_by_swaps(const llvm::Loop& loop);

/// In: SPMD form after prepare_control(), behind ask_whether_alone(). Out: a loop that goes on or ends by what a
/// compare-and-swap of it found, at places that are no neighbours, is a call of a function of its own, which widen()
/// makes for one active lane after the other: lanes that meet at one place do not go round together for one of them to
/// win, and insertions come in the order of threads. Not a loop that lanes may leave at once, by what they know before.
/// Where the launch may be alone there are two, one for each case; where nobody else works on the memory, see
/// settle_swaps(). So is an innermost loop that lanes leave in different turns and that does little but store at places
/// that lie apart (`for (m = first; m < n; m += p) sieve[m] = 0`): no instruction stores them faster than one lane does
/// alone, and nobody waits for the one that stays longest. So is, on processors that scatter nothing, a block of many
/// stores marked with kWraps (see version_sums.hpp), which practically never runs: scatters that are taken apart are 14
/// times the code of the copy that does run (480 lines `out[t + c * n] += v * c`). True when something changed.
bool outline_serial_loops(llvm::Function& kernel, const GroupShape& group);

/// Whether `call` is of such a function, that came to be a few operations without a result.
bool is_serial_update(const llvm::CallInst& call);

/// In: a group's function, as widen() makes it. Out: those functions are part of it.
void inline_serial_loops(llvm::Function& function);

}  // namespace lanza::compiler
