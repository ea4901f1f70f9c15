// What neighbouring groups of a loop load again is kept from one turn to the next.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>

namespace lanza::compiler {

/// Rows of a loop: to begin with each takes as long as several loads do.
inline constexpr unsigned kMostCarriedRows = 4;

/// In: run form with its loops over groups, in simplified form. Out: where a turn loads several vectors of one row that
/// overlap, before it writes anything, as a stencil does (`in[x - 1]`, `in[x]`, `in[x + 1]`), and the next turn goes on
/// where it ends:
///
///     before = in[x - 1] of the first turn, moved to where the turn before would have it
///     group:  last = in[x + 1]; in[x] and in[x - 1] are the end of before and the beginning of last; before = last;
///
/// Where such shuffles take less time than a load across two lines of the cache: see shuffles_fast(). Turns are other
/// threads', with no barrier between them: what one of them writes where others read, none can count on to see, nor not
/// to see (share_loads). True when something changed.
bool carry_taps(llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution);

}  // namespace lanza::compiler
