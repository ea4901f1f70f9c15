#include "compiler/passes/vector/scalars/prepare_scalars.hpp"

#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/vector/analysis/processors.hpp"
#include "compiler/passes/vector/scalars/alone_atomics.hpp"
#include "compiler/passes/vector/scalars/choose_values.hpp"
#include "compiler/passes/vector/scalars/clamps_behind_guards.hpp"
#include "compiler/passes/vector/scalars/edge_loads.hpp"
#include "compiler/passes/vector/scalars/exit_questions.hpp"
#include "compiler/passes/vector/scalars/exit_values.hpp"
#include "compiler/passes/vector/scalars/flat_indices.hpp"
#include "compiler/passes/vector/scalars/follow_barriers.hpp"
#include "compiler/passes/vector/scalars/hoist_invariants.hpp"
#include "compiler/passes/vector/scalars/join_turns.hpp"
#include "compiler/passes/vector/scalars/join_ways.hpp"
#include "compiler/passes/vector/scalars/keep_rows.hpp"
#include "compiler/passes/vector/scalars/load_by_ways.hpp"
#include "compiler/passes/vector/scalars/narrow_bytes.hpp"
#include "compiler/passes/vector/scalars/own_counters.hpp"
#include "compiler/passes/vector/scalars/prefetch_blocks.hpp"
#include "compiler/passes/vector/scalars/prefetch_steps.hpp"
#include "compiler/passes/vector/scalars/promote_sums.hpp"
#include "compiler/passes/vector/scalars/prove_no_wrap.hpp"
#include "compiler/passes/vector/scalars/read_inside.hpp"
#include "compiler/passes/vector/scalars/settle_waits.hpp"
#include "compiler/passes/vector/scalars/skip_margins.hpp"
#include "compiler/passes/vector/scalars/split_copies.hpp"
#include "compiler/passes/vector/scalars/split_row_loops.hpp"
#include "compiler/passes/vector/scalars/split_steps.hpp"
#include "compiler/passes/vector/scalars/split_strided_loops.hpp"
#include "compiler/passes/vector/scalars/store_words.hpp"
#include "compiler/passes/vector/scalars/uniform_places.hpp"
#include "compiler/passes/vector/scalars/unroll_row_loops.hpp"
#include "compiler/passes/vector/scalars/version_blocks.hpp"
#include "compiler/passes/vector/scalars/version_diagonals.hpp"
#include "compiler/passes/vector/scalars/version_guards.hpp"
#include "compiler/passes/vector/scalars/version_quotients.hpp"
#include "compiler/passes/vector/scalars/version_records.hpp"
#include "compiler/passes/vector/scalars/version_row_stores.hpp"
#include "compiler/passes/vector/scalars/version_strides.hpp"
#include "compiler/passes/vector/scalars/version_sums.hpp"
#include "compiler/passes/vector/scalars/whole_words.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr char kKeepApart[] = "early-cse,loop-simplify,lcssa";

// Whether no tile is left in the copy for blocks inside.
static bool version_blocks_without_tile(Function& kernel, const GroupShape& group, bool asks_few, PassRunner& runner,
                                        const TargetMachine& host) {
  if (!version_blocks(kernel, group, asks_few)) return false;
  runner.run(kernel, kTidyScalars);
  const bool reads = read_inside(kernel, group, loads_lines_slowly(host), runner);
  if (reads) runner.run(kernel, kTidyScalars);
  runner.clear();
  return reads;
}

// Guards of few threads, and those that all answer alike, are asked for the block only if then no tile is left.
static void version_for_blocks(Function& kernel, const GroupShape& group, PassRunner& runner,
                               const TargetMachine& host) {
  const bool may_read = may_read_inside(kernel, runner.functions().getResult<LoopAnalysis>(kernel));
  runner.clear();
  if (!may_read) {
    if (version_blocks(kernel, group)) runner.run(kernel, kTidyScalars);
    return;
  }
  ValueToValueMapTy map;
  Function* trial = CloneFunction(&kernel, map);
  PassRunner own(nullptr);
  const bool asks_few = version_blocks_without_tile(*trial, group, true, own, host);
  trial->eraseFromParent();
  version_blocks_without_tile(kernel, group, asks_few, runner, host);
}

