// LanzaServices::run_threads for the tests of code generation: round robin, written for clarity. The executor has the
// real one.
#pragma once

#include "compiler/kernel_abi.h"

namespace lanza::compiler::testing {

/// Runs the blocks [next, end) of `block`; FAILED when threads wait for something that cannot happen.
int32_t run_threads(LanzaBlock* block, const LanzaThreads* threads);

}  // namespace lanza::compiler::testing
