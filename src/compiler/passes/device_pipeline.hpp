// The common front half of every kernel, while it still is nvptx64 code.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/passes/vector/scalars/fold_block_dim.hpp"

namespace lanza::compiler {

/// A module flag: the code is to be made fast, not to run fast. Loops are not unrolled.
inline constexpr char kQuick[] = "lanza.quick";

/// In: a module as clang emits it. Out: the kernel, inlined, simplified, with address spaces known, all semantics that
/// LLVM leaves undefined made NVIDIA's, contraction done, and every synchronisation point a call of __lanza_sync.
/// `device` is an nvptx64 machine. With the module flag lanza.debug nothing is optimised. With `block` the code serves
/// that blockDim only, and grids that are not wide (fold_block_dim.hpp) unless that is said, and loops of few turns
/// over barriers are unrolled: the form that the vector engine wants. Returned is which launches of that blockDim it
/// serves, see bound_indices.hpp; null: all.
std::unique_ptr<llvm::Module> run_device_pipeline(llvm::Module& module, const std::string& kernel,
                                                  llvm::TargetMachine& device,
                                                  const std::optional<BlockDim>& block = std::nullopt,
                                                  bool wide = false);

}  // namespace lanza::compiler
