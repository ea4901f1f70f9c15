// Remainders by which neighbours at the end of a ring find each other are choices.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form, whose indices still have their ranges. Out, behind a guard that keeps `x` below `n`
/// (`if (x >= n) return`), for `x` that is not negative:
///
///     (x + 1) % n      is  x == n - 1 ? 0 : x + 1
///     (x - 1 + n) % n  is  x == 0 ? n - 1 : x - 1
///     (x + n) % n      is  x
///
/// and without a guard, where groups begin at multiples of their lanes, (x + 1) & 63 the same of x & 63.
/// No lane divides then, and what comes behind (version_guards, edge_loads) sees that but for an edge the addresses are
/// those of neighbours. True when something changed.
bool fold_rings(llvm::Function& kernel, const GroupShape& group, PassRunner& runner);

/// The same of one remainder, where `is_on_ring` knows that 0 <= index < n, or, if some are `beyond`, that
/// index + 1 < 2 * n: then x stands for x < n ? x : x - n. True: it is gone.
bool fold_ring(llvm::BinaryOperator& remainder, llvm::function_ref<bool(llvm::Value* index, llvm::Value* n)> is_on_ring,
               bool beyond = false);

/// True of `(i + 1) % n` and `(i + n - 1) % n`, by which neighbours at the end of a ring find each other; not of `i %
/// n`, which may be the column of a flat index (version_quotients), nor of `(i - by + n) % n`, which lies anywhere.
bool wraps_neighbour(const llvm::BinaryOperator& remainder);

/// sum - addend, where the sum has it and does not wrap; else null. What is new stands in front of `at`.
llvm::Value* without_addend(llvm::Value* sum, llvm::Value* addend, bool is_signed, llvm::Instruction& at);

/// The same where the sum may wrap, as (x + n) - 1 does as a number without sign. `at` is where it is used: there the
/// outermost sum is known not to wrap, if it lies within [0, n).
llvm::Value* without_addend_modulo(llvm::Value* sum, llvm::Value* addend, llvm::Instruction& at, bool is_outer = true);

}  // namespace lanza::compiler
