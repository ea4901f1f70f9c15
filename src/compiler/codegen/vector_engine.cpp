#include "compiler/codegen/vector_engine.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/codegen/vector_functions.hpp"
#include "compiler/passes/called_functions.hpp"
#include "compiler/passes/fold_reflect.hpp"
#include "compiler/passes/host_functions.hpp"
#include "compiler/passes/implicit_points.hpp"
#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/retarget.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/barrier_masks.hpp"
#include "compiler/passes/vector/analysis/processors.hpp"
#include "compiler/passes/vector/analysis/uniform_barriers.hpp"
#include "compiler/passes/vector/analysis/warp_meetings.hpp"
#include "compiler/passes/vector/finish_run.hpp"
#include "compiler/passes/vector/groups/pair_blocks.hpp"
#include "compiler/passes/vector/groups/whole_rows.hpp"
#include "compiler/passes/vector/run/block_order.hpp"
#include "compiler/passes/vector/run/column_accesses.hpp"
#include "compiler/passes/vector/run/common_code.hpp"
#include "compiler/passes/vector/run/fused_products.hpp"
#include "compiler/passes/vector/run/half_roundings.hpp"
#include "compiler/passes/vector/run/join_groups.hpp"
#include "compiler/passes/vector/run/order_groups.hpp"
#include "compiler/passes/vector/run/ordered_sums.hpp"
#include "compiler/passes/vector/run/shared_work.hpp"
#include "compiler/passes/vector/run/sorts_for_one.hpp"
#include "compiler/passes/vector/run/split_regions.hpp"
#include "compiler/passes/vector/run/split_sums.hpp"
#include "compiler/passes/vector/run/zero_products.hpp"
#include "compiler/passes/vector/scalars/lift_over_barriers.hpp"
#include "compiler/passes/vector/scalars/prepare_scalars.hpp"
#include "compiler/passes/vector/scalars/settle_waits.hpp"
#include "compiler/passes/vector/scalars/share_butterflies.hpp"
#include "compiler/passes/vector/scalars/turn_grid_loops.hpp"
#include "compiler/passes/vector/scalars/walk_planes.hpp"
#include "compiler/passes/vector/widen/blend_stores.hpp"
#include "compiler/passes/vector/widen/carry_records.hpp"
#include "compiler/passes/vector/widen/keep_records.hpp"
#include "compiler/passes/vector/widen/leave_beyond_block.hpp"
#include "compiler/passes/vector/widen/linearise.hpp"
#include "compiler/passes/vector/widen/lone_updates.hpp"
#include "compiler/passes/vector/widen/note_inside.hpp"
#include "compiler/passes/vector/widen/part_choices.hpp"
#include "compiler/passes/vector/widen/part_conditions.hpp"
#include "compiler/passes/vector/widen/plain_shared.hpp"
#include "compiler/passes/vector/widen/prepare_lanes.hpp"
#include "compiler/passes/vector/widen/record_shuffles.hpp"
#include "compiler/passes/vector/widen/serial_loops.hpp"
#include "compiler/passes/vector/widen/transpose_private.hpp"
#include "compiler/passes/vector/widen/whole_loads.hpp"
#include "compiler/passes/vector/widen/widen.hpp"

using namespace llvm;

