#include "compiler/passes/vector/run/join_groups.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/group_ways.hpp"
#include "compiler/passes/vector/group_form.hpp"
#include "compiler/passes/vector/run/shared_masks.hpp"
#include "compiler/passes/vector/run/sink_sums.hpp"
#include "compiler/passes/vector/run/walk_together.hpp"
#include "compiler/passes/vector/widen/lone_updates.hpp"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace lanza::compiler {

namespace {

/// Gives each instruction that differs between groups a copy for each further group.
class Joiner {
 public:
  Joiner(Function& kernel, const GroupWays& ways, unsigned axis, unsigned times, const GroupShape& group)
      : kernel_(kernel),
        ways_(ways),
        axis_(axis),
        times_(times),
        distance_(group.extent[axis]),
        group_(group),
        copies_(times) {}

  void run() {
    SmallVector<BasicBlock*, 32> common;
    for (BasicBlock& block : kernel_)
      if (!ways_.is_on_detour(&block)) common.push_back(&block);
    for (BasicBlock* block : common) copy_in_place(*block);
    for (const Detour& detour : ways_.detours())
      if (!detour.is_loop) copy_detour(detour);
    for (auto& [copy, g] : made_) RemapInstruction(copy, copies_[g], kRemap);
    for (auto& [copy, g] : made_)
      if (group_axis(*copy) == axis_) shift_by(*copy, ConstantInt::get(copy->getType(), uint64_t{g} * distance_));
    for (const MaskedPart& part : ways_.masked_parts()) pass_together(part);
    for (const Detour& detour : ways_.detours()) detour.is_loop ? take_turns(detour) : chain(detour);
    for (BasicBlock* block : common)
      for (Instruction& i : *block)
        if (CallInst* asks = as_together(i))
          ask_all(*asks);
        else if (asks_lanes_along(i, axis_))
          ask_lanes_of_all(i);
  }

 private:
  static inline const RemapFlags kRemap = RF_NoModuleLevelChanges | RF_IgnoreMissingLocals;

  // What all groups share stays where it is. What differs is done for one group after the other, up to the next vector
  // or access that they share: so that few values live at a time.
  void copy_in_place(BasicBlock& block) {
    SmallVector<Instruction*, 32> run;
    auto repeat = [&](Instruction* before) {
      for (unsigned g = 1; g < times_; ++g)
        for (Instruction* i : run) add(*i, g)->insertBefore(before);
      run.clear();
    };
    for (Instruction& i : make_early_inc_range(block)) {
      const bool differs = ways_.differs(i);
      if (isa<PHINode>(i)) {
        for (unsigned g = 1; differs && g < times_; ++g) add(i, g)->insertBefore(&i);
        continue;
      }
      if (ends_run(ways_, i)) repeat(&i);
      if (differs && !i.isTerminator()) run.push_back(&i);
    }
  }

  Instruction* add(Instruction& i, unsigned g) {
    Instruction* copy = i.clone();
    copies_[g][&i] = copy;
    made_.insert({copy, g});
    return copy;
  }

  void copy_detour(const Detour& detour) {
    for (unsigned g = 1; g < times_; ++g)
      for (BasicBlock* block : detour.inside) {
        auto* copy = BasicBlock::Create(kernel_.getContext(), block->getName(), &kernel_, detour.exit);
        copies_[g][block] = copy;
        for (Instruction& i : *block) add(i, g)->insertInto(copy, copy->end());
      }
  }

  // The lanes of group `g` stand further on.
  static void shift_by(Instruction& place, Value* offset) {
    IRBuilder<> b(place.getNextNode());
    Instruction* shifted = cast<Instruction>(b.Insert(BinaryOperator::CreateNUWAdd(&place, offset)));
    place.replaceUsesWithIf(shifted, [&](Use& use) { return use.getUser() != shifted; });
  }

  // The groups take their ways one after the other, each from where the one before came out.
  void chain(const Detour& detour) {
    Instruction* leaves = detour.entry->getTerminator();
    BasicBlock* from = detour.entry;
    SmallVector<BasicBlock*, 4> ends;
    for (unsigned g = 0; g < times_; ++g)
      ends.push_back(BasicBlock::Create(kernel_.getContext(), "together", &kernel_, detour.exit));
    SmallVector<Instruction*, 4> branches{leaves};
    for (unsigned g = 1; g < times_; ++g) {
      Instruction* branch = leaves->clone();
      RemapInstruction(branch, copies_[g], kRemap);
      branch->insertInto(ends[g - 1], ends[g - 1]->end());
      branches.push_back(branch);
    }
    IRBuilder<>(ends.back()).CreateBr(detour.exit);
    for (unsigned g = 0; g < times_; ++g) {
      branches[g]->replaceSuccessorWith(detour.exit, ends[g]);
      for (BasicBlock* original : detour.inside) {
        auto* block = g ? cast<BasicBlock>(copies_[g][original]) : original;
        block->getTerminator()->replaceSuccessorWith(detour.exit, ends[g]);
        block->replacePhiUsesWith(detour.entry, from);
      }
      move_phis(*detour.exit, g, from, detour.entry, *ends[g]);
      from = ends[g];
    }
  }

