#include "compiler/passes/vector/run/block_order.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/bit.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/run/column_accesses.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr uint64_t kStripBytes = 512;
constexpr unsigned kReadColumns = 512;    // of elements that a strip reads below each other
constexpr unsigned kWidest = 16;          // blocks
constexpr unsigned kWidestOfGroups = 64;  // so that no group lies in two strips
constexpr unsigned kMostDepth = 16;
// Threads whose blocks run as one where something crosses barriers: enough to walk through memory in long strides.
constexpr unsigned kMostInRow = 4096;
// Where nothing is kept: a grid's stride is a piece of memory then, not many. Sums of two arrays of 4 Mi elements,
// strides of 16 Ki, by workers that take their parts at once: 950 us in pieces of 4096, 590 in one.
constexpr unsigned kMostInLongRow = 1 << 18;
constexpr unsigned kMostLookedAt = 2000;  // instructions; the rest of them is looked through for each vector

/// What an address is made of. Sums are taken not to wrap: an order may be any.
class Place {
 public:
  Place(const Value& address, const DataLayout& layout) : layout_(layout) { add(&address, 1, kMostDepth); }

  bool depends_on_column() const { return column_; }
  bool depends_on_row() const { return row_; }
  /// Bytes from one block of a row to the next, as far as they are constant.
  uint64_t step() const { return step_; }

 private:
  void add(const Value* value, uint64_t factor, unsigned depth) {
    if (isa<Constant>(value) || isa<Argument>(value) || depth == 0) return;
    if (auto* call = dyn_cast<IntrinsicInst>(value)) {
      column_ |= call->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_ctaid_x;
      row_ |= call->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_ctaid_y;
      if (call->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_ctaid_x) step_ += factor;
    }
    auto* i = dyn_cast<Instruction>(value);
    if (!i || i->mayReadFromMemory()) return;
    if (factor == 0 || isa<PHINode>(i))
      if (!known_.insert(i).second) return;
    if (auto* address = dyn_cast<GetElementPtrInst>(i)) return add_address(*address, factor, depth);
    auto* by = i->getNumOperands() == 2 ? dyn_cast<ConstantInt>(i->getOperand(1)) : nullptr;
    if (by && i->getOpcode() == Instruction::Mul) return add(i->getOperand(0), factor * by->getZExtValue(), depth - 1);
    if (by && i->getOpcode() == Instruction::Shl && by->getValue().ult(32))
      return add(i->getOperand(0), factor << by->getZExtValue(), depth - 1);
    const bool is_sum = isa<CastInst, PHINode>(i) || i->getOpcode() == Instruction::Add ||
                        i->getOpcode() == Instruction::Or || i->getOpcode() == Instruction::Sub;
    for (const Value* operand : i->operand_values()) add(operand, is_sum ? factor : 0, depth - 1);
  }

  void add_address(const GetElementPtrInst& address, uint64_t factor, unsigned depth) {
    add(address.getPointerOperand(), factor, depth - 1);
    for (auto type = gep_type_begin(address); type != gep_type_end(address); ++type)
      if (type.isSequential())
        add(type.getOperand(), factor * type.getSequentialElementStride(layout_).getFixedValue(), depth - 1);
  }

  const DataLayout& layout_;
  bool column_ = false, row_ = false;
  uint64_t step_ = 0;
  SmallPtrSet<const Instruction*, 16> known_;
};

bool waits(const Loop& loop) {
  return any_of(loop.blocks(),
                [](BasicBlock* block) { return any_of(*block, [](Instruction& i) { return as_sync(i) != nullptr; }); });
}

const Value* read_address(const Instruction& i) {
  if (auto* load = dyn_cast<LoadInst>(&i)) return load->getPointerOperand();
  auto* call = dyn_cast<IntrinsicInst>(&i);
  return call && call->getIntrinsicID() == Intrinsic::masked_load ? call->getArgOperand(0) : nullptr;
}

}  // namespace

