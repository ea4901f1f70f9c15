#include "compiler/passes/vector/groups/pair_blocks.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/fold_reflect.hpp"
#include "compiler/passes/retarget.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/processors.hpp"
#include "compiler/passes/vector/analysis/uniform_barriers.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kMostGroups = 2;      // of a block along x: longer rows gain nothing
constexpr unsigned kWholeLines = 32;     // threads along x whose floats are two lines, which processors fetch in pairs
constexpr unsigned kMostThreads = 1024;  // of all: what a block may have anyway
constexpr uint64_t kMostShared = 16 << 10;  // bytes of all: half of the first cache

CallInst* as_read(Instruction& i, Intrinsic::ID id) {
  auto* call = dyn_cast<IntrinsicInst>(&i);
  return call && call->getIntrinsicID() == id ? call : nullptr;
}

CallInst* as_shared_base(Instruction& i) {
  auto* call = dyn_cast<CallInst>(&i);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == kSharedBase ? call : nullptr;
}

bool is_followed(const Function& callee) {
  if (callee.getName() == kSharedBase || callee.getName() == kGlobalsBase) return true;
  if (!callee.isIntrinsic() || callee.doesNotReturn()) return false;
  switch (callee.getIntrinsicID()) {
    case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    case Intrinsic::nvvm_read_ptx_sreg_tid_y:
    case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
      return true;
    case Intrinsic::debugtrap:
      return false;
    default:
      return !callee.getName().starts_with("llvm.nvvm.read");
  }
}

// Knows, or hands on, who runs in some way that is not followed here.
bool asks(Instruction& i) {
  auto* call = dyn_cast<CallInst>(&i);
  if (!call) return false;
  if (as_sync(i)) return sync_kind(*call) != LANZA_SYNC_BARRIER;
  return !call->getCalledFunction() || call->doesNotReturn() || !is_followed(*call->getCalledFunction());
}

bool stores_result(Instruction& i) {
  auto* store = dyn_cast<StoreInst>(&i);
  if (!store) return false;
  Value* object = getUnderlyingObject(store->getPointerOperand());
  auto* call = dyn_cast<CallInst>(object);
  return !isa<AllocaInst>(object) && !(call && as_shared_base(*call));
}

// What a loop keeps from turn to turn, sums above all, is in registers, of which two blocks have no more than one. One
// that stores results in each turn, going through a volume plane by plane, keeps little.
bool keeps_sums(const Loop& loop) {
  return has_sync(loop) && none_of(loop.blocks(), [](BasicBlock* block) { return any_of(*block, stores_result); });
}

bool waits(const Loop* loop) { return has_sync(*loop); }

bool is_question(const User& user) {
  auto* call = dyn_cast<IntrinsicInst>(&user);
  return isa<ICmpInst>(user) || isa_and_nonnull<MinMaxIntrinsic>(call);
}

// Whether it asks where along x a block lies (`x < width`, `min(x, width - 1)`).
bool has_guards(Function& kernel) {
  SmallVector<Value*, 16> work;
  for (Instruction& i : instructions(kernel))
    if (as_read(i, Intrinsic::nvvm_read_ptx_sreg_ctaid_x)) work.push_back(&i);
  SmallPtrSet<Value*, 32> seen(work.begin(), work.end());
  while (!work.empty())
    for (User* user : work.pop_back_val()->users()) {
      if (is_question(*user)) return true;
      const bool is_index = isa<BinaryOperator, CastInst, SelectInst, PHINode>(user);
      if (is_index && seen.insert(user).second) work.push_back(user);
    }
  return false;
}

// Whether a block's neighbour reads its lines again, or loops around barriers have short turns. Others gain as well,
// but where one block asks for as much memory as the core follows; and not where blocks at the edges have code of their
// own: two of them lie there more often than one (a guarded stencil of 512 columns, tiles of 16: 0.30 ns an element in
// pairs, 0.20 alone; a dilation of bytes 0.21 and 0.13).
bool gains(Function& kernel, const GroupShape& group, bool asks_for_much) {
  const DominatorTree dominators(kernel);
  const LoopInfo loops(dominators);
  const auto all = loops.getLoopsInPreorder();
  if (any_of(all, [](const Loop* loop) { return keeps_sums(*loop); })) return false;
  if (any_of(all, waits)) return true;
  return (!asks_for_much || group.block[0] < kWholeLines) && !has_guards(kernel);
}

// Else all blocks of a row do the same: there is one.
bool asks_for_block(Function& kernel) {
  return any_of(instructions(kernel), [](Instruction& i) { return as_read(i, Intrinsic::nvvm_read_ptx_sreg_ctaid_x); });
}

bool fits(Function& kernel, const GroupShape& group, unsigned blocks) {
  const Module& module = *kernel.getParent();
  const unsigned threads = group.block[0] * group.block[1] * group.block[2];
  const uint64_t shared = module_flag(module, kSharedBytes, 0);
  return group.lanes > 1 && !group.whole_rows && group.lane_axis == 0 && isPowerOf2_32(group.block[0]) &&
         group.block[0] % group.lanes == 0 && group.groups(0) <= kMostGroups && threads > group.block[0] &&
         blocks * threads <= kMostThreads && blocks * shared <= kMostShared &&
         !module_flag(module, kUsesDynamicShared, 0);
}

