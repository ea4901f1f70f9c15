// Gathers whose lanes turn out to lie next to each other.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// In: code with vectors. Out, for gathers whose indices are computed, not loaded (`x * stride`, `(int)(x * scale)`):
///
///     if (lanes are neighbours) a load; else the gather
///
/// and where the host permutes vectors by numbers at run time, of gathers by all lanes, and with AVX-512 of quotients
/// by some, of which lane 0 is one:
///
///     if (all lanes lie between the first and the last, not far apart) loads of what lies between, permuted
///
/// With AVX2 that is asked, of words, of each 8 lanes by themselves: one load or two, of which their words are
/// permuted; with AVX-512 so of doubles by quotients. Nobody asks about remainders by less than there are lanes, which
/// permute_tables() takes. Gathers of a block whose places are made of the same (rows and columns around a point of an
/// image) have one question. What no lane of the gather asks for is touched only between the first and the last lane's
/// elements, both of them asked for.
bool split_near_gathers(llvm::Function& run, const llvm::TargetMachine& host);

/// Whether the lanes of a gather will be permuted out of few vectors: their places are quotients, or coordinates that
/// were cut off to integers, and so lie side by side or nearly so.
bool is_dense_gather(llvm::Instruction& i, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