// At least so wide, in what blocks are `step` of, and of whole groups.
static unsigned strip_of_groups(const GroupShape& group, uint64_t step, uint64_t width) {
  for (unsigned blocks = 1; blocks <= kWidestOfGroups; blocks *= 2)
    if (blocks * step >= width && blocks * group.block[0] % group.extent[0] == 0) return blocks;
  return 0;
}

// In threads; 0: there are no columns. What is written in pieces of lines is best written to the end of each line, as a
// twin by hand does it: where columns are a power of two apart, few of them fit into a cache side by side.
static unsigned width_for_columns(Function& kernel, unsigned lanes) {
  constexpr unsigned below = 1;  // the axis along which neighbours lie beside each other in memory
  bool reads = false;
  for (Instruction& i : instructions(kernel)) {
    if (!is_column_along(i, below)) continue;
    if (is_full_scatter(i)) return lanes;
    reads = true;
  }
  return reads ? kReadColumns : 0;
}

// How many blocks of a row are to be done before those below them.
static unsigned strip_width(Function& kernel, const GroupShape& group) {
  if (has_sync(kernel) == group.whole_rows) return 0;
  if (const unsigned width = group.whole_rows ? width_for_columns(kernel, group.lanes) : 0)
    return strip_of_groups(group, group.block[0], width);
  const DominatorTree dominators(kernel);
  const LoopInfo loops(dominators);
  bool shares_rows = false;
  uint64_t step = 0;
  for (const Loop* loop : loops) {
    if (!group.whole_rows && !waits(*loop)) continue;
    for (BasicBlock* block : loop->blocks())
      for (Instruction& i : *block) {
        const Value* address = read_address(i);
        if (!address) continue;
        const Place place(*address, kernel.getParent()->getDataLayout());
        shares_rows |= place.depends_on_row() && !place.depends_on_column();
        if (place.depends_on_column() && !place.depends_on_row()) step = std::max(step, place.step());
      }
  }
  if (!shares_rows || step == 0) return 0;
  if (group.whole_rows) return strip_of_groups(group, step, kStripBytes);
  if (2 * step > kStripBytes) return 0;
  return std::min(kWidest, static_cast<unsigned>(llvm::bit_floor(kStripBytes / step)));
}

// Vectors that live across a point where all threads of a row come together, each in memory of its own from there on.
static bool keeps_vectors(Function& kernel) {
  if (kernel.getInstructionCount() > kMostLookedAt) return true;
  SmallPtrSet<const Instruction*, 32> behind;  // a vector, in the same stretch of code
  const auto reach = [&](Instruction* from, SmallPtrSetImpl<const BasicBlock*>& entered) {
    SmallVector<Instruction*, 8> open{from};
    while (!open.empty()) {
      for (Instruction* i = open.pop_back_val(); i && !as_sync(*i); i = i->getNextNode()) {
        behind.insert(i);
        if (!i->isTerminator()) continue;
        for (BasicBlock* next : successors(i->getParent()))
          if (entered.insert(next).second) open.push_back(&next->front());
      }
    }
  };
  return any_of(instructions(kernel), [&](Instruction& i) {
    if (!i.getType()->isVectorTy()) return false;
    behind.clear();
    SmallPtrSet<const BasicBlock*, 8> entered;
    reach(&i, entered);
    return any_of(i.uses(), [&](const Use& use) {
      auto* phi = dyn_cast<PHINode>(use.getUser());
      return !behind.contains(phi ? phi->getIncomingBlock(use)->getTerminator() : cast<Instruction>(use.getUser()));
    });
  });
}

BlockOrder order_of_blocks(Function& kernel, const GroupShape& group) {
  const unsigned threads = group.block[0] * group.block[1] * group.block[2];
  unsigned most = group.blocks > 1 ? group.blocks : 0;
  if (group.whole_rows && has_sync(kernel))
    most = std::max(1u, (keeps_vectors(kernel) ? kMostInRow : kMostInLongRow) / threads);
  // Strips are of the launch's columns.
  return {group.whole_rows ? group.block[0] : 0, most, group.lane_axis == 0 ? strip_width(kernel, group) : 0,
          group.lane_axis};
}

}  // namespace lanza::compiler
