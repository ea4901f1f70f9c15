// Atomic operations of a launch that nobody runs beside are plain ones.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/passes/abi_types.hpp"

namespace lanza::compiler {

inline constexpr char kAlone[] = "lanza.alone";  ///< i1 (): the same for all threads

/// In: a kernel in SPMD form. Out: its atomic operations of the device's scope (see device_scope()), but for those of
/// the block's first thread, are
///
///     if (lanza.alone()) the same for one thread, as on shared memory; else as it was;
///
/// so that neighbours are vectors, and others take no turns. True when something changed.
bool ask_whether_alone(llvm::Function& kernel);

/// In: a `run` function with calls of lanza.alone(). Out: it is LanzaBlock::alone, of each call of `run`. False: there
/// are none.
bool lower_alone(llvm::Function& run, const AbiTypes& types);

}  // namespace lanza::compiler
