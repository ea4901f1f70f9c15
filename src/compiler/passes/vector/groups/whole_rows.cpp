#include "compiler/passes/vector/groups/whole_rows.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/retarget.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/groups/turn_axes.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

const Value* without_extension(const Value* v) {
  Value* inner;
  return match(v, m_ZExtOrSExt(m_Value(inner))) ? inner : v;
}

bool is_thread(const Value* v) {
  auto* call = dyn_cast<IntrinsicInst>(without_extension(v));
  return call && call->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_tid_x;
}

bool is_block(const Value* v) {
  auto* call = dyn_cast<IntrinsicInst>(without_extension(v));
  return call && call->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_ctaid_x;
}

/// `index` times a constant, in its own 32 bits; else 0.
uint64_t factor_of(const Value* v, bool (*is_index)(const Value*)) {
  Value* index;
  const APInt* by;
  if (!v->getType()->isIntegerTy(32)) return 0;
  if (match(v, m_Mul(m_Value(index), m_APInt(by)))) return is_index(index) ? by->getZExtValue() : 0;
  if (!match(v, m_Shl(m_Value(index), m_APInt(by))) || by->uge(32)) return 0;
  return is_index(index) ? uint64_t{1} << by->getZExtValue() : 0;
}

/// Looks whether every use of x leads into a sum, or into one several times as large: where a thread has more than one
/// element, `(blockIdx.x * 64 + threadIdx.x) * 2` is `blockIdx.x * 128 + threadIdx.x * 2` by now.
class Sums {
 public:
  explicit Sums(unsigned size) : size_(size) {}

  ArrayRef<Instruction*> all() const { return sums_.getArrayRef(); }

  bool find(Function& kernel) {
    for (Instruction& i : instructions(kernel)) {
      if (is_thread(&i) &&
          !leads_to(i, [&](const User* u) { return is_sum(u) || factor_of(u, is_thread) || is_of_low_bits(u); }))
        return false;
      if (is_block(&i) && !leads_to(i, [&](const User* u) { return is_start(u) || factor_of(u, is_block); }))
        return false;
      const Value* part = without_extension(&i);
      const bool is_part = is_start(part) || factor_of(part, is_block) || factor_of(part, is_thread);
      if (is_part && !leads_to(i, [&](const User* u) { return is_sum(u); })) return false;
      if (is_sum(&i)) sums_.insert(&i);
    }
    return !sums_.empty();
  }

  /// Of all threads of a row, lanes behind its end, and places a little further on: where it is known how many blocks
  /// it has at most.
  bool fit_in_int(unsigned lanes) const {
    return all_of(sums_, [&](const Instruction* sum) {
      return any_of(sum->operands(), [&](const Use& part) {
        auto* start = dyn_cast<BinaryOperator>(without_extension(part));
        const Value* block = start ? without_extension(start->getOperand(0)) : nullptr;
        if (!block || !is_block(block)) return false;
        const uint64_t most = computeConstantRange(block, /*ForSigned=*/false).getUnsignedMax().getZExtValue();
        return (most + 1) * size_ + lanes + kBehindRow <= std::numeric_limits<int32_t>::max();
      });
    });
  }

  // Behind the first block's size an index shares bits with the block's start: no `or` can stand for the sum.
  void make_additions(unsigned lanes) {
    const bool fit = fit_in_int(lanes);
    for (Instruction* sum : sums_) {
      IRBuilder<> b(sum);
      const uint64_t factor = factor_of_sum(sum);
      auto in_sum = [&](unsigned k) {
        return is_thread(sum->getOperand(k)) || factor_of(sum->getOperand(k), is_thread);
      };
      const unsigned block = in_sum(0);
      Value *thread = sum->getOperand(1 - block), *start = sum->getOperand(block);
      if (factor) {
        thread = cast<Instruction>(thread)->getOperand(0);
        start = b.CreateMul(cast<Instruction>(start)->getOperand(0), b.getInt32(size_));
      }
      if (size_ % lanes != 0) start = b.CreateAnd(start, ConstantInt::getSigned(start->getType(), -int64_t{lanes}));
      Value* addition = b.CreateAdd(start, thread);
      if (fit) cast<Instruction>(addition)->setMetadata(kIndexInRow, MDNode::get(sum->getContext(), {}));
      if (factor) addition = b.CreateMul(addition, ConstantInt::get(addition->getType(), factor));
      addition->takeName(sum);
      sum->replaceAllUsesWith(addition);
      sum->eraseFromParent();
    }
  }

 private:
  // What is only extended in between counts as itself.
  static bool leads_to(const Instruction& i, function_ref<bool(const User*)> wanted) {
    return all_of(i.users(), [&](const User* u) { return isa<ZExtInst, SExtInst>(u) || wanted(u); });
  }

  // blockIdx.x * blockDim.x
  bool is_start(const Value* v) const {
    Value* block;
    const APInt* by;
    v = without_extension(v);
    if (match(v, m_Mul(m_Value(block), m_APInt(by)))) return is_block(block) && *by == size_;
    return match(v, m_Shl(m_Value(block), m_APInt(by))) && is_block(block) && by->ult(31) &&
           (1u << by->getZExtValue()) == size_;
  }

