// What both ways of a branch compute is computed once, of what lanes choose.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/vector/group_shape.hpp"

namespace lanza::compiler {

/// In: a kernel in SPMD form, whose groups have several lanes. Out:
///
///     if (c) y = f(a) / b; else y = g / h;
///
/// is `y = (c ? f(a) : g) / (c ? b : h)`, where lanes may go either way: they would divide twice. So are an exponential
/// of x and of -x, limiters of two slopes, a rotation by a / b or b / a. What it takes is computed before it, what the
/// ways load on ways of their own; what else the ways do stays behind it. Of quotients that a guard keeps from dividing
/// by 0 all are divided. What all lanes answer alike stays a branch. True when something changed.
bool join_ways(llvm::Function& kernel, const GroupShape& group);

}  // namespace lanza::compiler
