// Arrays of groups that walk together do not lie a multiple of 4096 bytes apart.
#pragma once

#include <cstdint>

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// Bytes for an array of so many, with what it takes to be followed by the next one at another place of a page: a load
/// that has the lower twelve bits of its address in common with a store shortly before it may have to wait for that.
/// (`acc[i] *= c` of four groups, 2 KiB each beside another array of as many: 316 us, and 320 to 800 from process to
/// process when their elements were 4 KiB apart, Zen 4.)
uint64_t staggered(uint64_t bytes);

/// In: run form, registers found. Out: its local arrays, which then lie on the stack in their order, are as long.
void stagger_arrays(llvm::Function& run);

}  // namespace lanza::compiler
