#include "compiler/passes/vector/scalars/fold_block_dim.hpp"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include "compiler/kernel_abi.h"

using namespace llvm;

namespace lanza::compiler {

static constexpr Intrinsic::ID kThread[] = {Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                            Intrinsic::nvvm_read_ptx_sreg_tid_z};
static constexpr Intrinsic::ID kBlockSize[] = {
    Intrinsic::nvvm_read_ptx_sreg_ntid_x, Intrinsic::nvvm_read_ptx_sreg_ntid_y, Intrinsic::nvvm_read_ptx_sreg_ntid_z};
static constexpr Intrinsic::ID kBlock[] = {Intrinsic::nvvm_read_ptx_sreg_ctaid_x, Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                                           Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
static constexpr Intrinsic::ID kGridSize[] = {Intrinsic::nvvm_read_ptx_sreg_nctaid_x,
                                              Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
                                              Intrinsic::nvvm_read_ptx_sreg_nctaid_z};
static constexpr std::uint32_t kGridLimit[] = {0x7fffffff, 65535, 65535};  // CUDA's

static bool for_each_read(Module& module, Intrinsic::ID id, function_ref<void(CallInst&)> change) {
  Function* declaration = module.getFunction(Intrinsic::getName(id));
  if (!declaration || declaration->use_empty()) return false;
  for (User* user : make_early_inc_range(declaration->users()))
    if (auto* call = dyn_cast<CallInst>(user)) change(*call);
  return true;
}

static void replace(CallInst& read, std::uint32_t value) {
  read.replaceAllUsesWith(ConstantInt::get(read.getType(), value));
  read.eraseFromParent();
}

// From `lowest` to `end` - 1.
static void bound(CallInst& read, std::uint32_t lowest, std::uint32_t end) {
  read.addRetAttr(
      Attribute::get(read.getContext(), Attribute::Range, ConstantRange(APInt(32, lowest), APInt(32, end))));
}

PreservedAnalyses FoldBlockDimPass::run(Module& module, ModuleAnalysisManager&) {
  bool changed = false;
  for (unsigned axis = 0; axis < 3; ++axis) {
    const std::uint32_t size = block[axis];
    const std::uint32_t limit = axis == 0 && !wide ? LANZA_NARROW_GRID / size : kGridLimit[axis];
    changed |= for_each_read(module, kBlockSize[axis], [&](CallInst& read) { replace(read, size); });
    changed |= for_each_read(module, kThread[axis], [&](CallInst& read) {
      if (size == 1)
        replace(read, 0);
      else
        bound(read, 0, size);
    });
    changed |= for_each_read(module, kBlock[axis], [&](CallInst& read) { bound(read, 0, limit); });
    changed |= for_each_read(module, kGridSize[axis], [&](CallInst& read) { bound(read, 1, limit + 1); });
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace lanza::compiler
