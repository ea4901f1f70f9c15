// Rows that lanes read again and again are kept by them.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// On a private array: most of the time only a part of it is used.
inline constexpr char kSeldomFull[] = "lanza.seldom-full";

/// In: a kernel in SPMD form, loops in simplified and LCSSA form. Out, where each turn of a loop goes along one row of
/// the lane's own, which lies apart from the other lanes' (a point against all others: `for (c ...) for (j = 0; j < n;
/// j++) d += x[i * n + j] - y[c * n + j]`), and what is written there meanwhile, once a turn at places as far from each
/// other, lies elsewhere:
///
///     if (n is small enough, there are turns enough, and lanza.all(no turn writes to the row))
///       for (j ...) row[j] = x[i * n + j];
///     for (c ...) that asked before: copy of the inner loop, which reads `row`; else the inner loop;
///
/// `row` is a private array, which transpose_private() lays out so that a load of all lanes is a vector: what each turn
/// would gather again is gathered once. True when something changed.
bool keep_rows(llvm::Function& kernel, const GroupShape& group, PassRunner& runner);

}  // namespace lanza::compiler
