#include "compiler/passes/vector/lanes/lane_accesses.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include <optional>

#include "compiler/passes/note_lanes.hpp"
#include "compiler/passes/vector/analysis/seldom_code.hpp"
#include "compiler/passes/vector/lanes/lane_addresses.hpp"
#include "compiler/passes/vector/lanes/lane_trees.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

constexpr size_t kMany = 16;  // accesses: the code generator would look into vectors for what it knows of each lane
// Of those that the target has an instruction for; of these, where other code makes more turns. Each is some 50
// instructions, and a millisecond.
constexpr unsigned kMost = 64, kMostSeldom = 16;

bool is_load(const IntrinsicInst& access) { return access.getIntrinsicID() == Intrinsic::masked_gather; }

bool is_of_all_lanes(const IntrinsicInst& access) {
  return match(access.getArgOperand(is_load(access) ? 2 : 3), m_AllOnes());
}

bool is_legal(const IntrinsicInst& access, const TargetTransformInfo& host) {
  const Align align = cast<ConstantInt>(access.getArgOperand(is_load(access) ? 1 : 2))->getAlignValue();
  return is_load(access) ? host.isLegalMaskedGather(access.getType(), align)
                         : host.isLegalMaskedScatter(access.getArgOperand(0)->getType(), align);
}

// Into the block's own memory, at constant distances: no index leaves its vector.
bool scatters_nearby(const IntrinsicInst& access) {
  Value* from = access.getArgOperand(1);
  while (auto* step = dyn_cast<GetElementPtrInst>(from)) from = step->getPointerOperand();
  return isa<AllocaInst>(from) && lane_steps(access.getArgOperand(1));
}

// Zen 4 takes some 20 cycles for a gather of 16 lanes, and 13 to 17 for their loads. An FFT of 256 points whose first
// places are bits in reverse order takes 0.87 of the time by stores; but scatters of doubles over more than the caches
// hold 1.3 of it.
bool is_slow(const IntrinsicInst& access) {
  const StringRef cpu = access.getFunction()->getFnAttribute("target-cpu").getValueAsString();
  if (!is_of_all_lanes(access) || !cpu.starts_with("znver")) return false;
  return is_load(access) || scatters_nearby(access);
}

/// The loops of the kernel's own: those over groups, and over blocks, go round for all of its code.
class KernelLoops {
 public:
  explicit KernelLoops(Function& run) : dominators_(run), loops_(dominators_) {
    any_ = any_of(loops_.getLoopsInPreorder(), is_own);
  }

  /// False where other code makes more turns.
  bool is_often(const Instruction& i) const {
    const Loop* loop = loops_.getLoopFor(i.getParent());
    while (loop && !is_own(loop)) loop = loop->getParentLoop();
    return loop || !any_;
  }

 private:
  static bool is_own(const Loop* loop) { return loop->getParentLoop() && !is_lane_loop(*loop) && !is_row_loop(*loop); }

  DominatorTree dominators_;
  LoopInfo loops_;
  bool any_ = false;
};

// Of neighbouring lanes one load after the other, as in the vector.
void expand_gather(IntrinsicInst& gather, const TargetTransformInfo* hides) {
  IRBuilder<> b(&gather);
  LaneAddresses addresses(b, gather.getArgOperand(0), hides);
  auto* type = cast<FixedVectorType>(gather.getType());
  const Align align = cast<ConstantInt>(gather.getArgOperand(1))->getAlignValue();
  Value* result = PoisonValue::get(type);
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    LoadInst* load = b.CreateAlignedLoad(type->getElementType(), addresses[lane], align);
    load->copyMetadata(gather, {LLVMContext::MD_invariant_load, LLVMContext::MD_alias_scope, LLVMContext::MD_noalias});
    result = b.CreateInsertElement(result, load, lane);
  }
  gather.replaceAllUsesWith(result);
}

void expand_scatter(IntrinsicInst& scatter, const TargetTransformInfo* hides) {
  IRBuilder<> b(&scatter);
  LaneAddresses addresses(b, scatter.getArgOperand(1), hides);
  Value* values = scatter.getArgOperand(0);
  const Align align = cast<ConstantInt>(scatter.getArgOperand(2))->getAlignValue();
  for (unsigned lane = 0; lane < cast<FixedVectorType>(values->getType())->getNumElements(); ++lane) {
    StoreInst* store = b.CreateAlignedStore(b.CreateExtractElement(values, lane), addresses[lane], align);
    store->copyMetadata(scatter, {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias});
  }
}

