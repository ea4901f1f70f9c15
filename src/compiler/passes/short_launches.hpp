// How long a block of a launch may take, asked of the launch.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// In: a kernel, simplified, before it is retargeted. Makes `fits` of LanzaKernelObject: whether a block of that
/// blockDim, its threads one after another, does no more than some ten million instructions, or some 40 000 for each
/// that a long kernel has: as many as there are in its loops, times the most turns that these can have with the
/// launch's arguments. Of loops that nobody can count, and functions that are called, nobody knows; a loop whose
/// counter is doubled or halved has as many turns as it has bits. No launch is short where the thread engine takes
/// longer to compile the kernel's points than the vector engine does.
std::unique_ptr<llvm::Module> ask_short_launches(llvm::Function& kernel, const std::array<std::uint32_t, 3>& block,
                                                 llvm::FunctionAnalysisManager& analyses);

/// Whether the answer is no, whatever the launch.
bool serve_none(const llvm::Module& fits);

}  // namespace lanza::compiler