  // The groups run the same code, one after the other.
  void take_turns(const Detour& detour) {
    LLVMContext& c = kernel_.getContext();
    auto* turn = BasicBlock::Create(c, "turn", &kernel_, detour.inside.front());
    auto* next = BasicBlock::Create(c, "", &kernel_, detour.exit);
    BasicBlock* first = detour.entry->getSingleSuccessor();
    detour.entry->getTerminator()->replaceSuccessorWith(first, turn);
    first->replacePhiUsesWith(detour.entry, turn);
    IRBuilder<> b(detour.entry->getTerminator());
    Value* end = b.getInt32(times_ * distance_);
    if (axis_ == 0 && group_.whole_rows)
      end = b.CreateBinaryIntrinsic(Intrinsic::umin, end, b.CreateNUWSub(row_end(b, group_), emit_group_index(b, 0)));
    b.SetInsertPoint(turn);
    PHINode* offset = b.CreatePHI(b.getInt32Ty(), 2);
    b.CreateBr(first);
    for (BasicBlock* block : detour.inside) {
      block->getTerminator()->replaceSuccessorWith(detour.exit, next);
      for (Instruction& i : make_early_inc_range(*block))
        if (group_axis(i) == axis_) shift_by(i, offset);
    }
    b.SetInsertPoint(next);
    Value* following = b.CreateNUWAdd(offset, b.getInt32(distance_));
    offset->addIncoming(b.getInt32(0), detour.entry);
    offset->addIncoming(following, next);
    b.CreateCondBr(b.CreateICmpULT(following, end), turn, detour.exit);
  }

  Value* copy_for(unsigned g, Value* original) {
    Value* copy = g == 0 ? nullptr : copies_[g].lookup(original);
    return copy ? copy : original;
  }

  // Where one group has lanes for it; the others' values stay what they were.
  void pass_together(const MaskedPart& part) {
    auto* guard = cast<BranchInst>(part.entry->getTerminator());
    Value *passes = guard->getCondition(), *any = passes;
    IRBuilder<> b(guard);
    for (unsigned g = 1; g < times_; ++g) any = b.CreateOr(any, copy_for(g, passes));
    guard->setCondition(any);
    b.SetInsertPoint(part.inside->getTerminator());
    auto* lanes = cast<FixedVectorType>(part.mask->getType());
    for (PHINode& phi : part.exit->phis()) {
      Value *before = phi.getIncomingValueForBlock(part.entry), *now = phi.getIncomingValueForBlock(part.inside);
      if (before == now) continue;
      auto* type = dyn_cast<FixedVectorType>(phi.getType());
      const bool is_of_lanes = type && type->getNumElements() == lanes->getNumElements();
      Value* has_lanes = copy_for(made_.lookup(&phi), is_of_lanes ? part.mask : passes);
      phi.setIncomingValueForBlock(part.inside, b.CreateSelect(has_lanes, chosen(now, before, has_lanes), before));
    }
  }

  // Where lanes of a part of those that `mask` leaves have a new value already, the same question need not be asked
  // twice.
  static Value* chosen(Value* value, const Value* before, const Value* mask) {
    Value *lanes = nullptr, *now = nullptr;
    const bool asks = match(value, m_Select(m_Value(lanes), m_Value(now), m_Specific(before))) &&
                      match(mask, m_Select(m_Value(), m_Specific(lanes), m_Zero()));
    return asks ? now : value;
  }

  // One question for all groups, whose answers are there.
  void ask_all(CallInst& asks) {
    IRBuilder<> b(&asks);
    const bool of_one = asks.getCalledFunction()->getName() == kAnyGroup;
    Value *all = asks.getArgOperand(0), *first = all;
    for (unsigned g = 1; g < times_; ++g)
      if (Value* answer = copies_[g].lookup(first))
        all = of_one ? b.CreateLogicalOr(all, answer) : b.CreateLogicalAnd(all, answer);
    asks.setArgOperand(0, all);
  }

