#include "compiler/passes/vector/finish_run.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/passes/dead_stores.hpp"
#include "compiler/passes/note_lanes.hpp"
#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/vector/access_costs.hpp"
#include "compiler/passes/vector/analysis/processors.hpp"
#include "compiler/passes/vector/lanes/aligned_gathers.hpp"
#include "compiler/passes/vector/lanes/blend_local_stores.hpp"
#include "compiler/passes/vector/lanes/branch_masked_stores.hpp"
#include "compiler/passes/vector/lanes/branch_rings.hpp"
#include "compiler/passes/vector/lanes/byte_products.hpp"
#include "compiler/passes/vector/lanes/byte_terms.hpp"
#include "compiler/passes/vector/lanes/carry_masks.hpp"
#include "compiler/passes/vector/lanes/carry_rows.hpp"
#include "compiler/passes/vector/lanes/carry_taps.hpp"
#include "compiler/passes/vector/lanes/compare_floats.hpp"
#include "compiler/passes/vector/lanes/compress_stores.hpp"
#include "compiler/passes/vector/lanes/convert_at_once.hpp"
#include "compiler/passes/vector/lanes/expand_min_max.hpp"
#include "compiler/passes/vector/lanes/extract_words.hpp"
#include "compiler/passes/vector/lanes/few_places.hpp"
#include "compiler/passes/vector/lanes/fill_gathers.hpp"
#include "compiler/passes/vector/lanes/forward_parts.hpp"
#include "compiler/passes/vector/lanes/gather_bases.hpp"
#include "compiler/passes/vector/lanes/join_choices.hpp"
#include "compiler/passes/vector/lanes/join_loads.hpp"
#include "compiler/passes/vector/lanes/join_trees.hpp"
#include "compiler/passes/vector/lanes/keep_blends.hpp"
#include "compiler/passes/vector/lanes/known_masks.hpp"
#include "compiler/passes/vector/lanes/lane_accesses.hpp"
#include "compiler/passes/vector/lanes/lift_choices.hpp"
#include "compiler/passes/vector/lanes/load_words.hpp"
#include "compiler/passes/vector/lanes/loop_gathers.hpp"
#include "compiler/passes/vector/lanes/masked_bytes.hpp"
#include "compiler/passes/vector/lanes/masked_counts.hpp"
#include "compiler/passes/vector/lanes/narrow_lanes.hpp"
#include "compiler/passes/vector/lanes/narrow_masks.hpp"
#include "compiler/passes/vector/lanes/near_gathers.hpp"
#include "compiler/passes/vector/lanes/neighbour_loads.hpp"
#include "compiler/passes/vector/lanes/order_by_halves.hpp"
#include "compiler/passes/vector/lanes/order_loads.hpp"
#include "compiler/passes/vector/lanes/pack_factors.hpp"
#include "compiler/passes/vector/lanes/pack_scalars.hpp"
#include "compiler/passes/vector/lanes/pack_steps.hpp"
#include "compiler/passes/vector/lanes/picked_lanes.hpp"
#include "compiler/passes/vector/lanes/plain_extrema.hpp"
#include "compiler/passes/vector/lanes/range_extrema.hpp"
#include "compiler/passes/vector/lanes/reduce_late.hpp"
#include "compiler/passes/vector/lanes/reload_elements.hpp"
#include "compiler/passes/vector/lanes/rotate_lanes.hpp"
#include "compiler/passes/vector/lanes/same_masks.hpp"
#include "compiler/passes/vector/lanes/scale_at_once.hpp"
#include "compiler/passes/vector/lanes/shared_divisors.hpp"
#include "compiler/passes/vector/lanes/short_divisions.hpp"
#include "compiler/passes/vector/lanes/spanning_loads.hpp"
#include "compiler/passes/vector/lanes/split_masked_stores.hpp"
#include "compiler/passes/vector/lanes/split_masks.hpp"
#include "compiler/passes/vector/lanes/store_runs.hpp"
#include "compiler/passes/vector/lanes/table_permutes.hpp"
#include "compiler/passes/vector/lanes/update_addresses.hpp"
#include "compiler/passes/vector/lanes/window_loads.hpp"
#include "compiler/passes/vector/lanes/word_gathers.hpp"
#include "compiler/passes/vector/run/ask_end_lanes.hpp"
#include "compiler/passes/vector/run/ask_one_group.hpp"
#include "compiler/passes/vector/run/bound_lane_loops.hpp"
#include "compiler/passes/vector/run/carry_quotients.hpp"
#include "compiler/passes/vector/run/hoist_divisions.hpp"
#include "compiler/passes/vector/run/inside_loops.hpp"
#include "compiler/passes/vector/run/invert_divisors.hpp"
#include "compiler/passes/vector/run/keep_in_memory.hpp"
#include "compiler/passes/vector/run/part_variables.hpp"
#include "compiler/passes/vector/run/row_pieces.hpp"
#include "compiler/passes/vector/run/row_steps.hpp"
#include "compiler/passes/vector/run/settle_choices.hpp"
#include "compiler/passes/vector/run/share_loads.hpp"
#include "compiler/passes/vector/run/split_regions.hpp"
#include "compiler/passes/vector/run/spread_turns.hpp"
#include "compiler/passes/vector/run/stagger_arrays.hpp"
#include "compiler/passes/vector/run/transpose_gathers.hpp"
#include "compiler/passes/vector/run/unroll_groups.hpp"
#include "compiler/passes/vector/run/walk_rows.hpp"
#include "compiler/passes/vector/run/wide_indices.hpp"

