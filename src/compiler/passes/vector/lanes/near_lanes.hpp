// Where the lanes of gathers lie, as near_gathers asks it.
#pragma once

#include <array>
#include <map>
#include <tuple>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Value.h>

namespace lanza::compiler {

/// Lanes as gathers have them: elements of a size behind each other, counted from lane 0's.
struct Lanes {
  llvm::Value* first = nullptr;      ///< lane 0's address, or its index
  llvm::Value* distances = nullptr;  ///< of each lane from it, in elements or bytes
  llvm::Value* last = nullptr;       ///< lane's distance
  llvm::Value* are_near = nullptr;   ///< whether they are as they should
  llvm::Value* touched = nullptr;    ///< bits: elements between the first and the last
  struct Part {                      ///< lanes of a register of AVX2
    llvm::Value *first, *order, *last;
    std::array<llvm::Value*, 2> touched{};
  };
  llvm::SmallVector<Part, 2> parts;

  void forget_touched() {
    touched = nullptr;
    for (Part& part : parts) part.touched = {};
  }
};

/// By what they are made of, the bytes of an element, and which lanes load, null: all.
using KnownLanes = std::map<std::tuple<llvm::Value*, uint64_t, llvm::Value*>, Lanes>;

/// Where lanes of a gather lie.
struct Place {
  llvm::Value* first = nullptr;  ///< lane 0's address
  Lanes* lanes = nullptr;
  llvm::Value* is_exact = nullptr;  ///< null, or what has to hold that distances are right
  uint64_t unit = 1;                ///< what neighbours differ by
};

}  // namespace lanza::compiler
