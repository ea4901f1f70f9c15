#include "compiler/passes/vector/scalars/flat_indices.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/vector/group_form.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

static bool is_flat_index(Instruction& i, unsigned row) {
  const auto x = m_Intrinsic<Intrinsic::nvvm_read_ptx_sreg_tid_x>();
  const auto y = m_Intrinsic<Intrinsic::nvvm_read_ptx_sreg_tid_y>();
  const auto rows = m_CombineOr(m_Mul(y, m_SpecificInt(row)), m_Shl(y, m_SpecificInt(countr_zero(row))));
  return i.getType()->isIntegerTy(32) && match(&i, m_CombineOr(m_c_Add(rows, x), m_c_Or(rows, x)));
}

// It is a multiple of the lanes, which is seen where its last bits are masked.
static Value* emit_flat_index(IRBuilder<>& b, const GroupShape& group) {
  CallInst *y = emit_group_index(b, 1), *lane = emit_lane(b);
  y->addRangeRetAttr(ConstantRange(APInt(32, 0), APInt(32, group.block[1])));
  lane->addRangeRetAttr(ConstantRange(APInt(32, 0), APInt(32, group.lanes)));
  Value* first = b.CreateAnd(b.CreateNUWMul(y, b.getInt32(group.block[0])), ~uint64_t{group.lanes - 1} & UINT32_MAX);
  return b.CreateAdd(first, lane, "", true, true);
}

bool number_flat_threads(Function& kernel, const GroupShape& group) {
  const bool is_of_rows = group.rows() > 1 && group.extent[0] == group.block[0] && group.extent[2] == 1;
  if (!is_of_rows || group.whole_rows || group.lane_axis != 0) return false;
  bool changed = false;
  for (Instruction& i : make_early_inc_range(instructions(kernel))) {
    if (!is_flat_index(i, group.block[0])) continue;
    IRBuilder<> b(&i);
    i.replaceAllUsesWith(emit_flat_index(b, group));
    i.eraseFromParent();
    changed = true;
  }
  return changed;
}

}  // namespace lanza::compiler