using namespace llvm;

namespace lanza::compiler {

/// Passes change what the managers know, so each of them is followed by pass() or clear().
class RunFinisher {
 public:
  RunFinisher(RunForm& form, const FinishOptions& options, TargetMachine& host)
      : run_(*form.run),
        accesses_(form),
        lanes_(options.lanes),
        is_seldom_(options.is_seldom),
        host_(host),
        costs_(host.getTargetTransformInfo(run_)),
        runner_(&host),
        anchor_(options.keeps_tiles && form.shared ? keep_in_memory(*form.shared) : nullptr) {}

  void finish() {
    if (lanes_ > 1) convert_at_once(run_, host_);  // before LLVM shifts the guards' parts of a word
    clean();
    choose_ways();
    unroll();
    settle_memory();
    hoist();
    if (lanes_ > 1) access_lanes();
    if (anchor_) anchor_->eraseFromParent();
    if (lanes_ > 1) share_between_groups();
    note_lanes(run_);
    if (lanes_ > 1) walk();
    suit_code_generator();
  }

 private:
  template <typename Analysis>
  auto& get() {
    return runner_.functions().getResult<Analysis>(run_);
  }
  void pass(StringRef pipeline) {
    runner_.clear();
    runner_.run_on_functions(*run_.getParent(), pipeline);
    if (pipeline.contains("loop-simplify")) keep_innermost_marks(get<LoopAnalysis>());
  }
  void combine(StringRef pipeline) {
    pass(pipeline);
    is_combined_ = true;
  }
  void note_change(bool changed) { is_combined_ &= !changed; }

  // What make_run_form() put in memory goes into registers.
  void clean() {
    pass("sroa<modify-cfg>");
    drop_slot_copies(run_);
    combine("early-cse<memssa>,instcombine<no-verify-fixpoint>");
    if (lanes_ > 1) ask_end_lanes(run_);  // before both of two questions become a switch
    pass("simplifycfg");
    if (lanes_ > 1) take_rows();
    pass("loop-simplify,lcssa,loop-mssa(licm,simple-loop-unswitch<nontrivial>),simplifycfg");
  }

  void take_rows() {
    accesses_.begin();
    note_change((masks_rows(host_) && take_row_pieces(run_)) | transpose_gathers(run_));
    accesses_.become_rows();
  }