/// values[place] = values[place] op what is the same for all lanes.
struct Update {
  IntrinsicInst *gather, *scatter;
  BinaryOperator* operation;
};

std::optional<Update> find_update(IntrinsicInst& scatter, ArrayRef<IntrinsicInst*> accesses) {
  auto* operation = dyn_cast<BinaryOperator>(scatter.getArgOperand(0));
  if (!operation || !operation->hasOneUse() || !scatter.hasMetadata(kPlainScatter)) return {};
  auto* gather = dyn_cast<IntrinsicInst>(operation->getOperand(0));
  if (!gather || !is_contained(accesses, gather) || !gather->hasOneUse() || !getSplatValue(operation->getOperand(1)))
    return {};
  if (gather->getArgOperand(0) != scatter.getArgOperand(1) || gather->getParent() != scatter.getParent()) return {};
  return may_be_written_between(*gather, scatter) ? std::nullopt : std::optional(Update{gather, &scatter, operation});
}

// They leave `accesses`.
SmallVector<Update, 4> take_updates(SmallVectorImpl<IntrinsicInst*>& accesses) {
  SmallVector<Update, 4> updates;
  for (IntrinsicInst* access : accesses)
    if (!is_load(*access))
      if (const auto update = find_update(*access, accesses)) updates.push_back(*update);
  for (const Update& update : updates)
    erase_if(accesses, [&](IntrinsicInst* access) { return access == update.gather || access == update.scatter; });
  return updates;
}

void erase(IntrinsicInst* access) {
  WeakVH addresses = access->getArgOperand(is_load(*access) ? 0 : 1);
  access->eraseFromParent();
  if (addresses) RecursivelyDeleteTriviallyDeadInstructions(addresses);
}

// A processor adds to memory in one instruction; the values need not be put together and taken apart again.
void expand_update(const Update& update, const TargetTransformInfo* hides) {
  const auto& [gather, scatter, operation] = update;
  IRBuilder<> b(scatter);
  LaneAddresses addresses(b, scatter->getArgOperand(1), hides);
  auto* type = cast<FixedVectorType>(gather->getType());
  const Align align = cast<ConstantInt>(scatter->getArgOperand(2))->getAlignValue();
  Value* by = getSplatValue(operation->getOperand(1));
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    Value* place = addresses[lane];
    Value* old = b.CreateAlignedLoad(type->getElementType(), place, align);
    Value* changed = b.CreateBinOp(operation->getOpcode(), old, by);
    if (auto* made = dyn_cast<BinaryOperator>(changed)) made->copyIRFlags(operation);
    b.CreateAlignedStore(changed, place, align);
  }
  erase(scatter);
  operation->eraseFromParent();
  erase(gather);
}

}  // namespace

bool has_lane_instruction(const IntrinsicInst& access, const TargetTransformInfo& host) {
  return is_legal(access, host) && !is_slow(access);
}

bool expand_lane_accesses(Function& run, const TargetTransformInfo& host) {
  SmallVector<IntrinsicInst*, 16> accesses;
  unsigned slow = 0, seldom_ones = 0;
  const KernelLoops turns(run);
  const SeldomCode seldom(run);
  for (Instruction& i : instructions(run)) {
    auto* access = dyn_cast<IntrinsicInst>(&i);
    const Intrinsic::ID id = access ? access->getIntrinsicID() : Intrinsic::not_intrinsic;
    if (id != Intrinsic::masked_gather && id != Intrinsic::masked_scatter) continue;
    if (!is_of_all_lanes(*access)) continue;
    const bool is_worth_it = is_slow(*access) && !seldom.contains(access->getParent());
    if (!is_legal(*access, host) ||
        (is_worth_it && slow++ < kMost && (turns.is_often(*access) || seldom_ones++ < kMostSeldom)))
      accesses.push_back(access);
  }
  const TargetTransformInfo* hides = accesses.size() > kMany ? &host : nullptr;
  const bool changed = !accesses.empty();
  for (const Update& update : take_updates(accesses)) expand_update(update, hides);
  expand_lane_trees(accesses, hides);
  for (IntrinsicInst* access : accesses) {
    is_load(*access) ? expand_gather(*access, hides) : expand_scatter(*access, hides);
    erase(access);
  }
  return changed;
}

}  // namespace lanza::compiler
