// Flat indices that are taken apart by the strides of an array.
#pragma once

#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// Of two numbers of 32 bits, arguments of a kernel or members of them; a launch has to ask whether it is exact.
struct StrideQuotient {
  struct Number {
    unsigned argument;
    uint64_t offset;
  };
  Number whole, part;
};
using StrideQuotients = llvm::SmallVector<StrideQuotient, 4>;

/// In: a kernel that takes an index apart by strides, three of them or more, of which nobody knows that each is a
/// multiple of the next one:
///
///     a = i / s0; i %= s0; b = i / s1; i %= s1; c = i / s2; d = i % s2;
///
/// Out: of all but the last the divisions are by products, s2 * q and s2 * q * p, of which q = s1 / s2 and p = s0 / s1
/// are further arguments of the kernel, of 32 bits. Two numbers may be anything, as a row's width and the step from one
/// of its pixels to the next. Returns the kernel, the same one where it has no such strides.
llvm::Function* spell_strides(llvm::Function& kernel, StrideQuotients& quotients);

}  // namespace lanza::compiler
