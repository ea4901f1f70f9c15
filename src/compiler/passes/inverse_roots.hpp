// rsqrtf and rsqrt: the estimate that AVX-512 has of inverse roots, and steps of Newton's method.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// `float @lanza.rsqrt(float)`: a lane function (lane_functions.hpp).
inline constexpr char kInverseRoot[] = "lanza.rsqrt";
/// `double @lanza.rsqrt.estimate(double)`: likewise; off by less than 2^-14. Of 0 it is infinity, of infinity 0.
inline constexpr char kInverseRootEstimate[] = "lanza.rsqrt.estimate";

/// In: code just retargeted, where rsqrtf is llvm.nvvm.rsqrt.approx.f. Out: where the host has AVX-512 that is a call
/// of lanza.rsqrt, so that all engines compute the same bits, elsewhere 1 / sqrt(x), rounded twice. So is what the
/// prelude's rsqrt begins with, llvm.nvvm.rsqrt.approx.d: a call of lanza.rsqrt.estimate.
void name_inverse_roots(llvm::Module& module, const llvm::TargetMachine& host);

/// Out: no such call is left. Of doubles it is x86's estimate alone, of floats x86's estimate y of 1 / sqrt(x), off by
/// less than 2^-14, and y + y / 2 (1 - x y y), off by less than 1.1 ULP (2 are allowed). On Zen 4 sqrt and division
/// take 17 cycles for 16 lanes, in which nothing else of their kind runs; this takes 6 of units that there are two of;
/// y / 2 is had of integers, and of x that is not 0 the care for infinity stands beside the estimate (n-body: 5 % less
/// on Zen 5).
void lower_inverse_roots(llvm::Module& module);

}  // namespace lanza::compiler
