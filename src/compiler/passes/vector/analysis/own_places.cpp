#include "compiler/passes/vector/analysis/own_places.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "compiler/passes/retarget.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

bool is_thread_index(const Instruction& i) {
  auto* call = dyn_cast<CallInst>(&i);
  switch (call ? call->getIntrinsicID() : Intrinsic::not_intrinsic) {
    case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    case Intrinsic::nvvm_read_ptx_sreg_tid_y:
    case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    case Intrinsic::nvvm_read_ptx_sreg_laneid:
      return true;
    default:
      return false;
  }
}

bool is_own(const Value& place) {
  SmallSetVector<const Value*, 16> parts;
  parts.insert(&place);
  for (size_t n = 0; n < parts.size(); ++n) {
    auto* i = dyn_cast<Instruction>(parts[n]);
    if (!i) continue;
    if (i->mayReadFromMemory() || is_thread_index(*i)) return true;
    parts.insert(i->op_begin(), i->op_end());
  }
  return false;
}

}  // namespace

bool reads_own_places(const Function& kernel) {
  return any_of(instructions(kernel), [](const Instruction& i) {
    auto* load = dyn_cast<LoadInst>(&i);
    return load && is_shared_memory(load->getPointerOperand()) && is_own(*load->getPointerOperand());
  });
}

static bool computes_float(const Instruction& i) {
  return i.getType()->isFloatingPointTy() && (isa<BinaryOperator>(i) || isa<IntrinsicInst>(i));
}

bool sums_in_registers(const Function& kernel) {
  constexpr unsigned kLeastSums = 4;
  unsigned computed = 0, read = 0, most = 0;
  for (const BasicBlock& block : kernel) {
    const auto is_sum = [](const PHINode& phi) { return phi.getType()->isFloatingPointTy(); };
    most = std::max(most, static_cast<unsigned>(count_if(block.phis(), is_sum)));
    for (const Instruction& i : block) {
      auto* load = dyn_cast<LoadInst>(&i);
      computed += computes_float(i);
      read += load && is_shared_memory(load->getPointerOperand());
    }
  }
  return most >= kLeastSums && computed >= 2 * read;
}

}  // namespace lanza::compiler
