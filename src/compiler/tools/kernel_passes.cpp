#include "compiler/tools/kernel_passes.hpp"

#include <map>

#include <llvm/Support/raw_ostream.h>

#include "compiler/codegen/host_pipeline.hpp"
#include "compiler/codegen/vector_engine.hpp"
#include "compiler/codegen/vector_functions.hpp"
#include "compiler/passes/called_functions.hpp"
#include "compiler/passes/fold_arguments.hpp"
#include "compiler/passes/fold_initialisers.hpp"
#include "compiler/passes/implicit_points.hpp"
#include "compiler/passes/lane_loop.hpp"
#include "compiler/passes/note_lanes.hpp"
#include "compiler/passes/share_extensions.hpp"
#include "compiler/passes/thread_engine.hpp"
#include "compiler/passes/vector/analysis/barrier_masks.hpp"
#include "compiler/passes/vector/analysis/processors.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/analysis/uniform_barriers.hpp"
#include "compiler/passes/vector/analysis/warp_meetings.hpp"
#include "compiler/passes/vector/groups/fill_registers.hpp"
#include "compiler/passes/vector/groups/fit_teams.hpp"
#include "compiler/passes/vector/groups/gather_bound.hpp"
#include "compiler/passes/vector/groups/independent_turns.hpp"
#include "compiler/passes/vector/groups/overlap_groups.hpp"
#include "compiler/passes/vector/groups/overlap_turns.hpp"
#include "compiler/passes/vector/groups/own_rows.hpp"
#include "compiler/passes/vector/groups/pair_blocks.hpp"
#include "compiler/passes/vector/groups/shuffled_tiles.hpp"
#include "compiler/passes/vector/groups/spell_strides.hpp"
#include "compiler/passes/vector/groups/take_index_planes.hpp"
#include "compiler/passes/vector/groups/turn_axes.hpp"
#include "compiler/passes/vector/groups/whole_rows.hpp"
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
#include "compiler/passes/vector/lanes/part_shuffles.hpp"
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
#include "compiler/passes/vector/run/block_order.hpp"
#include "compiler/passes/vector/run/block_parts.hpp"
#include "compiler/passes/vector/run/bound_lane_loops.hpp"
#include "compiler/passes/vector/run/carry_quotients.hpp"
#include "compiler/passes/vector/run/common_code.hpp"
#include "compiler/passes/vector/run/hoist_divisions.hpp"
#include "compiler/passes/vector/run/inside_loops.hpp"
#include "compiler/passes/vector/run/invert_divisors.hpp"
#include "compiler/passes/vector/run/join_groups.hpp"
#include "compiler/passes/vector/run/note_restrict.hpp"
#include "compiler/passes/vector/run/order_groups.hpp"
#include "compiler/passes/vector/run/part_variables.hpp"
#include "compiler/passes/vector/run/row_pieces.hpp"
#include "compiler/passes/vector/run/row_steps.hpp"
#include "compiler/passes/vector/run/run_form.hpp"
#include "compiler/passes/vector/run/settle_choices.hpp"
#include "compiler/passes/vector/run/share_loads.hpp"
#include "compiler/passes/vector/run/split_regions.hpp"
#include "compiler/passes/vector/run/split_sums.hpp"
#include "compiler/passes/vector/run/spread_turns.hpp"
#include "compiler/passes/vector/run/stagger_arrays.hpp"
#include "compiler/passes/vector/run/transpose_gathers.hpp"
#include "compiler/passes/vector/run/unroll_groups.hpp"
#include "compiler/passes/vector/run/walk_rows.hpp"
#include "compiler/passes/vector/run/wide_indices.hpp"
#include "compiler/passes/vector/scalars/align_tiles.hpp"
#include "compiler/passes/vector/scalars/alone_atomics.hpp"
#include "compiler/passes/vector/scalars/ask_at_once.hpp"
#include "compiler/passes/vector/scalars/choose_own_stores.hpp"
#include "compiler/passes/vector/scalars/choose_values.hpp"
#include "compiler/passes/vector/scalars/clamps_behind_guards.hpp"
#include "compiler/passes/vector/scalars/close_gaps.hpp"
#include "compiler/passes/vector/scalars/close_ranks.hpp"
#include "compiler/passes/vector/scalars/column_turns.hpp"
#include "compiler/passes/vector/scalars/edge_loads.hpp"
#include "compiler/passes/vector/scalars/ending_counters.hpp"
#include "compiler/passes/vector/scalars/exit_questions.hpp"
#include "compiler/passes/vector/scalars/exit_values.hpp"
#include "compiler/passes/vector/scalars/first_threads.hpp"
#include "compiler/passes/vector/scalars/flat_indices.hpp"
#include "compiler/passes/vector/scalars/fold_rings.hpp"
#include "compiler/passes/vector/scalars/follow_barriers.hpp"
#include "compiler/passes/vector/scalars/hoist_invariants.hpp"
#include "compiler/passes/vector/scalars/join_turns.hpp"
#include "compiler/passes/vector/scalars/join_ways.hpp"
#include "compiler/passes/vector/scalars/keep_rows.hpp"
#include "compiler/passes/vector/scalars/lift_over_barriers.hpp"
#include "compiler/passes/vector/scalars/load_by_ways.hpp"
#include "compiler/passes/vector/scalars/narrow_bytes.hpp"
#include "compiler/passes/vector/scalars/own_counters.hpp"
#include "compiler/passes/vector/scalars/own_slots.hpp"
#include "compiler/passes/vector/scalars/pad_rows.hpp"
#include "compiler/passes/vector/scalars/prefetch_blocks.hpp"
#include "compiler/passes/vector/scalars/prefetch_steps.hpp"
#include "compiler/passes/vector/scalars/prepare_scalars.hpp"
#include "compiler/passes/vector/scalars/promote_sums.hpp"
#include "compiler/passes/vector/scalars/prove_no_wrap.hpp"
#include "compiler/passes/vector/scalars/read_inside.hpp"
#include "compiler/passes/vector/scalars/read_through.hpp"
#include "compiler/passes/vector/scalars/record_tiles.hpp"
#include "compiler/passes/vector/scalars/saturate_extrema.hpp"
#include "compiler/passes/vector/scalars/settle_waits.hpp"
#include "compiler/passes/vector/scalars/share_butterflies.hpp"
#include "compiler/passes/vector/scalars/skip_margins.hpp"
#include "compiler/passes/vector/scalars/split_copies.hpp"
#include "compiler/passes/vector/scalars/split_row_loops.hpp"
#include "compiler/passes/vector/scalars/split_steps.hpp"
#include "compiler/passes/vector/scalars/split_strided_loops.hpp"
#include "compiler/passes/vector/scalars/store_words.hpp"
#include "compiler/passes/vector/scalars/transpose_tiles.hpp"
#include "compiler/passes/vector/scalars/turn_grid_loops.hpp"
#include "compiler/passes/vector/scalars/uniform_places.hpp"
#include "compiler/passes/vector/scalars/unroll_row_loops.hpp"
#include "compiler/passes/vector/scalars/version_blocks.hpp"
#include "compiler/passes/vector/scalars/version_choices.hpp"
#include "compiler/passes/vector/scalars/version_diagonals.hpp"
#include "compiler/passes/vector/scalars/version_guards.hpp"
#include "compiler/passes/vector/scalars/version_quotients.hpp"
#include "compiler/passes/vector/scalars/version_records.hpp"
#include "compiler/passes/vector/scalars/version_row_stores.hpp"
#include "compiler/passes/vector/scalars/version_starts.hpp"
#include "compiler/passes/vector/scalars/version_strides.hpp"
#include "compiler/passes/vector/scalars/version_sums.hpp"
#include "compiler/passes/vector/scalars/walk_planes.hpp"
#include "compiler/passes/vector/scalars/whole_words.hpp"
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
#include "compiler/passes/vector/widen/turn_questions.hpp"
#include "compiler/passes/vector/widen/whole_loads.hpp"
#include "compiler/passes/vector/widen/widen.hpp"

