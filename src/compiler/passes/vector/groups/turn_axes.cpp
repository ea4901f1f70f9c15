#include "compiler/passes/vector/groups/turn_axes.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr unsigned kFewestThreads = 4;  // along an axis, for lanes to run along it
constexpr uint64_t kTurns = 8;          // of a loop, a guess
constexpr unsigned kDeepest = 4;

/// Who runs first does not show.
bool has_no_order(Instruction& i) {
  if (auto* load = dyn_cast<LoadInst>(&i)) return load->isSimple();
  if (auto* store = dyn_cast<StoreInst>(&i)) return store->isSimple();
  if (auto* atomic = dyn_cast<AtomicRMWInst>(&i))
    return atomic->use_empty() && atomic->getType()->isIntegerTy() && !atomic->isVolatile() &&
           atomic->getOperation() != AtomicRMWInst::Xchg && atomic->getOperation() != AtomicRMWInst::UIncWrap &&
           atomic->getOperation() != AtomicRMWInst::UDecWrap;
  if (auto* call = dyn_cast<CallInst>(&i)) {
    if (as_sync(i)) return sync_kind(*call) == LANZA_SYNC_BARRIER || sync_kind(*call) == LANZA_SYNC_BARRIER_COUNT;
    const Function* callee = call->getCalledFunction();
    if (!callee || !callee->isDeclaration()) return false;
    return !call->mayHaveSideEffects() || isa<MemIntrinsic, DbgInfoIntrinsic>(i) || call->isLifetimeStartOrEnd() ||
           call->getIntrinsicID() == Intrinsic::assume;
  }
  return !i.mayReadOrWriteMemory();
}

constexpr Intrinsic::ID kRegisters[][3] = {
    {Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_tid_y, Intrinsic::nvvm_read_ptx_sreg_tid_z},
    {Intrinsic::nvvm_read_ptx_sreg_ctaid_x, Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
     Intrinsic::nvvm_read_ptx_sreg_ctaid_z},
    {Intrinsic::nvvm_read_ptx_sreg_nctaid_x, Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
     Intrinsic::nvvm_read_ptx_sreg_nctaid_z}};

Intrinsic::ID swapped(Intrinsic::ID id, unsigned axis) {
  for (const auto& along : kRegisters) {
    if (id == along[0]) return along[axis];
    if (id == along[axis]) return along[0];
  }
  return id;
}

/// The kernel's registers of x and of another axis in each other's place; done twice, nothing has happened.
void swap_registers(Function& kernel, unsigned axis) {
  for (Instruction& i : instructions(kernel)) {
    auto* read = dyn_cast<IntrinsicInst>(&i);
    if (!read) continue;
    if (const Intrinsic::ID other = swapped(read->getIntrinsicID(), axis); other != read->getIntrinsicID())
      read->setCalledFunction(Intrinsic::getDeclaration(kernel.getParent(), other));
  }
}

/// What the kernel costs a block, by where neighbouring lanes find what they load and store.
class Cost {
 public:
  Cost(Function& kernel, const GroupShape& group)
      : kernel_(kernel),
        group_(group),
        row_(group.one_row()),
        shapes_(kernel, row_),
        dominators_(kernel),
        loops_(dominators_) {
    for (Loop* loop : loops_.getLoopsInPreorder()) loops_apart += shapes_.is_left_apart(loop->getHeader());
    for (Instruction& i : instructions(kernel)) add(i);
    const uint64_t groups = uint64_t{group.groups(0)} * group.groups(1) * group.groups(2);
    of_block *= groups;
  }

  uint64_t of_block = 0;
  bool is_scattered = false;  ///< some lanes find their neighbours far away
  unsigned loops_apart = 0;   ///< which lanes leave one by one

