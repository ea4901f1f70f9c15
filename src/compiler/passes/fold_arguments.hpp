// Arguments that are numbers in all launches of the code.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/interface.h"

namespace lanza::compiler {

/// In: a kernel as clang wrote it. Out: the request's numbers, if any, stand where its arguments stood. Not where
/// results might depend on that, as fast arithmetic makes x * (1 / 3) of x / 3, nor with -G: then, and where a
/// parameter is no integer, nothing is changed, and the answer says why. Null: it is done.
const char* fold_arguments(llvm::Function& kernel, const LanzaSpecialiseRequest& request);

}  // namespace lanza::compiler
