// What a kernel's vector instructions cost, to choose between two ways of putting records together.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Function.h>

namespace lanza::compiler {

/// Instructions of the kernel that matter, by weight: those in loops count more often. It may change meanwhile, but for
/// its loops.
class RecordPrice {
 public:
  RecordPrice(llvm::Function& kernel, const llvm::LoopInfo& loops, const llvm::TargetTransformInfo& host);

  uint64_t now() const;
  /// Erases what is computed for nobody.
  void erase_dead() const;

 private:
  using LiveSet = llvm::DenseSet<llvm::Instruction*>;
  LiveSet find_live() const;
  uint64_t cost_of(const llvm::Instruction& i, const LiveSet& live) const;
  uint64_t registers(llvm::Type* type) const;

  llvm::Function& kernel_;
  const llvm::LoopInfo& loops_;
  const uint64_t register_bits_;
  const unsigned shuffle_;
};

}  // namespace lanza::compiler
