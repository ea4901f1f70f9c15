// Whether the turns of a loop over an index may run in any order.
#pragma once

#include <optional>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace lanza::compiler {

/// An array of which each turn writes an element of its own, from `size * index` bytes on, and an access of another one
/// that may be the same memory: a load, or a store of elements of its own.
struct ApartArrays {
  const llvm::Argument* array;
  uint64_t size;
  llvm::Instruction* other;
};

/// In: a kernel without loops over `index`, whose accesses of memory are simple loads and stores. Whether all that it
/// writes are elements of arrays, each thread its own, `out[index]`, and of these arrays nobody reads another one's:
/// no turn leaves something to the next, if the arrays that come out lie apart. None need be asked about where arrays
/// have no aliases (`__restrict__`). Nothing: turns go in order.
std::optional<llvm::SmallVector<ApartArrays, 4>> independent_turns(
    llvm::Function& kernel, llvm::function_ref<bool(const llvm::Value*)> is_index);

/// What an address of an argument's memory is made of: `array + first + sum of each times so many bytes`.
struct ArrayPlace {
  const llvm::Argument* array = nullptr;
  llvm::MapVector<llvm::Value*, llvm::APInt> steps;
  llvm::APInt first;
};

std::optional<ArrayPlace> array_place(llvm::Instruction& access);

}  // namespace lanza::compiler
