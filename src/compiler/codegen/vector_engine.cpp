#include "compiler/codegen/vector_engine.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>

#include "compiler/passes/dead_stores.hpp"
#include "compiler/passes/hidden_context.hpp"
#include "compiler/passes/implicit_points.hpp"
#include "compiler/passes/inverse_roots.hpp"
#include "compiler/passes/note_lanes.hpp"
#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/retarget.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/barrier_masks.hpp"
#include "compiler/passes/vector/analysis/operation_times.hpp"
#include "compiler/passes/vector/analysis/uniform_barriers.hpp"
#include "compiler/passes/vector/analysis/warp_meetings.hpp"
#include "compiler/passes/vector/lanes/branch_masked_stores.hpp"
#include "compiler/passes/vector/lanes/carry_masks.hpp"
#include "compiler/passes/vector/lanes/carry_taps.hpp"
#include "compiler/passes/vector/lanes/compare_floats.hpp"
#include "compiler/passes/vector/lanes/expand_min_max.hpp"
#include "compiler/passes/vector/lanes/extract_words.hpp"
#include "compiler/passes/vector/lanes/keep_blends.hpp"
#include "compiler/passes/vector/lanes/lane_accesses.hpp"
#include "compiler/passes/vector/lanes/masked_bytes.hpp"
#include "compiler/passes/vector/lanes/masked_counts.hpp"
#include "compiler/passes/vector/lanes/narrow_lanes.hpp"
#include "compiler/passes/vector/lanes/narrow_masks.hpp"
#include "compiler/passes/vector/lanes/near_gathers.hpp"
#include "compiler/passes/vector/lanes/order_loads.hpp"
#include "compiler/passes/vector/lanes/reduce_late.hpp"
#include "compiler/passes/vector/lanes/spanning_loads.hpp"
#include "compiler/passes/vector/lanes/split_masked_stores.hpp"
#include "compiler/passes/vector/lanes/split_masks.hpp"
#include "compiler/passes/vector/lanes/update_addresses.hpp"
#include "compiler/passes/vector/lanes/window_loads.hpp"
#include "compiler/passes/vector/run/bound_lane_loops.hpp"
#include "compiler/passes/vector/run/carry_quotients.hpp"
#include "compiler/passes/vector/run/column_accesses.hpp"
#include "compiler/passes/vector/run/inside_loops.hpp"
#include "compiler/passes/vector/run/join_groups.hpp"
#include "compiler/passes/vector/run/keep_in_memory.hpp"
#include "compiler/passes/vector/run/part_variables.hpp"
#include "compiler/passes/vector/run/settle_choices.hpp"
#include "compiler/passes/vector/run/share_loads.hpp"
#include "compiler/passes/vector/run/split_regions.hpp"
#include "compiler/passes/vector/run/split_sums.hpp"
#include "compiler/passes/vector/run/transpose_gathers.hpp"
#include "compiler/passes/vector/run/unroll_groups.hpp"
#include "compiler/passes/vector/run/walk_rows.hpp"
#include "compiler/passes/vector/run/wide_indices.hpp"
#include "compiler/passes/vector/scalars/prepare_scalars.hpp"
#include "compiler/passes/vector/scalars/share_butterflies.hpp"
#include "compiler/passes/vector/widen/blend_stores.hpp"
#include "compiler/passes/vector/widen/keep_records.hpp"
#include "compiler/passes/vector/widen/leave_beyond_block.hpp"
#include "compiler/passes/vector/widen/linearise.hpp"
#include "compiler/passes/vector/widen/prepare_lanes.hpp"
#include "compiler/passes/vector/widen/record_shuffles.hpp"
#include "compiler/passes/vector/widen/transpose_private.hpp"
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
    return wanted(kind == LANZA_SYNC_BARRIER || kind == LANZA_SYNC_BARRIER_COUNT || is_of_warp(kind));
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

