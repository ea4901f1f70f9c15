// Maxima and minima with the zeros that PTX gives them as one instruction.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// The llvm.maxnum or llvm.minnum of x and y of `x == y ? bits of x and y : extremum(x, y)`; null: it is none.
llvm::IntrinsicInst* chosen_extremum(llvm::SelectInst& choice);

/// In: vector code after its last simplification. Out, for the choice of a zero's sign behind an extremum, as fmaxf and
/// fminf have it (`x == y ? bits of x and y : maxnum(x, y)`): nothing where all zeros are positive and the instruction
/// for the extremum is right about NaN; else, with AVX-512, the instruction whose extremum is right about both,
/// VRANGE. That would hand on a signalling NaN of one operand, made quiet, where the number of the other is asked for:
/// so such NaNs are made quiet first, where the other operand is a number, and where it need not be, all stays. Same
/// bits in any case. True when something changed.
bool range_extrema(llvm::Function& function, const llvm::TargetMachine& host);

}  // namespace lanza::compiler
