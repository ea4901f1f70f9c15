// Many extrema of a few numbers ask once whether any of these is NaN or a negative zero.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// In: code with vectors, after its last simplification and range_extrema(), before expand_min_max(). Out, on a host
/// whose instructions are wrong about NaN and the signs of zeros (no AVX-512): where many extrema of floats are made of
/// a few numbers (a median by exchanges, a box's sides),
///
///     if (none of the numbers is NaN or -0) the instructions' extrema; else as before
///
/// of which the first takes an instruction each, the other one up to six. The same bits in any case. True when
/// something changed.
bool ask_plain_extrema(llvm::Function& function, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
