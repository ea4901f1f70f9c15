// Barriers that an order among a block's groups makes needless.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// void (): regions with such a call run the block's last group first. Nobody else knows it.
inline constexpr char kDownwards[] = "lanza.downwards";

/// In: a kernel in group form, its barriers proved to be met by all. One step of a scan in place,
///
///     int before = t >= d ? s[t - d] : 0;
///     __syncthreads();                         not to write what others have still to read
///     s[t] += before;
///     __syncthreads();
///
/// needs its first barrier no more if the last group goes first: what it writes no other group reads in this step. With
/// `s[t + d]` the first group does. Out: such barriers are gone; regions that want the last group first have a call of
/// lanza.downwards. Never gone is a barrier that is not in the source, nor one behind which groups read what they have
/// written in front of it, but where it is the very same place: stores should reach the cache first. Accesses must be
/// of neighbouring lanes, or of one, at places that differ from group to group by known distances. True when something
/// changed.
bool order_groups(llvm::Function& kernel, const GroupShape& group);

/// Whether it is such a call.
bool marks_downwards(const llvm::Instruction& i);

/// Whether a region with these blocks runs the last group first.
bool goes_downwards(llvm::ArrayRef<llvm::BasicBlock*> region);

}  // namespace lanza::compiler
