// rsqrtf: the estimate that AVX-512 has of inverse roots, and a step of Newton's method.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// `float @lanza.rsqrt(float)`: pure, and vectors of it where widen() or LLVM's LoopVectorizer made them.
inline constexpr char kInverseRoot[] = "lanza.rsqrt";

/// In: code just retargeted, where rsqrtf is llvm.nvvm.rsqrt.approx.f. Out: where the host has AVX-512 that is a call
/// of lanza.rsqrt, so that all engines compute the same bits, elsewhere 1 / sqrt(x), rounded twice.
void name_inverse_roots(llvm::Module& module, const llvm::TargetMachine& host);

/// lanza.rsqrt of that many lanes.
llvm::FunctionCallee vector_inverse_root(llvm::Module& module, unsigned lanes);

/// Out: no such call is left, but x86's estimate y of 1 / sqrt(x), off by less than 2^-14, and y + y / 2 (1 - x y y),
/// off by less than 1.1 ULP (2 are allowed). On Zen 4 sqrt and division take 17 cycles for 16 lanes, in which nothing
/// else of their kind runs; this takes 6 of units that there are two of; y / 2 is had of
/// integers, and of x that is not 0 the care for infinity stands beside the estimate (n-body: 5 % less on Zen 5).
void lower_inverse_roots(llvm::Module& module);

}  // namespace lanza::compiler
