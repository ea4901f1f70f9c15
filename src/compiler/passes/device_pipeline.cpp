#include "compiler/passes/device_pipeline.hpp"

#include <memory>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LCSSA.h>

#include "compiler/passes/carry_stored.hpp"
#include "compiler/passes/choose_extrema.hpp"
#include "compiler/passes/clamp_choices.hpp"
#include "compiler/passes/clamp_conversions.hpp"
#include "compiler/passes/clamp_shifts.hpp"
#include "compiler/passes/contract.hpp"
#include "compiler/passes/dead_stores.hpp"
#include "compiler/passes/drop_expectations.hpp"
#include "compiler/passes/dynamic_allocas.hpp"
#include "compiler/passes/equal_turns.hpp"
#include "compiler/passes/extract_kernel.hpp"
#include "compiler/passes/fence_integers.hpp"
#include "compiler/passes/find_remainders.hpp"
#include "compiler/passes/flat_records.hpp"
#include "compiler/passes/float_ranges.hpp"
#include "compiler/passes/flush_denormals.hpp"
#include "compiler/passes/fold_reflect.hpp"
#include "compiler/passes/guard_division.hpp"
#include "compiler/passes/implicit_points.hpp"
#include "compiler/passes/indirect_calls.hpp"
#include "compiler/passes/join_equals.hpp"
#include "compiler/passes/join_extensions.hpp"
#include "compiler/passes/join_guards.hpp"
#include "compiler/passes/join_stores.hpp"
#include "compiler/passes/lower_asm_state.hpp"
#include "compiler/passes/lower_barriers.hpp"
#include "compiler/passes/many_loops.hpp"
#include "compiler/passes/nan_choices.hpp"
#include "compiler/passes/near_remainders.hpp"
#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/read_bools.hpp"
#include "compiler/passes/record_writes.hpp"
#include "compiler/passes/residue_turns.hpp"
#include "compiler/passes/rotate_loops.hpp"
#include "compiler/passes/saturate_conversions.hpp"
#include "compiler/passes/share_restrict.hpp"
#include "compiler/passes/shared_constants.hpp"
#include "compiler/passes/small_quotients.hpp"
#include "compiler/passes/translate_asm.hpp"
#include "compiler/passes/user_locations.hpp"
#include "compiler/passes/vector/scalars/align_tiles.hpp"
#include "compiler/passes/vector/scalars/ask_at_once.hpp"
#include "compiler/passes/vector/scalars/ask_in_front.hpp"
#include "compiler/passes/vector/scalars/bound_indices.hpp"
#include "compiler/passes/vector/scalars/bound_tables.hpp"
#include "compiler/passes/vector/scalars/choose_elements.hpp"
#include "compiler/passes/vector/scalars/choose_own_stores.hpp"
#include "compiler/passes/vector/scalars/close_gaps.hpp"
#include "compiler/passes/vector/scalars/close_ranks.hpp"
#include "compiler/passes/vector/scalars/first_threads.hpp"
#include "compiler/passes/vector/scalars/fold_block_dim.hpp"
#include "compiler/passes/vector/scalars/fold_rows.hpp"
#include "compiler/passes/vector/scalars/keep_sum_loops.hpp"
#include "compiler/passes/vector/scalars/launch_rings.hpp"
#include "compiler/passes/vector/scalars/long_ends.hpp"
#include "compiler/passes/vector/scalars/mark_unroll.hpp"
#include "compiler/passes/vector/scalars/own_slots.hpp"
#include "compiler/passes/vector/scalars/pad_rows.hpp"
#include "compiler/passes/vector/scalars/read_through.hpp"
#include "compiler/passes/vector/scalars/record_tiles.hpp"
#include "compiler/passes/vector/scalars/transpose_tiles.hpp"
#include "compiler/passes/window_loops.hpp"
#include "compiler/passes/won_swaps.hpp"
#include "compiler/passes/zero_choices.hpp"

using namespace llvm;

