// Which lanes of a loop over lanes are under way, kept where a report of a fault finds it.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// A property of the loops over lanes, in their metadata; the vectoriser hands it to the loops that it makes.
inline constexpr char kLaneLoop[] = "lanza.lanes";
inline constexpr char kOverhangingLoop[] = "lanza.lanes-beyond";  ///< likewise, where some lanes are no threads
inline constexpr char kRowLoop[] = "lanza.rows";                  ///< likewise, of loops over a block's rows and layers

/// Of either kind.
bool is_lane_loop(const llvm::Loop& loop);
bool has_lanes_beyond(const llvm::Loop& loop);
bool is_row_loop(const llvm::Loop& loop);

/// In: loops that LLVM has simplified. Where the latch of a loop was that of one inside, too, LLVM gives its new latch
/// the other one's metadata; once that one is unrolled the loop around would be the loop over lanes, barriers and all.
/// Out: such metadata is the innermost loop's alone.
void keep_innermost_marks(const llvm::LoopInfo& loops);

/// In: `run` with its loops over lanes, after the last pass that changes loops. Out: each of them stores at its head
/// the first lane of the iteration (LanzaBlock::lane), and before it how many lanes one has (lane_count). One store an
/// iteration, that is one for all lanes of a vector. A loop whose counter was optimised away is left as it is; where
/// lanes are nobody, too: there the row says enough.
/// What a place says that was said on the way to it is not said again.
void note_lanes(llvm::Function& run);

/// In: `run`. Out: without the notes that say what is there already, as those of regions whose loops are gone, one
/// after the other, do: nothing is moved over a note.
void drop_repeated_notes(llvm::Function& run);

}  // namespace lanza::compiler
