#include "compiler/passes/vector/scalars/keep_sum_loops.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kLeastTurns = 8;  // fewer are short code
constexpr unsigned kShared = 3;      // address space of nvptx64

// Which thread it is, along x or y, as far as arithmetic tells; from memory: neither.
struct Places {
  bool x = false, y = false;
};

Places places_of(Value* address) {
  Places places;
  SmallSetVector<Instruction*, 16> values;
  auto add = [&](Value* v) {
    if (auto* i = dyn_cast<Instruction>(v)) values.insert(i);
  };
  add(address);
  for (size_t n = 0; n < values.size(); ++n) {
    Instruction& i = *values[n];
    if (auto* intrinsic = dyn_cast<IntrinsicInst>(&i)) {
      places.x |= intrinsic->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_tid_x;
      places.y |= intrinsic->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_tid_y;
    }
    if (!isa<LoadInst>(i))
      for (Value* operand : i.operands()) add(operand);
  }
  return places;
}

bool is_of_shared(const LoadInst& load) {
  auto* variable = dyn_cast<GlobalVariable>(getUnderlyingObject(load.getPointerOperand()));
  return load.isSimple() && variable && variable->getAddressSpace() == kShared;
}

// Products and sums, and what indices are made of.
bool is_arithmetic(const Instruction& i) {
  if (isa<PHINode, BinaryOperator, CastInst, GetElementPtrInst, ICmpInst, BranchInst>(i)) return true;
  auto* intrinsic = dyn_cast<IntrinsicInst>(&i);
  return intrinsic && (intrinsic->getIntrinsicID() == Intrinsic::fma || intrinsic->isAssumeLikeIntrinsic());
}

bool has_sum(const BasicBlock& body) {
  return any_of(body.phis(), [](const PHINode& phi) { return phi.getType()->isFloatingPointTy(); });
}

bool adds_products_of_tiles(const Loop& loop) {
  BasicBlock* body = loop.getHeader();
  if (loop.getNumBlocks() != 1 || !has_sum(*body)) return false;
  bool along_x = false, along_y = false;
  for (Instruction& i : *body) {
    auto* load = dyn_cast<LoadInst>(&i);
    if (!load && !is_arithmetic(i)) return false;
    if (!load) continue;
    if (!is_of_shared(*load)) return false;
    const Places places = places_of(load->getPointerOperand());
    along_x |= places.x && !places.y;
    along_y |= places.y && !places.x;
  }
  return along_x && along_y;
}

}  // namespace

PreservedAnalyses KeepSumLoopsPass::run(Function& function, FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<LoopAnalysis>(function);
  auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  for (Loop* loop : loops.getLoopsInPreorder())
    if (evolution.getSmallConstantTripCount(loop) >= kLeastTurns && adds_products_of_tiles(*loop))
      loop->setLoopAlreadyUnrolled();
  return PreservedAnalyses::all();
}

}  // namespace lanza::compiler
