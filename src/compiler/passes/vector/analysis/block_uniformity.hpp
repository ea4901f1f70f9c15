// Which values are the same for all threads of a block.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

#include "compiler/passes/vector/analysis/erased_values.hpp"

namespace lanza::compiler {

/// LLVM's uniformity analysis, asked about threads of a block, on SPMD form and group form alike. Thread indices,
/// groups, private memory, results of atomics and of calls differ; what is computed or loaded from the same operands is
/// the same, as far as control flow was. `shared`: a local variable that is the block's shared memory. It looks at the
/// function as it is now.
class BlockUniformity {
 public:
  explicit BlockUniformity(llvm::Function& function, const llvm::Value* shared = nullptr);

  /// Also for who looks at it behind the loops that it is computed in.
  bool is_uniform(const llvm::Value& value) const;
  /// False where threads may take different branches.
  bool ends_uniformly(const llvm::BasicBlock& block) const {
    erased_.ask();
    return info_->isUniform(block.getTerminator());
  }

 private:
  llvm::SmallPtrSet<const llvm::PHINode*, 4> parted_;  // what LLVM takes for uniform and is not
  llvm::FunctionAnalysisManager analyses_;
  const llvm::UniformityInfo* info_;
  const llvm::CycleInfo* cycles_;
  ErasedValues erased_;
};

}  // namespace lanza::compiler