 private:
  void add(Instruction& i) {
    uint64_t turns = 1;
    for (unsigned depth = std::min(loops_.getLoopDepth(i.getParent()), kDeepest); depth; --depth) turns *= kTurns;
    of_block += turns;
    const Value* address = getLoadStorePointerOperand(&i);
    if (!address) return;
    const std::optional<int64_t> stride = stride_of(address, 0);
    const auto size = static_cast<int64_t>(kernel_.getDataLayout().getTypeStoreSize(getLoadStoreType(&i)));
    const bool is_near = stride && std::abs(*stride) <= kMostInterleaved * size;
    is_scattered |= !is_near;
    const uint64_t cost = !is_near ? row_.lanes : std::abs(*stride) > size ? 3 : 1;
    of_block += turns * cost * (group_.lanes / row_.lanes);
  }

  // As Shapes, but as if nothing wrapped: later passes make a copy of the code for that.
  std::optional<int64_t> stride_of(const Value* v, unsigned depth) const {
    const Shape shape = shapes_[v];
    if (!shape.is_varying()) return shape.stride;
    if (depth == kDeepest * 2) return {};
    auto of = [&](const Value* operand) { return stride_of(operand, depth + 1); };
    Value *x, *y;
    const APInt* by;
    if (match(v, m_ZExtOrSExt(m_Value(x)))) return of(x);
    if (match(v, m_Shl(m_Value(x), m_APInt(by))) && by->ult(32))
      if (auto stride = of(x)) return *stride * (int64_t{1} << by->getZExtValue());
    if (match(v, m_Mul(m_Value(x), m_APInt(by))) && by->isSignedIntN(32))
      if (auto stride = of(x)) return *stride * by->getSExtValue();
    if (match(v, m_Add(m_Value(x), m_Value(y))) || match(v, m_DisjointOr(m_Value(x), m_Value(y)))) {
      const auto left = of(x), right = of(y);
      return left && right ? std::optional(*left + *right) : std::nullopt;
    }
    auto* address = dyn_cast<GetElementPtrInst>(v);
    if (!address || address->getNumIndices() != 1) return {};
    const auto base = of(address->getPointerOperand()), index = of(*address->idx_begin());
    if (!base || !index) return {};
    return *base +
           *index * static_cast<int64_t>(kernel_.getDataLayout().getTypeAllocSize(address->getSourceElementType()));
  }

  Function& kernel_;
  const GroupShape group_, row_;
  const Shapes shapes_;
  DominatorTree dominators_;
  LoopInfo loops_;
};

// By a quarter: these are guesses.
bool is_less(uint64_t cost, uint64_t other) { return cost * 4 <= other * 3; }

}  // namespace

bool turn_axes(Function& kernel, GroupShape& group) {
  if (group.lanes == 1 || group.block[1] * group.block[2] < kFewestThreads) return false;
  if (!all_of(instructions(kernel), has_no_order)) return false;
  const Cost along_x(kernel, group);
  if (!along_x.is_scattered) return false;
  for (const unsigned axis : {1U, 2U}) {
    if (group.block[axis] < kFewestThreads) continue;
    const GroupShape turned = group.turned(axis);
    swap_registers(kernel, axis);
    const Cost along_axis(kernel, turned);
    if (along_axis.loops_apart <= along_x.loops_apart && is_less(along_axis.of_block, along_x.of_block)) {
      group = turned;
      return true;
    }
    swap_registers(kernel, axis);
  }
  return false;
}

bool are_blocks_nearer(Function& kernel, const GroupShape& group) {
  const unsigned axis = group.block[1] >= group.block[2] ? 1 : 2;
  if (group.block[1] * group.block[2] == 1) return true;  // in the order that they had
  if (!all_of(instructions(kernel), has_no_order)) return false;
  if (group.block[axis] < kFewestThreads) return true;
  const Cost of_blocks(kernel, GroupShape::of_rows(group.lanes, group.block));
  swap_registers(kernel, axis);
  const Cost of_threads(kernel, group.turned(axis));
  swap_registers(kernel, axis);
  return of_blocks.loops_apart <= of_threads.loops_apart &&
         is_less(of_blocks.of_block, of_threads.of_block * group.lanes);  // a group is of so many blocks
}

}  // namespace lanza::compiler
