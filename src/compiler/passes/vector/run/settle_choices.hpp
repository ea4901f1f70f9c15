// Which region follows: known wherever a way says it.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// In: a `run` function whose regions end with a switch (kChoosesRegion) over what follows, kept in phis. Out: ways
/// that bring a constant go straight there, and a switch leads nowhere but where some constant takes it. So the regions
/// of a copy for blocks that lie inside are reached from that copy alone. Branches on such constants, which small
/// switches became, count as them, but at the heads of loops. True when something changed.
bool settle_choices(llvm::Function& run);

}  // namespace lanza::compiler
