// Fast copies of guarded code, for groups whose lanes all pass the guards and lie away from the edges.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// Metadata of the accesses of an original that has a copy: only groups at an edge come to them.
inline constexpr char kAtEdge[] = "lanza.edge";

/// Metadata of the gathers and scatters of some lanes that such accesses become.
inline constexpr char kLanesAtEdge[] = "lanza.lanes-at-edge";

/// Metadata of guards that never all lanes of a group pass: there is no copy of what lies behind.
inline constexpr char kForSomeLanes[] = "lanza.for-some-lanes";

/// In: a kernel in SPMD form. Out, for code behind a divergent guard on thread indices (`if (i < n)`), and for whole
/// kernels without a guard but with clamped or wrapped indices, or where each turn of a loop asks:
///
///     if (lanza.all(guard) && lanza.all(conditions inside) ...) copy;
///     else if (guard) original;
///
/// The guard's other way does nothing, or has no loops where this one has some (`if (column > row) mask; else
/// product`). In the copy the guard, inner guards on thread indices, clamps (`min(max(x - 1, 0), n - 1)`), wraps
/// (`x == 0 ? n - 1 : x - 1`), steps (`x + (x < n - 1)`) and remainders are known, so it runs with all lanes and its
/// addresses are those of consecutive threads. Only what can be computed at the guard is tested there: of what goes
/// with an inner loop's counter (a filter's tap, `x + i` for i from -radius to radius) both ends (InnerCounters).
/// Guards that follow on each other, four of any kind or two with one limit (`if (2 * t < n) ...; if (2 * t + 1 < n)
/// ...`, the elements of a thread's tile), are tested together, so that their accesses are seen to be of neighbours.
/// Code with synchronisation points is left alone: groups must not disagree about them. So is what is too small to
/// gain, and what does not fit the budget. True when something changed.
bool version_guards(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
