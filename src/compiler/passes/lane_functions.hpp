// Pure functions of numbers that passes know by their names: what the host has instructions for and LLVM no intrinsic
// of its own, and what long kernels call (called_functions.hpp). One name a function in one thread's code,
// `NAME.vLANES` for several threads, until its own pass lowers it.
#pragma once

#include <cstdint>

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace lanza::compiler {

/// NAME of that type: pure, and a call of it needs no condition. It returns a number, or a struct of numbers.
llvm::FunctionCallee lane_function(llvm::Module& module, llvm::StringRef name, llvm::FunctionType* type);

/// `type NAME(type, ...)` of `arity` arguments.
llvm::FunctionCallee lane_function(llvm::Module& module, llvm::StringRef name, llvm::Type* type, unsigned arity);

/// Whether it is a call of one of them, of one thread's numbers.
bool is_lane_function(const llvm::CallInst& call);

/// What that call is of so many lanes.
llvm::FunctionCallee of_lanes(const llvm::CallInst& call, unsigned lanes);

/// How many instructions a call of the lane function stands for; of one that nobody noted, none.
void note_steps(llvm::Function& function, std::uint64_t steps);
unsigned noted_steps(const llvm::CallInst& call);

/// Tells LLVM's LoopVectorizer of those for half a register of AVX-512, and one.
void offer_of_lanes(llvm::CallInst& call);

/// Puts what `made` gives for each call of `name`, of one or of several threads, in its place. Out: none is left.
void lower_lane_function(llvm::Module& module, llvm::StringRef name,
                         llvm::function_ref<llvm::Value*(llvm::IRBuilder<>&, llvm::CallInst&)> made);

}  // namespace lanza::compiler