namespace lanza::compiler {

// A curated list: a third of the time of LLVM's own O2 simplification, with the same code for kernels. Textual
// instcombine checks its fixpoint and would end the process where it is not reached: no-verify-fixpoint.
static constexpr char kPromote[] = "sroa<modify-cfg>";
static constexpr char kDropCopies[] = "early-cse<memssa>";
static constexpr char kClean[] =
    "infer-address-spaces,simplifycfg,instcombine<no-verify-fixpoint>,correlated-propagation,simplifycfg,loop-simplify";
static constexpr char kRotate[] = "lcssa,loop-mssa(loop-rotate,licm),simplifycfg,instcombine<no-verify-fixpoint>";
// In functions of hundreds of loops nothing is lifted out of them: what LICM moves it takes through MemorySSA, past all
// loops in front of it (470 loops compiled in 3.2 to 3.6 s with it, in 1.6 to 2.1 without). Nor are counters
// simplified, for which each loop's conditions are held against those of all in front of it.
static constexpr char kRotated[] = "simplifycfg,instcombine<no-verify-fixpoint>";
static constexpr char kUnroll[] = "loop-simplify,lcssa,loop(indvars,loop-unroll-full)";
static constexpr char kUnrollOnly[] = "loop-simplify,lcssa,loop(loop-unroll-full)";
static constexpr char kNumber[] = "sroa<modify-cfg>,gvn";
static constexpr char kCombine[] = "lower-constant-intrinsics,instcombine<no-verify-fixpoint>";
static constexpr char kTidy[] = "simplifycfg,infer-address-spaces,loop-simplify,lcssa";

namespace {

struct BoundIndicesPass : PassInfoMixin<BoundIndicesPass> {
  std::string kernel;
  LaunchTest* test;
  bool again = false;

  PreservedAnalyses run(Function& f, FunctionAnalysisManager& analyses) const {
    if (f.getName() != kernel) return PreservedAnalyses::all();
    (again ? bound_indices_again : bound_indices)(f, analyses, *test);
    PreservedAnalyses preserved;
    preserved.preserveSet<CFGAnalyses>();
    return preserved;
  }
};

struct RecordTilesPass : PassInfoMixin<RecordTilesPass> {
  std::string kernel;