  void choose_ways() {
    settle_choices(run_);
    pass("simplifycfg,loop-simplify,lcssa");
    if (drop_idle_lane_loops(get<DominatorTreeAnalysis>(), get<LoopAnalysis>(), get<ScalarEvolutionAnalysis>()))
      pass("simplifycfg,loop-simplify,lcssa");
    bound_lane_loops(get<LoopAnalysis>(), get<ScalarEvolutionAnalysis>());
    runner_.clear();
    note_change(part_variables(run_));
    if (lanes_ == 1) return;
    runner_.clear();
    if (!spread_turns(get<LoopAnalysis>(), get<ScalarEvolutionAnalysis>(), costs_)) return;
    note_change(true);
    pass("loop-simplify,lcssa");
  }

  // Loops over single threads tell who is under way: they stay.
  void unroll() {
    if (lanes_ == 1) return;
    pass("early-cse,lcssa");
    if (ask_one_group(get<LoopAnalysis>(), get<ScalarEvolutionAnalysis>())) pass("simplifycfg,loop-simplify,lcssa");
    if (unroll_tiny_groups(run_, runner_.functions())) {
      is_combined_ = false;
      pass("early-cse,instcombine<no-verify-fixpoint>");
      settle_choices(run_);
      pass("simplifycfg,loop-simplify,lcssa");
    }
    note_change(unroll_groups(run_, lanes_, runner_.functions()));
    pass("early-cse");
    drop_dead_ways();
    // Memory that is accessed by ever shorter vectors (a tree's last steps) becomes registers only like this.
    note_change(narrow_masks(run_));
    note_change(narrow_lanes(run_));
  }

  // Where no group goes: masked stores of no lanes, which would keep a variable in memory.
  void drop_dead_ways() {
    bool changed = false;
    for (BasicBlock& block : run_) changed |= ConstantFoldTerminator(&block);
    if (!changed) return;
    EliminateUnreachableBlocks(run_);
    runner_.clear();
  }

  void settle_memory() {
    pass("sroa<modify-cfg>,simplifycfg");
    // Of unrolled groups' loads a third is gone then, before LLVM combines them: a segmented scan's first result is
    // there in 57 ms, not 65.
    if (lanes_ > 1 && split_spanning_loads(run_, loads_lines_slowly(host_))) {
      note_change(true);
      pass("sroa<modify-cfg>");
    }
    if (lanes_ == 1 || !is_combined_) combine("early-cse<memssa>,instcombine<no-verify-fixpoint>");
    DeadStoresPass().run(run_, runner_.functions());
    pass("simplifycfg");
    if (lanes_ == 1) return;
    note_change(narrow_masks(run_));
    note_change(narrow_lanes(run_));
    if (split_spanning_loads(run_, loads_lines_slowly(host_)))
      pass("sroa<modify-cfg>,early-cse,instcombine<no-verify-fixpoint>");
  }

  void hoist() {
    runner_.clear();
    note_change(
        drop_idle_lane_loops(get<DominatorTreeAnalysis>(), get<LoopAnalysis>(), get<ScalarEvolutionAnalysis>()));
    runner_.clear();
    if (lanes_ > 1) {
      note_change(lift_choices(run_, get<DominatorTreeAnalysis>(), get<LoopAnalysis>()));
      note_change(reduce_late(get<LoopAnalysis>(), run_));
      note_change(compress_stores(run_, host_));
      note_change(split_aligned_gathers(run_));
      note_change(permute_tables(run_, host_));
      note_change(choose_few_places(run_));
      note_change(split_near_gathers(run_, host_));
      note_change(add_byte_products(run_, host_));
      runner_.clear();
      note_change(add_byte_terms(run_, get<ScalarEvolutionAnalysis>(), host_));
    }
    if (!is_combined_) combine("instcombine<no-verify-fixpoint>");
    if (lanes_ > 1) {
      join_trees(run_, costs_);
      pack_steps(run_);
      runner_.clear();
      pack_scalars(run_, runner_.functions());
    }
    widen_indices(run_, get<LoopAnalysis>());
    hoist_divisions(get<LoopAnalysis>());
    pass("loop-simplify,lcssa,loop-mssa(licm)");
    if (lanes_ > 1) make_masks_same(get<LoopAnalysis>());
    pass("simplifycfg");
  }