  bool is_sum(const Value* v) const {
    Value *x, *y;
    if (!match(v, m_Add(m_Value(x), m_Value(y))) && !match(v, m_DisjointOr(m_Value(x), m_Value(y)))) return false;
    return (is_thread(x) && is_start(y)) || (is_thread(y) && is_start(x)) || factor_of_sum(v);
  }

  // Of both its parts; 0: they are not multiplied.
  uint64_t factor_of_sum(const Value* v) const {
    Value *x, *y;
    if (!match(v, m_Add(m_Value(x), m_Value(y))) && !match(v, m_DisjointOr(m_Value(x), m_Value(y)))) return 0;
    if (!factor_of(x, is_thread)) std::swap(x, y);
    const uint64_t factor = factor_of(x, is_thread);
    return factor_of(y, is_block) == factor * size_ ? factor : 0;
  }

  // `i & 3`, or what simplification makes of it, `threadIdx.x & 3`: the same in all blocks whose size 4 divides, as
  // they begin at a multiple of 4, whatever begins at a multiple of the lanes.
  bool is_of_low_bits(const Value* v) const {
    Value* x;
    const APInt* bits;
    return match(v, m_And(m_Value(x), m_APInt(bits))) && is_thread(x) && bits->ult(size_ & -size_);
  }

  unsigned size_;
  SmallSetVector<Instruction*, 4> sums_;
};

// Asks who it is in some other way.
bool asks(const Instruction& i) {
  auto* call = dyn_cast<CallInst>(&i);
  if (!call) return false;
  const Function* callee = call->getCalledFunction();
  if (!callee || callee->getName() == kSharedBase) return true;
  if (callee->getName() == kGlobalsBase) return false;
  const Intrinsic::ID id = call->getIntrinsicID();
  if (id == Intrinsic::nvvm_read_ptx_sreg_laneid || id == Intrinsic::nvvm_read_ptx_sreg_warpid) return true;
  // What may end here must know its own thread.
  return !callee->isIntrinsic() || call->doesNotReturn() || id == Intrinsic::debugtrap;
}

}  // namespace

// What is known of an index within a block does not hold for one in the row.
static void forget_range(Function& kernel) {
  for (Instruction& i : instructions(kernel))
    if (is_thread(&i) && isa<CallInst>(i)) {
      i.setMetadata(LLVMContext::MD_range, nullptr);
      cast<CallInst>(i).removeRetAttr(Attribute::Range);
    }
}

static std::optional<Sums> sums_in_rows(Function& kernel, const GroupShape& group) {
  if (has_sync(kernel) || any_of(instructions(kernel), asks)) return {};
  Sums sums(group.block[0]);
  return sums.find(kernel) ? std::optional(std::move(sums)) : std::nullopt;
}

// Nobody wrote the sum where blocks have one thread along x: its index is 0.
static bool has_one_thread(const GroupShape& group) { return group.block[0] == 1; }

bool can_take_whole_rows(Function& kernel, const GroupShape& group) {
  return !has_one_thread(group) && sums_in_rows(kernel, group);
}

bool may_run_in_rows(Function& kernel, const GroupShape& group) {
  if (!has_one_thread(group)) return sums_in_rows(kernel, group).has_value();
  bool knows_block = false;
  for (Instruction& i : instructions(kernel)) {
    if (asks(i) || (isa<CallInst>(i) && is_thread(&i))) return false;
    knows_block |= isa<CallInst>(i) && is_block(&i);
  }
  return knows_block && !has_sync(kernel);
}

// blockIdx.x * 1 + threadIdx.x, where blockIdx.x stood.
static void spell_sums(Function& kernel) {
  SmallVector<Instruction*, 4> blocks;
  for (Instruction& i : instructions(kernel))
    if (isa<CallInst>(i) && is_block(&i)) blocks.push_back(&i);
  for (Instruction* block : blocks) {
    IRBuilder<> b(block->getNextNode());
    Value* start = b.CreateMul(block, b.getInt32(1));
    Value* thread = b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_tid_x, {}, {});
    Value* sum = b.CreateAdd(start, thread);
    block->replaceUsesWithIf(sum, [&](const Use& use) { return use.getUser() != start; });
  }
}

static void drop_sums(const Sums& sums) {
  for (Instruction* sum : sums.all()) {
    sum->replaceAllUsesWith(cast<Instruction>(sum->getOperand(0))->getOperand(0));
    RecursivelyDeleteTriviallyDeadInstructions(sum);
  }
}

void take_whole_rows(Function& kernel, GroupShape& group) {
  if (!may_run_in_rows(kernel, group)) return;
  if (has_one_thread(group)) spell_sums(kernel);
  std::optional<Sums> sums = sums_in_rows(kernel, group);
  if (!sums) return;
  if (has_one_thread(group) && !are_blocks_nearer(kernel, group)) return drop_sums(*sums);
  forget_range(kernel);
  sums->make_additions(group.lanes);
  const unsigned axis = group.lane_axis;
  group = GroupShape::of_rows(group.lanes, group.block);
  group.lane_axis = axis;
}

}  // namespace lanza::compiler
