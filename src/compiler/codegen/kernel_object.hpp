// The exported table of a kernel's shared object.
#pragma once

#include <memory>
#include <string>

#include <llvm/IR/Module.h>

#include "compiler/passes/vector/scalars/fold_block_dim.hpp"

namespace lanza::compiler {

/// What the object says of itself: the fields of LanzaKernelObject that code generation knows.
struct KernelObject {
  llvm::Function* run = nullptr;
  llvm::Function* fits = nullptr;    ///< of the same module; null: the code fits any launch of its kind
  llvm::Function* blocks = nullptr;  ///< of the same module; null: the grid is the caller's
  unsigned flags = 0;
  unsigned lanes = 1;
  unsigned lane_axis = 0;
  unsigned row = 0;     ///< into which a flat block is folded; 0: it is not
  BlockDim block = {};  ///< that it was made for; zeros: any
  uint64_t shared_bytes = 0;
  uint64_t frame_bytes = 0;
  uint64_t context_bytes = 0;
  uint64_t counter_bytes = 0;
  std::string report;  ///< JSON (report.hpp)
};

/// Leaves the module one symbol for other objects of the kernel: `run`, by that name.
void export_only(llvm::Module& module, llvm::Function& run, llvm::StringRef name);

/// Takes what asks of each launch, a function by that name of another module, into this one.
llvm::Function* add_question(llvm::Module& module, std::unique_ptr<llvm::Module> question, llvm::StringRef name);

/// Adds `lanza_kernel` to the module, its only symbol for others.
void add_kernel_object(llvm::Module& module, const KernelObject& object);

}  // namespace lanza::compiler