  void access_lanes() {
    range_extrema(run_, host_);
    if (!is_seldom_) ask_plain_extrema(run_, host_);
    expand_min_max(run_);
    accesses_.settle();
    blend_local_stores(run_, costs_);
    split_masked_stores(run_, costs_);
    keep_blends(run_, costs_);
    gather_words(run_, host_);
    loop_gathers(run_, costs_);
    fill_gathers(run_, costs_);
    expand_lane_accesses(run_, costs_);
    extract_words(run_, costs_);
    load_words(run_);
    compute_update_addresses(run_);
    drop_repeated_notes(run_);
    runner_.clear();
    if (join_loads(get<LoopAnalysis>(), get<ScalarEvolutionAnalysis>())) runner_.clear();
    order_loads(run_, get<AAManager>(), costs_);
    expand_masked_bytes(run_, costs_);
    branch_masked_stores(run_, costs_);
    branch_rings(run_);
  }

  void share_between_groups() {
    runner_.clear();
    make_inside_loops(get<LoopAnalysis>(), get<ScalarEvolutionAnalysis>(), get<DominatorTreeAnalysis>(),
                      is_wide_core(host_));
    runner_.clear();
    share_loads(get<LoopAnalysis>(), get<DominatorTreeAnalysis>(), costs_);
    if (!shuffles_fast(host_)) return;
    runner_.clear();
    carry_taps(get<LoopAnalysis>(), get<ScalarEvolutionAnalysis>());
    if (!is_wide_core(host_)) return;
    runner_.clear();
    shift_windows(run_, get<AAManager>());
  }

  void walk() {
    if (walk_rows(run_))
      pass("early-cse,simplifycfg,loop-simplify,lcssa,loop-mssa(licm),instcombine<no-verify-fixpoint>,simplifycfg");
    runner_.clear();
    carry_rows(get<LoopAnalysis>(), get<ScalarEvolutionAnalysis>(), costs_);
    runner_.clear();
    carry_quotients(run_, runner_.functions());
    shorten_divisions(run_);
    join_choices(run_, host_);
    split_masks(run_, costs_);
    if (!is_seldom_) store_runs(run_, host_);
    mask_counts(run_, host_);
    combine_known_masks(run_, host_);
    carry_masks(run_, host_);
    runner_.clear();
    store_picked_lanes(run_, get<LoopAnalysis>(), get<DominatorTreeAnalysis>());
    set_gather_bases(run_);
    load_neighbours(run_, host_);
    forward_parts(run_);
    runner_.clear();
    step_rows(run_, get<DominatorTreeAnalysis>());
  }

  void suit_code_generator() {
    runner_.clear();
    invert_divisors(get<LoopAnalysis>());
    compare_floats(run_);
    order_by_halves(run_, host_);
    rotate_lanes(run_, host_);
    runner_.clear();
    if (lanes_ > 1) scale_at_once(run_, host_);
    if (lanes_ > 1) pack_factors(run_);
    if (lanes_ > 1) reload_elements(run_, get<AAManager>());
    runner_.clear();
    if (lanes_ > 1 && divides_slowly(host_)) share_divisors(run_, get<LoopAnalysis>());
    if (lanes_ > 1) stagger_arrays(run_);
  }

  Function& run_;
  AccessCosts accesses_;
  const unsigned lanes_;
  const bool is_seldom_;
  TargetMachine& host_;
  const TargetTransformInfo costs_;
  PassRunner runner_;
  Instruction* anchor_;
  bool is_combined_ = false;  ///< since then nothing has changed that gives LLVM something to combine
};

void finish_run(RunForm& form, const FinishOptions& options, TargetMachine& host) {
  RunFinisher(form, options, host).finish();
}

}  // namespace lanza::compiler