/// What is known of a thread in terms of its place in all blocks.
class Pair {
 public:
  Pair(Function& kernel, unsigned size, unsigned count)
      : size_(size), b_(&*kernel.getEntryBlock().getFirstInsertionPt()) {
    SmallVector<CallInst*, 8> threads, blocks, bases;
    for (Instruction& i : instructions(kernel)) {
      if (CallInst* read = as_read(i, Intrinsic::nvvm_read_ptx_sreg_tid_x)) threads.push_back(read);
      if (CallInst* read = as_read(i, Intrinsic::nvvm_read_ptx_sreg_ctaid_x)) blocks.push_back(read);
      if (CallInst* base = as_shared_base(i)) bases.push_back(base);
    }
    x_ = b_.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_tid_x, {}, {});
    Value* number = b_.CreateLShr(x_, Log2_32(size), "number");
    stand_in(threads, x_, b_.CreateAnd(x_, size - 1, "in_block"));
    if (!blocks.empty()) {
      Value* first = b_.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_ctaid_x, {}, {});
      cast<CallInst>(first)->setAttributes(blocks[0]->getAttributes());
      Value* block = b_.CreateAdd(first, number, "block", /*HasNUW=*/true, /*HasNSW=*/true);
      stand_in(blocks, first, block);
      for (User* user : make_early_inc_range(block->users())) multiply_apart(*cast<Instruction>(user), first, number);
    }
    if (!bases.empty()) {
      Value* base = b_.CreateCall(bases[0]->getCalledFunction());
      const uint64_t bytes = module_flag(*kernel.getParent(), kSharedBytes, 0);
      Value* offset = b_.CreateMul(b_.CreateZExt(number, b_.getInt64Ty()), b_.getInt64(bytes), "", true, true);
      stand_in(bases, base, b_.CreateInBoundsGEP(b_.getInt8Ty(), base, offset, "own"));
    }
    for (auto* calls : {&threads, &blocks, &bases})
      for (CallInst* call : *calls) call->eraseFromParent();
    bound(count * size);
  }

  /// As it was.
  void undo() {
    for (auto [of_pair, of_block] : stand_ins_) of_pair->replaceAllUsesWith(of_block);
    for (auto [of_pair, of_block] : reverse(stand_ins_)) RecursivelyDeleteTriviallyDeadInstructions(of_pair);
    bound(size_);
  }

 private:
  void stand_in(ArrayRef<CallInst*> calls, Value* of_block, Value* of_pair) {
    for (CallInst* call : calls) call->replaceAllUsesWith(of_pair);
    stand_ins_.emplace_back(of_pair, of_block);
  }

  // block * n is first * n + number * n, of which the last is bits of x: so sums with it are seen through.
  void multiply_apart(Instruction& product, Value* first, Value* number) {
    if (product.getOpcode() != Instruction::Shl && product.getOpcode() != Instruction::Mul) return;
    auto* by = dyn_cast<ConstantInt>(product.getOperand(1));
    if (!by || by->isNegative()) return;
    auto with = [&](Value* factor) {
      Instruction* part = product.clone();
      part->setOperand(0, factor);
      part->insertBefore(&product);
      return part;
    };
    Instruction* of_first = with(first);
    auto* sum = BinaryOperator::CreateAdd(of_first, with(number), product.getName(), product.getIterator());
    sum->setHasNoUnsignedWrap(product.hasNoUnsignedWrap());
    sum->setHasNoSignedWrap(product.hasNoSignedWrap());
    sum->setDebugLoc(product.getDebugLoc());
    product.replaceAllUsesWith(sum);
    product.eraseFromParent();
    stand_ins_.emplace_back(sum, of_first);
  }

  void bound(unsigned end) {
    x_->removeRetAttr(Attribute::Range);
    x_->addRetAttr(Attribute::get(x_->getContext(), Attribute::Range, ConstantRange(APInt(32, 0), APInt(32, end))));
  }

  const unsigned size_;
  IRBuilder<> b_;
  CallInst* x_;
  SmallVector<std::pair<Value*, Value*>, 8> stand_ins_;
};

bool all_meet(Function& kernel) {
  const BlockUniformity uniformity(kernel);
  return why_barriers_diverge(kernel, uniformity).words.empty() && blocks_with_early_exits(kernel, uniformity).empty();
}

}  // namespace

bool goes_by_planes(Function& kernel) {
  const DominatorTree dominators(kernel);
  const LoopInfo loops(dominators);
  const auto all = loops.getLoopsInPreorder();
  return any_of(all, waits) && none_of(all, [](const Loop* loop) { return keeps_sums(*loop); });
}

bool pair_blocks(Function& kernel, GroupShape& group, bool wide, const TargetMachine& host) {
  if (wide || !has_sync(kernel) || !fits(kernel, group, 2) || any_of(instructions(kernel), asks)) return false;
  if (!asks_for_block(kernel) || !gains(kernel, group, asks_for_much(host))) return false;
  unsigned blocks = group.lanes >= kWholeLines && goes_by_planes(kernel) ? blocks_beside(host) : 2;
  if (!fits(kernel, group, blocks)) blocks = 2;
  Pair pair(kernel, group.block[0], blocks);
  if (!all_meet(kernel)) {
    pair.undo();
    return false;
  }
  group.block[0] *= blocks;
  group.blocks = blocks;
  return true;
}

}  // namespace lanza::compiler
