// a * b + c of floats, rounded down or up: AVX-512 has it of a whole register.
#pragma once

#include <llvm/IR/Module.h>

namespace lanza::compiler {

/// In: code just retargeted, with llvm.nvvm.fma.rm.f and llvm.nvvm.fma.rp.f. Out: calls of lane functions
/// (lane_functions.hpp) in their stead.
void name_directed_sums(llvm::Module& module);

/// Out: no such call is left, of whatever number of lanes. The host has AVX-512.
void lower_directed_sums(llvm::Module& module);

}  // namespace lanza::compiler
