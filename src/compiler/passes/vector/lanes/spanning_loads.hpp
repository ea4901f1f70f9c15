// Accesses of a block's own memory that lie across several of the vectors which are stored there.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: run form whose loops over few groups are straight code. Out: variables of the block that are accessed at
/// constant places only are read by loads of what was stored as a whole: what lay across two of them, as a neighbour's
/// value does (`s[t - 1]`), is both, put together by a shuffle. Masked accesses of such variables are loads and stores
/// of all lanes, and a choice. Stores across several, of which there are no more than others (`s[t + 1] = a` in an
/// exchange of neighbours), are stores of each, of what was there and the lanes that are new. So LLVM can keep them in
/// registers, also where a gap behind them was cleared (clear_gaps()); in memory a load would wait until what two
/// stores wrote has left for the cache, because a processor hands on the bytes of one store only. Variables of which
/// most is read at many distances (a filter's taps) stay as they are: there a load costs less than a shuffle, but where
/// one across two lines is slow (loads_lines_slowly()). True when something changed.
bool split_spanning_loads(llvm::Function& function, bool loads_lines_slowly);

}  // namespace lanza::compiler