  void ask_lanes_of_all(Instruction& asks) {
    IRBuilder<> b(&asks);
    Value *any = asks.getOperand(0), *first = any;
    for (unsigned g = 1; g < times_; ++g)
      if (Value* mask = copies_[g].lookup(first)) any = b.CreateOr(any, mask);
    asks.setOperand(0, any);
  }

  // What comes together behind the detour does so behind that of its own group.
  void move_phis(BasicBlock& exit, unsigned g, BasicBlock* from, BasicBlock* entry, BasicBlock& end) {
    for (PHINode& phi : make_early_inc_range(exit.phis())) {
      if (made_.lookup(&phi) != g) continue;
      phi.moveBefore(end, end.getFirstNonPHIIt());
      for (unsigned k = 0; k < phi.getNumIncomingValues(); ++k) {
        if (phi.getIncomingBlock(k) == entry) phi.setIncomingBlock(k, from);
      }
    }
  }

  Function& kernel_;
  const GroupWays& ways_;
  const unsigned axis_, times_, distance_;
  const GroupShape& group_;
  std::vector<ValueToValueMapTy> copies_;
  MapVector<Instruction*, unsigned> made_;  ///< copies, and the group that each is for
};

}  // namespace

static void join_along(Function& kernel, unsigned axis, unsigned times, GroupShape& group) {
  if (times < 2) return;
  GroupWays ways(kernel, axis);
  if (!ways.find_detours()) return;
  Joiner(kernel, ways, axis, times, group).run();
  group.extent[axis] *= times;
}

static void keep_sums(Function& kernel, const GroupShape& group, const JoinTimes& times,
                      const TargetTransformInfo& host) {
  if (has_sync(kernel) || !may_be_reordered(kernel)) return;
  SmallVector<std::unique_ptr<GroupWays>, 3> along;
  SmallVector<const GroupWays*, 3> known;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (times[axis] < 2) continue;
    along.push_back(std::make_unique<GroupWays>(kernel, axis));
    if (!along.back()->find_detours()) return;
    known.push_back(along.back().get());
  }
  if (known.empty()) return;
  const unsigned registers = host.getNumberOfRegisters(host.getRegisterClassForType(/*Vector=*/true));
  const uint64_t bits = host.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  const uint64_t each = divideCeil(uint64_t{group.lanes} * 32, bits);
  sink_sums(kernel, known, 2 * each * times[0] * times[1] * times[2] <= registers);
}

// Of blocks of several rows that fill no group the first and the last groups cost more than walking together saves: a
// 3x3 erosion of bytes by blocks of 16 x 16 took 2.6 times as long, a mean by 30 x 4 1.12. Blocks of one row gain.
static bool may_join_along_row(const GroupShape& group) {
  return !group.overhangs(0) || (group.block[1] * group.block[2] == 1 && group.block[0] > group.lanes);
}

SmallVector<unsigned, 3> joinable_axes(const GroupShape& group) {
  SmallVector<unsigned, 3> axes;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (axis == 0 && group.blocks > 1) continue;  // the second one may be missing
    if (axis == 0 && group.whole_rows ? may_join_along_row(group) : group.groups(axis) > 1) axes.push_back(axis);
  }
  return axes;
}

// Groups that are neighbours along it follow on each other.
static unsigned first_axis(const GroupShape& group) {
  if (group.whole_rows || group.groups(0) > 1) return 0;
  return group.groups(1) > 1 ? 1 : 2;
}

GroupShape join_groups(Function& kernel, const GroupShape& group, const TargetMachine& host) {
  SmallVector<unsigned, 3> axes = joinable_axes(group);
  if (noted_updates(kernel) == Updates::LoneInOrder)
    erase_if(axes, [&](unsigned axis) { return axis != first_axis(group); });
  if (!ask_together(kernel, group, axes) && group.whole_rows) llvm::erase(axes, 0U);  // the row may end between them
  const JoinTimes times = choose_join(kernel, group, axes, host);
  SmallVector<unsigned, 3> joined_axes;
  for (unsigned axis = 0; axis < 3; ++axis)
    if (times[axis] > 1) joined_axes.push_back(axis);
  if (!joined_axes.empty()) ask_some_together(kernel, group, joined_axes);
  keep_sums(kernel, group, times, host.getTargetTransformInfo(kernel));
  GroupShape joined = group;
  for (unsigned axis : {1, 2, 0}) join_along(kernel, axis, times[axis], joined);
  answer_any_lanes(kernel);
  if (joined.extent == group.extent)
    drop_together(kernel);
  else
    answer_together(kernel);
  return joined;
}

}  // namespace lanza::compiler