  PreservedAnalyses run(Function& f, FunctionAnalysisManager& /*analyses*/) const {
    const bool changed = f.getName() == kernel && part_record_tiles(f);
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

struct OwnSlotsPass : PassInfoMixin<OwnSlotsPass> {
  std::string kernel;
  BlockDim block;

  PreservedAnalyses run(Function& f, FunctionAnalysisManager& analyses) const {
    if (f.getName() != kernel || !make_slots_private(f, folded_block(*f.getParent(), block), analyses))
      return PreservedAnalyses::all();
    PreservedAnalyses preserved;
    preserved.preserveSet<CFGAnalyses>();
    return preserved;
  }
};

struct TransposeTilesPass : PassInfoMixin<TransposeTilesPass> {
  std::string kernel;
  BlockDim block;

  PreservedAnalyses run(Function& f, FunctionAnalysisManager& analyses) const {
    const bool changed = f.getName() == kernel && transpose_tiles(f, folded_block(*f.getParent(), block), analyses);
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

/// One pipeline, or a shorter one where a function has hundreds of loops.
struct LoopsPass : PassInfoMixin<LoopsPass> {
  std::shared_ptr<FunctionPassManager> usual, of_many_loops;

  LoopsPass(FunctionPassManager as_usual, FunctionPassManager for_many_loops)
      : usual(std::make_shared<FunctionPassManager>(std::move(as_usual))),
        of_many_loops(std::make_shared<FunctionPassManager>(std::move(for_many_loops))) {}

  PreservedAnalyses run(Function& f, FunctionAnalysisManager& analyses) const {
    return (has_many_loops(analyses.getResult<LoopAnalysis>(f)) ? of_many_loops : usual)->run(f, analyses);
  }
};

struct AlignTilesPass : PassInfoMixin<AlignTilesPass> {
  std::string kernel;
  BlockDim block;

  PreservedAnalyses run(Function& f, FunctionAnalysisManager& analyses) const {
    if (f.getName() != kernel || !align_tiles(f, folded_block(*f.getParent(), block), analyses))
      return PreservedAnalyses::all();
    PreservedAnalyses preserved;
    preserved.preserveSet<CFGAnalyses>();
    return preserved;
  }
};

struct PadRowsPass : PassInfoMixin<PadRowsPass> {
  std::string kernel;
  BlockDim block;

  PreservedAnalyses run(Function& f, FunctionAnalysisManager& analyses) const {
    const bool changed = f.getName() == kernel && pad_rows(f, folded_block(*f.getParent(), block), analyses);
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

struct ChooseOwnStoresPass : PassInfoMixin<ChooseOwnStoresPass> {
  std::string kernel;
  BlockDim block;

  PreservedAnalyses run(Function& f, FunctionAnalysisManager& /*analyses*/) const {
    if (f.getName() != kernel) return PreservedAnalyses::all();
    const BlockDim folded = folded_block(*f.getParent(), block);
    const bool asks_at_once = ask_at_once(f, folded);
    const bool changed = choose_own_stores(f, folded) || asks_at_once;
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

struct CloseRanksPass : PassInfoMixin<CloseRanksPass> {
  std::string kernel;
  BlockDim block;

  PreservedAnalyses run(Function& f, FunctionAnalysisManager& analyses) const {
    if (f.getName() != kernel) return PreservedAnalyses::all();
    const BlockDim folded = folded_block(*f.getParent(), block);
    const bool has_closed_gaps = close_gaps(f, folded);
    if (!close_ranks(f, folded, analyses) && !has_closed_gaps) return PreservedAnalyses::all();
    EarlyCSEPass(/*UseMemorySSA=*/false).run(f, analyses);  // indices that accesses share
    PreservedAnalyses preserved;
    preserved.preserveSet<CFGAnalyses>();
    return preserved;
  }
};

struct FirstThreadsPass : PassInfoMixin<FirstThreadsPass> {
  std::string kernel;
  BlockDim block;

  PreservedAnalyses run(Function& f, FunctionAnalysisManager& analyses) const {
    if (f.getName() != kernel || !leave_to_first_threads(f, folded_block(*f.getParent(), block), analyses))
      return PreservedAnalyses::all();
    PreservedAnalyses preserved;
    preserved.preserveSet<CFGAnalyses>();
    return preserved;
  }
};

struct ReadThroughPass : PassInfoMixin<ReadThroughPass> {
  std::string kernel;
  BlockDim block;

  PreservedAnalyses run(Function& f, FunctionAnalysisManager& /*analyses*/) const {
    if (f.getName() != kernel) return PreservedAnalyses::all();
    if (const auto axes = read_through(f, folded_block(*f.getParent(), block)))
      f.getParent()->addModuleFlag(Module::Max, kReadThrough, *axes | 8);
    return PreservedAnalyses::none();
  }
};

}  // namespace

static FunctionPassManager pipeline(PassBuilder& builder, StringRef text) {
  FunctionPassManager passes;
  cantFail(builder.parsePassPipeline(passes, text));
  return passes;
}

// Code that is soon replaced keeps its many loops as they are.
static LoopsPass rotate(PassBuilder& builder, bool is_quick) {
  FunctionPassManager of_many;
  if (!is_quick) {
    of_many.addPass(LCSSAPass());
    of_many.addPass(RotateLoopsPass());
  }
  of_many.addPass(pipeline(builder, kRotated));
  return {pipeline(builder, kRotate), std::move(of_many)};
}

// With a blockDim that is known barriers are unrolled, as the code will be split at them: elsewhere each costs a
// coroutine's frame a suspend point.
static std::unique_ptr<Module> simplify(Module& module, PassRunner& runner, const std::string& kernel,
                                        const std::optional<BlockDim>& block, bool wide) {
  const bool is_quick = module_flag(module, kQuick, 0) != 0;
  PassBuilder& builder = runner.builder();
  LaunchTest fits(*module.getFunction(kernel));
  FunctionPassManager passes;
  passes.addPass(FindRemaindersPass());
  passes.addPass(pipeline(builder, kClean));
  if (block && !wide) {
    passes.addPass(BoundIndicesPass{{}, kernel, &fits});
    passes.addPass(FindRemaindersPass());  // by arguments, which nothing guards from here on
  }
  passes.addPass(ClampChoicesPass());
  passes.addPass(JoinStoresPass());
  passes.addPass(ResidueTurnsPass());
  passes.addPass(WindowLoopsPass());
  passes.addPass(EqualTurnsPass());
  passes.addPass(rotate(builder, is_quick));
  if (block) passes.addPass(OwnSlotsPass{{}, kernel, *block});
  if (block) passes.addPass(RecordTilesPass{{}, kernel});
  if (block) passes.addPass(TransposeTilesPass{{}, kernel, *block});
  if (block && !wide) {
    passes.addPass(SimplifyCFGPass());  // guards of rotated loops that all threads pass
    passes.addPass(ReadThroughPass{{}, kernel, *block});
  }
  if (block) passes.addPass(PadRowsPass{{}, kernel, *block});
  if (block) passes.addPass(KeepSumLoopsPass());
  if (!is_quick) {
    if (block) passes.addPass(AskInFrontPass());
    if (block) passes.addPass(LongEndsPass());
    passes.addPass(MarkUnrollPass{{}, block.has_value()});
    passes.addPass(LoopsPass(pipeline(builder, kUnroll), pipeline(builder, kUnrollOnly)));
    passes.addPass(CarryStoredPass());
  }
  if (block) passes.addPass(ChooseElementsPass());
  if (block) passes.addPass(AlignTilesPass{{}, kernel, *block});
  passes.addPass(pipeline(builder, kNumber));
  passes.addPass(JoinEqualsPass());
  passes.addPass(JoinExtensionsPass());
  passes.addPass(JoinGuardsPass());
  passes.addPass(ZeroChoicesPass());  // what is known only now
  passes.addPass(NanChoicesPass());
  passes.addPass(ChooseExtremaPass());
  passes.addPass(FloatRangesPass());
  passes.addPass(SmallQuotientsPass());
  passes.addPass(FoldLaunchRingsPass());
  passes.addPass(NearRemaindersPass());
  passes.addPass(pipeline(builder, kCombine));
  passes.addPass(ClampChoicesPass());
  passes.addPass(ClampConversionsPass());
  passes.addPass(DeadStoresPass());
  passes.addPass(pipeline(builder, kTidy));
  if (block && !wide) passes.addPass(BoundIndicesPass{{}, kernel, &fits, /*again=*/true});
  if (block) passes.addPass(BoundTablesPass());
  if (block) passes.addPass(ChooseOwnStoresPass{{}, kernel, *block});
  if (block) passes.addPass(CloseRanksPass{{}, kernel, *block});
  if (block) passes.addPass(FirstThreadsPass{{}, kernel, *block});
  for (Function& f : module)
    if (!f.isDeclaration()) passes.run(f, runner.functions());
  runner.clear();
  return fits.take();
}

static void promote(Module& module, PassRunner& runner, bool notes_records) {
  FunctionPassManager passes;
  passes.addPass(FlatRecordsPass());
  passes.addPass(pipeline(runner.builder(), kPromote));
  passes.addPass(FlatRecordsPass{{}, 1, /*only_pays=*/true});
  if (notes_records) passes.addPass(NoteRecordWritesPass());
  passes.addPass(pipeline(runner.builder(), kDropCopies));
  for (Function& f : module)
    if (!f.isDeclaration()) passes.run(f, runner.functions());
  runner.clear();
}

std::unique_ptr<Module> run_device_pipeline(Module& module, const std::string& kernel, TargetMachine& device,
                                            const std::optional<BlockDim>& block, bool wide) {
  const bool debug = module_flag(module, "lanza.debug", 0) != 0;
  PassRunner runner(&device);
  {
    ModulePassManager passes;
    passes.addPass(TranslateAsmPass());
    passes.addPass(FoldReflectPass{{}, false});
    passes.addPass(LowerBarriersPass());
    passes.addPass(ShareRestrictPass());
    passes.addPass(IndirectCallsPass());
    passes.addPass(ExtractKernelPass{{}, kernel});
    passes.addPass(DynamicAllocasPass());
    if (block) passes.addPass(FoldBlockDimPass{{}, *block, wide});
    passes.addPass(SharedConstantsPass());
    passes.addPass(FenceIntegersPass());
    FunctionPassManager semantics;
    semantics.addPass(LowerAsmStatePass{{}, kernel});
    semantics.addPass(UserLocationsPass());
    semantics.addPass(DropExpectationsPass());
    semantics.addPass(ReadBoolsPass());
    semantics.addPass(GuardDivisionPass());
    semantics.addPass(ClampShiftsPass());
    semantics.addPass(SaturateConversionsPass());
    passes.addPass(createModuleToFunctionPassAdaptor(std::move(semantics)));
    runner.run(module, passes);
  }
  // Values pass through memory until here: products and sums meet only now.
  if (!debug) promote(module, runner, block.has_value());
  {
    FunctionPassManager passes;
    passes.addPass(ContractPass{{}, module_flag(module, "lanza.fmad", 1) != 0});
    if (module_flag(module, "lanza.ftz", 0)) passes.addPass(FlushDenormalsPass());
    passes.addPass(ZeroChoicesPass());
    passes.addPass(ChooseExtremaPass());  // a choice flushes nothing: what it chooses from is flushed by now
    ModulePassManager all;
    all.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
    runner.run(module, all);
  }
  if (!debug && block) {
    FunctionPassManager rows;
    rows.addPass(FoldRowsPass{{}, *block});
    rows.run(*module.getFunction(kernel), runner.functions());
    runner.clear();
  }
  std::unique_ptr<Module> fits;
  if (!debug) fits = simplify(module, runner, kernel, block, wide);
  ModulePassManager points;
  // A recursive function whose last call from elsewhere was simplified away still has callers; LLVM's call graph, and
  // so the split of coroutines, does not see it.
  points.addPass(GlobalDCEPass());
  if (!debug) points.addPass(createModuleToFunctionPassAdaptor(WonSwapsPass()));
  points.addPass(createModuleToFunctionPassAdaptor(ImplicitPointsPass{{}, debug}));
  runner.run(module, points);
  return fits;
}

}  // namespace lanza::compiler