void prepare_scalars(Function& kernel, const GroupShape& group, PassRunner& runner, const TargetMachine& host) {
  if (skip_margins(kernel, group)) runner.run(kernel, kTidyScalars);
  if (choose_values(kernel) | join_ways(kernel, group)) runner.clear();
  if (use_uniform_places(kernel, group, runner.functions().getResult<DominatorTreeAnalysis>(kernel)))
    runner.run(kernel, "early-cse");
  hoist_invariants(kernel, runner.functions().getResult<LoopAnalysis>(kernel));
  prove_no_wrap(kernel, runner.functions().getResult<ScalarEvolutionAnalysis>(kernel),
                runner.functions().getResult<DominatorTreeAnalysis>(kernel));
  if (ask_at_exits(kernel, runner.functions().getResult<LoopAnalysis>(kernel),
                   runner.functions().getResult<DominatorTreeAnalysis>(kernel),
                   runner.functions().getResult<ScalarEvolutionAnalysis>(kernel)))
    runner.run(kernel, "early-cse");
  runner.clear();
  if (narrow_bytes(kernel, group)) runner.run(kernel, kTidyScalars);
  if (has_sync(kernel) && !group.whole_rows) version_for_blocks(kernel, group, runner, host);
  if (number_flat_threads(kernel, group)) {
    runner.clear();
    runner.run(kernel, "early-cse");
  }
  if (clamp_behind_guards(kernel, runner.functions().getResult<DominatorTreeAnalysis>(kernel))) {
    runner.clear();
    runner.run(kernel, "correlated-propagation");
    runner.run(kernel, kTidyScalars);
  }
  runner.clear();
  if (version_quotients(kernel, group)) runner.run(kernel, kTidyScalars);
  if (version_guards(kernel, group)) runner.run(kernel, kTidyScalars);
  const bool follows = follow_barriers(kernel, group);
  if (version_strides(kernel, group) || follows) runner.run(kernel, kTidyScalars);
  runner.clear();
  if (join_turns(kernel, group, runner, host)) runner.run(kernel, kTidyScalars);
  runner.clear();
  if (split_strided_loops(kernel, group)) runner.run(kernel, kTidyScalars);
  runner.clear();
  runner.run(kernel, "loop-simplify,lcssa");
  if (group.lanes > 1 && compute_exit_values(kernel, group, runner, host)) runner.clear();
  if (promote_sums(kernel, group, runner)) runner.run(kernel, kTidyScalars);
  runner.clear();
  if (group.lanes > 1 && version_diagonals(kernel, group, runner)) runner.run(kernel, kTidyScalars);
  runner.clear();
  if (group.lanes > 1 && split_row_loops(kernel, group, runner)) runner.run(kernel, kTidyScalars);
  runner.clear();
  if (version_row_stores(kernel, group, runner)) runner.run(kernel, kTidyScalars);
  runner.clear();
  if (split_copies(kernel, group) | version_records(kernel, group)) runner.run(kernel, kKeepApart);
  // From here on no combination of instructions: it would join again what loads of neighbours and gathers are made of.
  if (load_by_ways(kernel, group)) runner.run(kernel, kKeepApart);
  if (edge_loads(kernel, group)) {
    runner.run(kernel, kKeepApart);
    prove_steps_back(kernel);
  }
  runner.clear();
  runner.run(kernel, "loop-simplify,lcssa");
  const bool versions = version_sums(kernel, group, runner.functions().getResult<ScalarEvolutionAnalysis>(kernel));
  runner.clear();
  if (versions) runner.run(kernel, kKeepApart);
  // Then members of records are seen where sums of 32 bits hid them.
  if (versions && (split_copies(kernel, group) | version_records(kernel, group))) runner.run(kernel, kKeepApart);
  // Steps, too.
  if (split_steps(kernel, group, runner.functions().getResult<LoopAnalysis>(kernel))) runner.clear();
  if (use_known_places(kernel, group, runner.functions().getResult<DominatorTreeAnalysis>(kernel)))
    runner.run(kernel, kKeepApart);
  if (load_whole_words(kernel, group) | store_whole_words(kernel, group)) runner.run(kernel, kKeepApart);
  if (group.lanes > 1 && keep_rows(kernel, group, runner)) {
    runner.clear();
    runner.run(kernel, kKeepApart);
  }
  if (unroll_row_loops(kernel, group, runner.functions())) {
    runner.clear();
    runner.run(kernel, kKeepApart);
  }
  runner.clear();
  auto& analyses = runner.functions();
  prefetch_steps(kernel, group, analyses.getResult<LoopAnalysis>(kernel),
                 analyses.getResult<DominatorTreeAnalysis>(kernel), analyses.getResult<ScalarEvolutionAnalysis>(kernel),
                 host);
  prefetch_blocks(kernel, group, analyses.getResult<LoopAnalysis>(kernel), host);
  runner.clear();
  own_counters(kernel);
  if (!has_waits(kernel) && !has_sync(kernel, LANZA_SYNC_GRID)) ask_whether_alone(kernel);
}

}  // namespace lanza::compiler