namespace lanza::compiler {

// Of all regions: what lies behind several barriers is compiled several times.
static constexpr unsigned kMostInstructions = 15000;

static bool has_dynamic_allocas(Function& kernel) {
  return any_of(instructions(kernel), [](Instruction& i) {
    auto* array = dyn_cast<AllocaInst>(&i);
    return array && !array->isStaticAlloca();
  });
}

// The kinds of the points that `f` itself holds, before anything is inlined or lowered.
static bool holds(Function& f, function_ref<bool(bool is_known)> wanted) {
  return any_of(instructions(f), [&](Instruction& i) {
    auto* call = dyn_cast<CallInst>(&i);
    if (!call || !call->getCalledFunction()) return false;
    if (call->getCalledFunction()->getName().starts_with("llvm.nvvm.barrier0")) return wanted(true);
    if (!as_sync(i)) return false;
    auto* number = dyn_cast<ConstantInt>(call->getArgOperand(kSyncKind));
    if (!number) return wanted(false);
    const auto kind = static_cast<LanzaSyncKind>(number->getZExtValue());
    return wanted(kind == LANZA_SYNC_BARRIER || kind == LANZA_SYNC_YIELD || kind == LANZA_SYNC_BARRIER_COUNT ||
                  kind == LANZA_SYNC_GRID || is_of_warp(kind));
  });
}

static SmallSetVector<Function*, 16> reached_from(Function& kernel) {
  SmallSetVector<Function*, 16> reached;
  reached.insert(&kernel);
  for (size_t i = 0; i < reached.size(); ++i)
    for (Instruction& inside : instructions(*reached[i]))
      if (auto* call = dyn_cast<CallInst>(&inside); call && call->getCalledFunction())
        reached.insert(call->getCalledFunction());
  return reached;
}

bool waits_in_groups_only(Function& kernel) {
  return none_of(reached_from(kernel), [](Function* f) { return holds(*f, [](bool is_known) { return !is_known; }); });
}

// Those of functions that call themselves might need much stack.
static Reason why_no_waits(Function& kernel, const GroupShape& group) {
  if (!has_sync(kernel, LANZA_SYNC_YIELD) && !has_sync(kernel, LANZA_SYNC_GRID)) return {};
  for (Function& f : *kernel.getParent())
    if (&f != &kernel && !f.isDeclaration() && !f.hasFnAttribute(kComputesOnly))
      return {"it waits for other blocks, and not all is inlined"};
  return settle_waits(kernel, group);
}

Reason why_no_groups(Function& kernel, const GroupShape& group) {
  if (has_warp_operations(kernel) && !group.is_warp()) return {"it has warp operations, and its groups are no warps"};
  if (!has_sync(kernel) && none_of(*kernel.getParent(), [](Function& f) { return has_sync(f); })) return {};
  for (Function& f : *kernel.getParent()) {
    const Attribute blocking = f.getFnAttribute(kBlockingAttribute);
    if (blocking.isValid() && (&f != &kernel || blocking.getValueAsString() == "joins"))
      return {"a loop of the kernel waits for other threads"};
    if (&f != &kernel && has_sync(f)) return {"a function that was not inlined has synchronisation points"};
  }
  if (has_dynamic_allocas(kernel)) return {"the size of a private array is not constant"};
  if (Reason reason = why_no_waits(kernel, group); !reason.words.empty()) return reason;
  isolate_points(kernel);
  if (size_of_regions(kernel) > kMostInstructions) return {kTooLong};
  return why_barriers_diverge(kernel, BlockUniformity(kernel));
}

Reason why_no_vectors(Function& kernel, const GroupShape& group) {
  if (has_sync(kernel))
    if (Reason reason = why_leaving_matters(kernel, BlockUniformity(kernel)); !reason.words.empty()) return reason;
  prepare_lanes(kernel, group);
  std::string why_not;
  if (!can_widen(kernel, group.lanes, why_not)) return {why_not};
  return has_warp_operations(kernel) ? why_warps_part(kernel, group) : Reason{};
}

bool arrange_blocks(Function& kernel, GroupShape& group, bool wide, const TargetMachine& host) {
  take_whole_rows(kernel, group);
  if (group.lanes > 1) {
    PassRunner runner(nullptr);
    walk_planes(kernel, group, runner);
  }
  const bool strides = turn_grid_loops(kernel, group, host) && group.whole_rows;
  pair_blocks(kernel, group, wide, host);
  return strides;
}

GroupCode widen_kernel(Function& kernel, const GroupShape& group, const TargetMachine& host) {
  PassRunner runner(nullptr);
  const bool waits = has_sync(kernel);
  make_reducible(kernel);
  if (!waits) leave_beyond_block(kernel, group);
  if (waits) lift_over_barriers(kernel);
  share_butterflies(kernel, group);
  prepare_scalars(kernel, group, runner, host);
  if (waits) {  // copies of the code, one for groups that all go one way, must meet at the same barriers
    isolate_points(kernel);
    lift_over_barriers(kernel);
    if (Reason reason = why_barriers_diverge(kernel, BlockUniformity(kernel)); !reason.words.empty())
      return {nullptr, reason};
    leave_beyond_block(kernel, group);
  }
  if (waits) part_conditions(kernel, group);
  if (!prepare_control(kernel, group)) return {nullptr, {"its loops have too many ways out"}};
  outline_serial_loops(kernel, group);
  note_inside(kernel, group);
  linearise(kernel, group);
  if (Reason reason = why_empty_groups_meet(kernel); !reason.words.empty()) return {nullptr, reason};
  blend_stores(kernel, group);
  part_choices(kernel, group);
  transpose_private(kernel, group);
  const Widened widened = widen(kernel, group);
  if (widened.function) {
    inline_serial_loops(*widened.function);
    if (!has_waits(*widened.function)) plain_shared(*widened.function);
    load_whole_vectors(*widened.function, group);
  }
  return {widened.function, {widened.why_not}, widened.gathers, widened.scatters, widened.serial};
}

// Such code mostly shares masks and little else, which the loop over groups keeps as it is.
static bool is_straight(Function& kernel) {
  SmallVector<std::pair<const BasicBlock*, const BasicBlock*>, 4> back;
  FindFunctionBackedges(kernel, back);
  return back.empty() && !has_sync(kernel);
}

static void note_arithmetic(Function& kernel, const TargetMachine& host) {
  note_zero_products(kernel);
  if (adds_beside_products(host)) note_fused_products(kernel);
  note_sorts_for_one(kernel);
  if (!module_flag(*kernel.getParent(), kComputesHalves, 0)) note_half_roundings(kernel);
}

// As a product's turns share tiles: they load from them again and again.
static bool shares_memory_in_loops(Function& kernel) {
  const DominatorTree dominators(kernel);
  const LoopInfo loops(dominators);
  return any_of(instructions(kernel), [&](Instruction& i) {
    const Value* address = getLoadStorePointerOperand(&i);
    if (auto* call = dyn_cast<IntrinsicInst>(&i); call && i.mayReadFromMemory() && call->arg_size() != 0)
      address = call->getArgOperand(0);
    return address && loops.getLoopFor(i.getParent()) && is_shared_memory(address);
  });
}

RunForm build_groups(Function& kernel, GroupShape group, TargetMachine& host, BlockPart part) {
  Module& module = *kernel.getParent();
  const GroupShape each = group;
  if (group.lanes > 1) define_vector_functions(module, host);
  lower_host_functions(module);
  // Neither part need know of the other one's code, but for the order of blocks.
  const BlockOrder order = order_of_blocks(kernel, group);
  if (part != BlockPart::All) keep_block_part(kernel, part);
  if (group.lanes > 1) {
    const TargetTransformInfo costs = host.getTargetTransformInfo(kernel);
    keep_records(kernel, costs);
    carry_records(kernel, costs);
    lower_record_shuffles(kernel);
    split_sums(kernel, costs);
    // Few blocks are at the edges: copies would be most of the kernel's code.
    const bool may_join = part != BlockPart::Edges;
    if (may_join && (!is_straight(kernel) || has_columns(kernel, joinable_axes(group)) ||
                     shares_work(kernel, joinable_axes(group))))
      group = join_groups(kernel, each, host);
    inline_updates(kernel);
  }
  if (group.lanes > 1) note_arithmetic(kernel, host);
  if (group.extent == each.extent) note_ordered_sums(kernel);  // else there are as many sums as groups walk together
  lower_block_atomics(kernel);
  order_groups(kernel, group);
  part_common_code(kernel);
  // Groups that walk together have their sums in registers: there is no room for the tiles that they share. A tree
  // behind such a loop has room.
  const bool keeps_tiles = group.extent != each.extent && shares_memory_in_loops(kernel);
  RunForm form = make_run_form(kernel, group, order);
  kernel.eraseFromParent();
  finish_run(form, {.lanes = group.lanes, .keeps_tiles = keeps_tiles, .is_seldom = part == BlockPart::Edges}, host);
  return form;
}

}  // namespace lanza::compiler