using namespace llvm;

namespace lanza::compiler {

static void say(Function& f, const std::string& words) { outs() << "; " << f.getName() << ": " << words << '\n'; }

static void say(Function& f, const Reason& why) { say(f, why.words.empty() ? "proved" : why.words); }

// The pass, called with what it has parameters for; the reason that it gives is printed.
template <typename Result, typename... Parameters>
static std::function<void(Subject&)> on(Result (*pass)(Parameters...)) {
  return [pass](Subject& subject) {
    if constexpr (std::is_same_v<Result, Reason>)
      say(subject, pass(static_cast<Parameters>(subject)...));
    else
      pass(static_cast<Parameters>(subject)...);
  };
}

static std::function<void(Subject&)> on_block(bool (*pass)(Function&, std::array<unsigned, 3>,
                                                           FunctionAnalysisManager&)) {
  return [pass](Subject& s) { pass(s, static_cast<GroupShape&>(s).block, s); };
}

static void erase_after(Function& kernel, function_ref<void()> make) {
  make();
  kernel.eraseFromParent();
}

static void fold_to_threes(Subject& s) {
  Function& kernel = s;
  SmallVector<LanzaArgumentValue, 4> values;
  for (const Argument& a : kernel.args())
    if (a.getType()->isIntegerTy()) values.push_back({a.getArgNo(), 3});
  LanzaSpecialiseRequest request{};
  request.folded = values.data();
  request.folded_count = values.size();
  const char* why_not = fold_arguments(kernel, request);
  say(kernel, why_not ? why_not : "folded");
}

static void run_part(Subject& s, BlockPart part) {
  isolate_points(s);
  const BlockOrder order = order_of_blocks(s, s);
  keep_block_part(s, part);
  erase_after(s, [&] { make_run_form(s, s, order); });
}

static void build_part(Subject& s, BlockPart part) {
  isolate_points(s);
  build_groups(s, s, s, part);
}

static void run_by_threads(Subject& s) {
  Function& kernel = s;
  Module& module = s;
  PassRunner& runner = s;
  ThreadEngine engine = make_coroutine(kernel);
  kernel.eraseFromParent();
  runner.run_on_functions(module, "sroa<modify-cfg>");
  split_coroutines(module, engine, runner);
  make_thread_runner(module, engine);
}

static std::map<StringRef, std::function<void(Subject&)>> kernel_passes() {
  return {
      {"whole-loads", on(load_whole_vectors)},
      {"ask-at-exits", on(ask_at_exits)},
      {"ask-before-turns", on(ask_before_turns)},
      {"ask-whether-alone", on(ask_whether_alone)},
      {"blend-local-stores", on(blend_local_stores)},
      {"branch-masked-stores", on(branch_masked_stores)},
      {"aligned-gathers", on(split_aligned_gathers)},
      {"branch-rings", on(branch_rings)},
      {"blend-stores", on(blend_stores)},
      {"byte-products", on(add_byte_products)},
      {"byte-terms", on(add_byte_terms)},
      {"build-groups", [](Subject& s) { build_groups(s, s, s); }},
      {"build-inside", [](Subject& s) { build_part(s, BlockPart::Inside); }},
      {"build-edges", [](Subject& s) { build_part(s, BlockPart::Edges); }},
      {"barrier-masks", on(why_empty_groups_meet)},
      {"ask-end-lanes", on(ask_end_lanes)},
      {"ask-one-group", on(ask_one_group)},
      {"bound-lane-loops", on(bound_lane_loops)},
      {"carry-masks", on(carry_masks)},
      {"carry-rows", on(carry_rows)},
      {"carry-taps", on(carry_taps)},
      {"choose-values", on(choose_values)},
      {"clamp-behind-guards", on(clamp_behind_guards)},
      {"column-turns", on(count_column_turns)},
      {"compare-floats", on(compare_floats)},
      {"compress-stores", on(compress_stores)},
      {"convert-at-once", on(convert_at_once)},
      {"drop-idle-lane-loops", on(drop_idle_lane_loops)},
      {"drop-slot-copies", on(drop_slot_copies)},
      {"define-vector-functions", on(define_vector_functions)},
      {"edge-loads", on(edge_loads)},
      {"load-by-ways", on(load_by_ways)},
      {"exit-values", on(compute_exit_values)},
      {"expand-min-max", on(expand_min_max)},
      {"extract-words", on(extract_words)},
      {"few-places", on(choose_few_places)},
      {"fill-gathers", on(fill_gathers)},
      {"fold-arguments", fold_to_threes},
      {"flat-indices", on(number_flat_threads)},
      {"fold-initialisers", on(fold_initialisers)},
      {"fold-rings", on(fold_rings)},
      {"gather-bases", on(set_gather_bases)},
      {"gather-bound", on(why_gathers_bind)},
      {"follow-barriers", on(follow_barriers)},
      {"hoist-divisions", on(hoist_divisions)},
      {"invert-divisors", on(invert_divisors)},
      {"hoist-invariants", on(hoist_invariants)},
      {"inline-updates", on(inline_updates)},
      {"join-groups", on(join_groups)},
      {"join-choices", on(join_choices)},
      {"join-loads", on(join_loads)},
      {"join-trees", on(join_trees)},
      {"join-turns", on(join_turns)},
      {"join-ways", on(join_ways)},
      {"keep-blends", on(keep_blends)},
      {"keep-innermost-marks", on(keep_innermost_marks)},
      {"keep-called-functions", on(keep_called_functions)},
      {"carry-records", on(carry_records)},
      {"keep-records", on(keep_records)},
      {"keep-rows", on(keep_rows)},
      {"known-places", on(use_known_places)},
      {"known-masks", on(combine_known_masks)},
      {"lane-accesses", on(expand_lane_accesses)},
      {"leave-beyond-block", on(leave_beyond_block)},
      {"lift-choices", on(lift_choices)},
      {"lift-over-barriers", on(lift_over_barriers)},
      {"linearise", on(linearise)},
      {"note-inside", on(note_inside)},
      {"load-words", on(load_words)},
      {"loop-gathers", on(loop_gathers)},
      {"lower-called-functions", on(lower_called_functions)},
      {"lower-record-shuffles", on(lower_record_shuffles)},
      {"mask-counts", on(mask_counts)},
      {"masked-bytes", on(expand_masked_bytes)},
      {"narrow-bytes", on(narrow_bytes)},
      {"narrow-lanes", on(narrow_lanes)},
      {"narrow-masks", on(narrow_masks)},
      {"near-gathers", on(split_near_gathers)},
      {"neighbour-loads", on(load_neighbours)},
      {"order-groups", on(order_groups)},
      {"order-by-halves", on(order_by_halves)},
      {"order-loads", on(order_loads)},
      {"own-counters", on(own_counters)},
      {"outline-serial-loops", on(outline_serial_loops)},
      {"pack-factors", on(pack_factors)},
      {"pack-scalars", [](Subject& s) { pack_scalars(s, static_cast<FunctionAnalysisManager&>(s)); }},
      {"pack-steps", on(pack_steps)},
      {"part-conditions", on(part_conditions)},
      {"part-choices", on(part_choices)},
      {"part-common-code", on(part_common_code)},
      {"part-shuffles", on(part_shuffles)},
      {"part-variables", on(part_variables)},
      {"permute-tables", on(permute_tables)},
      {"picked-lanes", on(store_picked_lanes)},
      {"plain-extrema", on(ask_plain_extrema)},
      {"plain-shared", on(plain_shared)},
      {"prefetch-blocks", on(prefetch_blocks)},
      {"prefetch-steps", on(prefetch_steps)},
      {"prepare-control", on(prepare_control)},
      {"prepare-lanes", on(prepare_lanes)},
      {"prepare-scalars", on(prepare_scalars)},
      {"promote-sums", on(promote_sums)},
      {"prove-counters", on(prove_counters)},
      {"prove-no-wrap", on(prove_no_wrap)},
      {"prove-steps-back", on(prove_steps_back)},
      {"range-extrema", on(range_extrema)},
      {"reduce-late", on(reduce_late)},
      {"reload-elements", on(reload_elements)},
      {"rotate-lanes", on(rotate_lanes)},
      {"scale-at-once", on(scale_at_once)},
      {"forward-parts", on(forward_parts)},
      {"same-masks", on(make_masks_same)},
      {"saturate-extrema", on(saturate_extrema)},
      {"settle-choices", on(settle_choices)},
      {"settle-waits", on(settle_waits)},
      {"share-butterflies", on(share_butterflies)},
      {"share-extensions", on(share_extensions)},
      {"share-loads", on(share_loads)},
      {"share-divisors", on(share_divisors)},
      {"short-divisions", on(shorten_divisions)},
      {"split-masked-stores", on(split_masked_stores)},
      {"split-masks", on(split_masks)},
      {"stagger-arrays", on(stagger_arrays)},
      {"step-rows", on(step_rows)},
      {"store-runs", on(store_runs)},
      {"skip-margins", on(skip_margins)},
      {"split-copies", on(split_copies)},
      {"split-row-loops", on(split_row_loops)},
      {"split-steps", on(split_steps)},
      {"split-strided-loops", on(split_strided_loops)},
      {"split-sums", on(split_sums)},
      {"spread-turns", on(spread_turns)},
      {"row-pieces", on(take_row_pieces)},
      {"transpose-gathers", on(transpose_gathers)},
      {"transpose-private", on(transpose_private)},
      {"turn-axes", on(turn_axes)},
      {"turn-grid-loops", on(turn_grid_loops)},
      {"uniform-places", on(use_uniform_places)},
      {"unroll-groups",
       [](Subject& s) {
         unroll_groups(s, static_cast<GroupShape&>(s).lanes, static_cast<FunctionAnalysisManager&>(s));
       }},
      {"unroll-row-loops", on(unroll_row_loops)},
      {"unroll-tiny-groups", on(unroll_tiny_groups)},
      {"update-addresses", on(compute_update_addresses)},
      {"version-blocks", [](Subject& s) { version_blocks(s, s); }},
      {"version-blocks-of-few", [](Subject& s) { version_blocks(s, s, true); }},
      {"version-choices", on(version_choices)},
      {"version-diagonals", on(version_diagonals)},
      {"version-guards", on(version_guards)},
      {"version-quotients", on(version_quotients)},
      {"version-records", on(version_records)},
      {"version-row-stores", on(version_row_stores)},
      {"version-starts", on(version_starts)},
      {"version-strides", on(version_strides)},
      {"version-sums", on(version_sums)},
      {"walk-rows", on(walk_rows)},
      {"warp-meetings", on(why_warps_part)},
      {"whole-rows", on(take_whole_rows)},
      {"store-words", on(store_whole_words)},
      {"whole-words", on(load_whole_words)},
      {"wide-indices", on(widen_indices)},
      {"widen", on(widen)},
      {"window-loads", on(shift_windows)},
      {"word-gathers", on(gather_words)},
      {"carry-quotients", [](Subject& s) { carry_quotients(s, static_cast<FunctionAnalysisManager&>(s)); }},
      {"index-planes",
       [](Subject& s) {
         IndexPlanes planes;
         if (find_index_planes(s, s, planes)) take_index_planes(s, planes);
       }},
      {"independent-turns",
       [](Subject& s) {
         auto is_index = [](const Value* v) { return v->getName() == "i"; };
         const auto apart = independent_turns(s, is_index);
         say(s, !apart ? "in order" : apart->empty() ? "independent" : "independent where arrays lie apart");
       }},
      {"spell-strides",
       [](Subject& s) {
         StrideQuotients quotients;
         spell_strides(s, quotients);
       }},
      {"note-restrict", on(note_restrict)},
      {"inside-loops", [](Subject& s) { make_inside_loops(s, s, s, is_wide_core(s)); }},
      {"spanning-loads", [](Subject& s) { split_spanning_loads(s, loads_lines_slowly(s)); }},
      {"pair-blocks",
       [](Subject& s) {
         isolate_points(s);
         pair_blocks(s, s, false, s);
       }},
      {"pad-rows", on_block(pad_rows)},
      {"ask-at-once", [](Subject& s) { ask_at_once(s, static_cast<GroupShape&>(s).block); }},
      {"choose-own-stores", [](Subject& s) { choose_own_stores(s, static_cast<GroupShape&>(s).block); }},
      {"close-gaps", [](Subject& s) { close_gaps(s, static_cast<GroupShape&>(s).block); }},
      {"close-ranks", on_block(close_ranks)},
      {"align-tiles", on_block(align_tiles)},
      {"transpose-tiles", on_block(transpose_tiles)},
      {"record-tiles", [](Subject& s) { part_record_tiles(s); }},
      {"first-threads", on_block(leave_to_first_threads)},
      {"own-slots", on_block(make_slots_private)},
      {"read-through", [](Subject& s) { read_through(s, static_cast<GroupShape&>(s).block); }},
      {"walk-planes", [](Subject& s) { walk_planes(s, s, s); }},
      {"read-inside", [](Subject& s) { read_inside(s, s, loads_lines_slowly(s), s); }},
      {"optimise-lanes", [](Subject& s) { optimise_lanes(s, s, s, 0); }},
      {"fill-registers", [](Subject& s) { say(s, std::to_string(fill_registers(s, s, 512, s, s).lanes) + " lanes"); }},
      {"fit-teams", [](Subject& s) { say(s, std::to_string(fit_teams(s, s, s).lanes) + " lanes"); }},
      {"shuffled-tiles", [](Subject& s) { say(s, std::to_string(fit_shuffled_tiles(s, s, 256).lanes) + " lanes"); }},
      {"own-rows", [](Subject& s) { say(s, std::to_string(fit_own_rows(s, s, s, 256).lanes) + " lanes"); }},
      {"overlap-turns", [](Subject& s) { say(s, std::to_string(overlap_turns(s, s, s, s).lanes) + " lanes"); }},
      {"overlap-groups", [](Subject& s) { say(s, std::to_string(overlap_groups(s, s, s).lanes) + " lanes"); }},
      {"uniform-barriers",
       [](Subject& s) {
         isolate_points(s);
         say(s, why_barriers_diverge(s, BlockUniformity(s)));
       }},
      {"why-leaving-matters", [](Subject& s) { say(s, why_leaving_matters(s, BlockUniformity(s))); }},
      {"run-form", [](Subject& s) { erase_after(s, [&] { make_run_form(s, s, order_of_blocks(s, s)); }); }},
      {"run-inside", [](Subject& s) { run_part(s, BlockPart::Inside); }},
      {"run-edges", [](Subject& s) { run_part(s, BlockPart::Edges); }},
      {"lower-inner-atomics", on(lower_inner_atomics)},
      {"lane-loop", [](Subject& s) { erase_after(s, [&] { make_lane_loop(s); }); }},
      {"coroutine", [](Subject& s) { erase_after(s, [&] { make_coroutine(s); }); }},
      {"thread-engine", run_by_threads},
  };
}

std::function<void(Subject&)> kernel_pass(StringRef name, bool may_leave) {
  if (name == "shapes")
    return [may_leave](Subject& s) { Shapes(s, s, may_leave ? Leaving::IsIgnored : Leaving::Diverges).print(outs()); };
  static const auto passes = kernel_passes();
  const auto found = passes.find(name);
  return found == passes.end() ? nullptr : found->second;
}

}  // namespace lanza::compiler
