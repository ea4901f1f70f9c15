// What a kernel does with shared memory: accesses at sums of thread indices and other values.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/vector/analysis/address_terms.hpp"

namespace lanza::compiler {

/// 0 for threadIdx.x and so on.
std::optional<unsigned> thread_axis(llvm::Intrinsic::ID id);
/// The same of blockIdx.
std::optional<unsigned> block_axis(llvm::Intrinsic::ID id);
/// Of a term's value, which stands for all calls.
std::optional<unsigned> thread_axis(const llvm::Value* v);

/// What a pointer points into, also one that goes on from turn to turn.
const llvm::Value* object_of(const llvm::Value* address);

/// The threads and blocks of the grid that a value is made of.
class Origins {
 public:
  explicit Origins(const llvm::Value& value) { add(value); }
  unsigned threads = 0, blocks = 0;  ///< axes, as bits

 private:
  void add(const llvm::Value& value);

  llvm::SmallPtrSet<const llvm::Instruction*, 16> known_;
};

/// An access of shared memory: the sum of thread indices, other values and a constant.
struct Access {
  struct Other {
    llvm::Value* value;  ///< never negative
    uint64_t factor;
    uint64_t most;  ///< of the value
  };
  llvm::Instruction* instruction;
  const llvm::GlobalVariable* array;
  std::array<uint64_t, 3> threads{};  ///< factors of the thread's indices
  llvm::SmallVector<Other, 2> others;
  int64_t constant = 0;
  int64_t begin = 0, end = 0;  ///< of the bytes that it may touch
};

/// All that a kernel for one blockDim does with memory, in nvptx64 form.
class TileAccesses {
 public:
  TileAccesses(llvm::Function& kernel, std::array<unsigned, 3> block, PassRunner& runner);

  /// False: there is something whose order with others matters, or that is not followed here. Private arrays do not.
  bool collect();

  /// All of them, or all but the last one of each loop that has any.
  void drop_barriers(bool last_of_turns_stay);

  llvm::SmallVector<llvm::CallInst*, 4> barriers;
  llvm::SmallVector<llvm::LoadInst*, 16> reads;   ///< of global memory
  llvm::SmallVector<llvm::StoreInst*, 4> writes;  ///< to it
  std::vector<Access> accesses;                   ///< of shared memory

 private:
  bool take(llvm::Instruction& i);
  std::optional<Access> access_of(llvm::Instruction& i, const llvm::GlobalVariable& array);
  std::optional<uint64_t> greatest(const llvm::Value& v);

  llvm::Function& kernel_;
  const std::array<unsigned, 3> block_;
  const llvm::DataLayout& layout_;
  PassRunner& runner_;
};

}  // namespace lanza::compiler