Reason why_no_groups(Function& kernel, const GroupShape& group) {
  if (has_warp_operations(kernel) && !group.is_warp()) return {"it has warp operations, and its groups are no warps"};
  if (!has_sync(kernel) && none_of(*kernel.getParent(), has_sync)) return {};
  for (Function& f : *kernel.getParent()) {
    if (f.hasFnAttribute(kBlockingAttribute)) return {"a loop of the kernel waits for other threads"};
    if (&f != &kernel && has_sync(f)) return {"a function that was not inlined has synchronisation points"};
  }
  if (has_dynamic_allocas(kernel)) return {"the size of a private array is not constant"};
  isolate_points(kernel);
  if (size_of_regions(kernel) > kMostInstructions) return {"the code between barriers would be too long"};
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

GroupCode widen_kernel(Function& kernel, const GroupShape& group) {
  PassRunner runner(nullptr);
  const bool waits = has_sync(kernel);
  if (!waits) leave_beyond_block(kernel, group);
  share_butterflies(kernel, group);
  prepare_scalars(kernel, group, runner);
  if (waits) {  // copies of the code, one for groups that all go one way, must meet at the same barriers
    isolate_points(kernel);
    if (Reason reason = why_barriers_diverge(kernel, BlockUniformity(kernel)); !reason.words.empty())
      return {nullptr, reason};
    leave_beyond_block(kernel, group);
  }
  if (!prepare_control(kernel, group)) return {nullptr, {"its loops have too many ways out"}};
  linearise(kernel, group);
  if (Reason reason = why_empty_groups_meet(kernel); !reason.words.empty()) return {nullptr, reason};
  blend_stores(kernel, group);
  transpose_private(kernel, group);
  const Widened widened = widen(kernel, group);
  return {widened.function, {widened.why_not}, widened.gathers, widened.scatters, widened.serial};
}

// Such code shares masks and little else, which the loop over groups keeps as it is.
static bool is_straight(Function& kernel) {
  SmallVector<std::pair<const BasicBlock*, const BasicBlock*>, 4> back;
  FindFunctionBackedges(kernel, back);
  return back.empty() && !has_sync(kernel);
}

RunForm build_groups(Function& kernel, GroupShape group, TargetMachine& host) {
  Module& module = *kernel.getParent();
  const GroupShape each = group;
  lower_inverse_roots(module);
  if (group.lanes > 1) {
    const TargetTransformInfo costs = host.getTargetTransformInfo(kernel);
    keep_records(kernel, costs);
    lower_record_shuffles(kernel);
    split_sums(kernel, costs);
    if (!is_straight(kernel) || has_columns(kernel, joinable_axes(group))) group = join_groups(kernel, each, host);
  }
  const bool joined = group.extent != each.extent;
  lower_block_atomics(kernel);
  RunForm form = make_run_form(kernel, group);
  kernel.eraseFromParent();
  // Groups that walk together have their sums in registers: there is no room for the tiles that they share.
  Instruction* anchor = joined && form.shared ? keep_in_memory(*form.shared) : nullptr;
  PassRunner runner(&host);
  runner.run_on_functions(module, "sroa<modify-cfg>");
  drop_slot_copies(*form.run);
  runner.clear();
  runner.run_on_functions(module, "early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg");
  if (group.lanes > 1) transpose_gathers(*form.run);
  runner.clear();
  runner.run_on_functions(module, "loop-simplify,lcssa,loop-mssa(licm,simple-loop-unswitch<nontrivial>),simplifycfg");
  settle_choices(*form.run);
  runner.clear();
  runner.run_on_functions(module, "simplifycfg,loop-simplify,lcssa");
  bound_lane_loops(runner.functions().getResult<LoopAnalysis>(*form.run),
                   runner.functions().getResult<ScalarEvolutionAnalysis>(*form.run));
  runner.clear();
  part_variables(*form.run);
  if (group.lanes > 1) {  // loops over single threads tell who is under way
    runner.run_on_functions(module, "early-cse,lcssa");
    if (unroll_tiny_groups(*form.run, runner.functions())) {
      runner.clear();
      runner.run_on_functions(module, "early-cse,instcombine<no-verify-fixpoint>");
      settle_choices(*form.run);
      runner.clear();
      runner.run_on_functions(module, "simplifycfg,loop-simplify,lcssa");
    }
    unroll_groups(*form.run, group.lanes, runner.functions());
    runner.clear();
    runner.run_on_functions(module, "early-cse");
    // Memory that is accessed by ever shorter vectors (a tree's last steps) becomes registers only like this.
    narrow_masks(*form.run);
    narrow_lanes(*form.run);
    runner.clear();
  }
  runner.run_on_functions(module, "sroa<modify-cfg>,simplifycfg,early-cse<memssa>,instcombine<no-verify-fixpoint>");
  DeadStoresPass().run(*form.run, runner.functions());
  runner.clear();
  runner.run_on_functions(module, "simplifycfg");
  if (group.lanes > 1) {
    narrow_masks(*form.run);
    narrow_lanes(*form.run);
    if (split_spanning_loads(*form.run, is_wide_core(host))) {
      runner.clear();
      runner.run_on_functions(module, "sroa<modify-cfg>,early-cse,instcombine<no-verify-fixpoint>");
    }
  }
  auto& analyses = runner.functions();
  drop_idle_lane_loops(analyses.getResult<DominatorTreeAnalysis>(*form.run),
                       analyses.getResult<LoopAnalysis>(*form.run),
                       analyses.getResult<ScalarEvolutionAnalysis>(*form.run));
  runner.clear();
  if (group.lanes > 1) {
    reduce_late(runner.functions().getResult<LoopAnalysis>(*form.run), *form.run);
    runner.clear();
  }
  if (group.lanes > 1) split_near_gathers(*form.run, host);
  runner.run_on_functions(module, "instcombine<no-verify-fixpoint>");
  widen_indices(*form.run, runner.functions().getResult<LoopAnalysis>(*form.run));
  runner.clear();
  runner.run_on_functions(module, "loop-simplify,lcssa,loop-mssa(licm),simplifycfg");
  if (group.lanes > 1) {
    expand_min_max(*form.run);
    split_masked_stores(*form.run, host.getTargetTransformInfo(*form.run));
    keep_blends(*form.run, host.getTargetTransformInfo(*form.run));
    expand_lane_accesses(*form.run, host.getTargetTransformInfo(*form.run));
    extract_words(*form.run);
    compute_update_addresses(*form.run);
    drop_repeated_notes(*form.run);
    runner.clear();
    order_loads(*form.run, runner.functions().getResult<AAManager>(*form.run), host.getTargetTransformInfo(*form.run));
    expand_masked_bytes(*form.run, host.getTargetTransformInfo(*form.run));
    branch_masked_stores(*form.run, host.getTargetTransformInfo(*form.run));
  }
  if (anchor) anchor->eraseFromParent();
  if (group.lanes > 1) {
    runner.clear();
    auto& found = runner.functions();
    if (make_inside_loops(found.getResult<LoopAnalysis>(*form.run), found.getResult<ScalarEvolutionAnalysis>(*form.run),
                          found.getResult<DominatorTreeAnalysis>(*form.run), is_wide_core(host)))
      runner.clear();
    share_loads(found.getResult<LoopAnalysis>(*form.run), found.getResult<DominatorTreeAnalysis>(*form.run),
                host.getTargetTransformInfo(*form.run));
    runner.clear();
    if (is_wide_core(host)) {
      carry_taps(found.getResult<LoopAnalysis>(*form.run), found.getResult<ScalarEvolutionAnalysis>(*form.run));
      runner.clear();
      shift_windows(*form.run, found.getResult<AAManager>(*form.run));
      runner.clear();
    }
  }
  note_lanes(*form.run);
  if (group.lanes > 1 && walk_rows(*form.run)) {
    runner.clear();
    runner.run_on_functions(
        module,
        "early-cse,simplifycfg,loop-simplify,lcssa,loop-mssa(licm),instcombine<no-verify-fixpoint>,simplifycfg");
  }
  if (group.lanes > 1) {
    runner.clear();
    if (carry_quotients(*form.run, runner.functions())) runner.clear();
    split_masks(*form.run, host.getTargetTransformInfo(*form.run));
    mask_counts(*form.run, host);
    carry_masks(*form.run, host);
  }
  compare_floats(*form.run);
  return form;
}

}  // namespace lanza::compiler
