// lanza-opt: runs passes on textual IR and prints the result, for the FileCheck tests.
#include <map>

#include <llvm/IR/Dominators.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/codegen/host_pipeline.hpp"
#include "compiler/codegen/target.hpp"
#include "compiler/codegen/vector_engine.hpp"
#include "compiler/passes/choose_extrema.hpp"
#include "compiler/passes/clamp_shifts.hpp"
#include "compiler/passes/contract.hpp"
#include "compiler/passes/dead_stores.hpp"
#include "compiler/passes/device_pipeline.hpp"
#include "compiler/passes/dynamic_allocas.hpp"
#include "compiler/passes/extract_kernel.hpp"
#include "compiler/passes/fence_integers.hpp"
#include "compiler/passes/flush_denormals.hpp"
#include "compiler/passes/fold_reflect.hpp"
#include "compiler/passes/guard_division.hpp"
#include "compiler/passes/idle_extrema.hpp"
#include "compiler/passes/implicit_points.hpp"
#include "compiler/passes/indirect_calls.hpp"
#include "compiler/passes/inverse_roots.hpp"
#include "compiler/passes/join_equals.hpp"
#include "compiler/passes/lane_loop.hpp"
#include "compiler/passes/lower_asm_state.hpp"
#include "compiler/passes/lower_barriers.hpp"
#include "compiler/passes/lower_ptx.hpp"
#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/register_notes.hpp"
#include "compiler/passes/retarget.hpp"
#include "compiler/passes/saturate_conversions.hpp"
#include "compiler/passes/share_extensions.hpp"
#include "compiler/passes/shared_constants.hpp"
#include "compiler/passes/thread_engine.hpp"
#include "compiler/passes/translate_asm.hpp"
#include "compiler/passes/user_locations.hpp"
#include "compiler/passes/vector/analysis/barrier_masks.hpp"
#include "compiler/passes/vector/analysis/operation_times.hpp"
#include "compiler/passes/vector/analysis/shapes.hpp"
#include "compiler/passes/vector/analysis/uniform_barriers.hpp"
#include "compiler/passes/vector/analysis/warp_meetings.hpp"
#include "compiler/passes/vector/groups/gather_bound.hpp"
#include "compiler/passes/vector/groups/overlap_groups.hpp"
#include "compiler/passes/vector/groups/overlap_turns.hpp"
#include "compiler/passes/vector/groups/pair_blocks.hpp"
#include "compiler/passes/vector/groups/single_lane.hpp"
#include "compiler/passes/vector/groups/turn_axes.hpp"
#include "compiler/passes/vector/groups/whole_rows.hpp"
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
#include "compiler/passes/vector/run/inside_loops.hpp"
#include "compiler/passes/vector/run/join_groups.hpp"
#include "compiler/passes/vector/run/part_variables.hpp"
#include "compiler/passes/vector/run/run_form.hpp"
#include "compiler/passes/vector/run/settle_choices.hpp"
#include "compiler/passes/vector/run/share_loads.hpp"
#include "compiler/passes/vector/run/split_regions.hpp"
#include "compiler/passes/vector/run/split_sums.hpp"
#include "compiler/passes/vector/run/transpose_gathers.hpp"
#include "compiler/passes/vector/run/unroll_groups.hpp"
#include "compiler/passes/vector/run/walk_rows.hpp"
#include "compiler/passes/vector/run/wide_indices.hpp"
#include "compiler/passes/vector/scalars/edge_loads.hpp"
#include "compiler/passes/vector/scalars/fold_block_dim.hpp"
#include "compiler/passes/vector/scalars/fold_rings.hpp"
#include "compiler/passes/vector/scalars/hoist_invariants.hpp"
#include "compiler/passes/vector/scalars/known_equal.hpp"
#include "compiler/passes/vector/scalars/mark_unroll.hpp"
#include "compiler/passes/vector/scalars/narrow_bytes.hpp"
#include "compiler/passes/vector/scalars/own_counters.hpp"
#include "compiler/passes/vector/scalars/prefetch_steps.hpp"
#include "compiler/passes/vector/scalars/prepare_scalars.hpp"
#include "compiler/passes/vector/scalars/promote_sums.hpp"
#include "compiler/passes/vector/scalars/prove_no_wrap.hpp"
#include "compiler/passes/vector/scalars/read_through.hpp"
#include "compiler/passes/vector/scalars/share_butterflies.hpp"
#include "compiler/passes/vector/scalars/split_steps.hpp"
#include "compiler/passes/vector/scalars/split_strided_loops.hpp"
#include "compiler/passes/vector/scalars/turn_grid_loops.hpp"
#include "compiler/passes/vector/scalars/unroll_row_loops.hpp"
#include "compiler/passes/vector/scalars/version_blocks.hpp"
#include "compiler/passes/vector/scalars/version_guards.hpp"
#include "compiler/passes/vector/scalars/version_quotients.hpp"
#include "compiler/passes/vector/scalars/version_records.hpp"
#include "compiler/passes/vector/scalars/version_row_stores.hpp"
#include "compiler/passes/vector/scalars/version_strides.hpp"
#include "compiler/passes/vector/scalars/version_sums.hpp"
#include "compiler/passes/vector/widen/blend_stores.hpp"
#include "compiler/passes/vector/widen/keep_records.hpp"
#include "compiler/passes/vector/widen/leave_beyond_block.hpp"
#include "compiler/passes/vector/widen/linearise.hpp"
#include "compiler/passes/vector/widen/record_shuffles.hpp"
#include "compiler/passes/vector/widen/transpose_private.hpp"
#include "compiler/passes/vector/widen/widen.hpp"
#include "compiler/passes/window_loops.hpp"
#include "compiler/passes/zero_choices.hpp"

using namespace llvm;
using namespace lanza::compiler;

static cl::opt<std::string> input(cl::Positional, cl::desc("<input>"), cl::init("-"));
static cl::opt<std::string> pipeline("passes",
                                     cl::desc("passes of Lanza, or of LLVM as 'llvm(...)', separated by commas"));
static cl::opt<std::string> kernel("kernel", cl::desc("the kernel's symbol"));
static cl::opt<std::string> target("target", cl::desc("CPU of the host code"), cl::init("x86-64-v3"));
static cl::opt<bool> ptx("ptx", cl::desc("fold-reflect: code for a GPU"));
static cl::opt<bool> no_fmad("no-fmad", cl::desc("contract: fuse nothing"));
static cl::opt<unsigned> lanes("lanes", cl::desc("vector engine: lanes of a group"), cl::init(8));
static cl::list<unsigned> block("block", cl::CommaSeparated, cl::desc("vector engine: blockDim"));
static cl::opt<bool> may_leave("may-leave", cl::desc("shapes: threads that leave do not part from the others"));
static cl::opt<bool> generic("generic", cl::desc("implicit-points: unoptimised code"));

namespace {

/// A pass by its name. Those that are functions of the pipeline, not LLVM passes, are called in place.
class Driver {
 public:
  Driver(Module& module, TargetMachine& host, TargetMachine& device) : module_(module), host_(host), device_(device) {}

  bool run(StringRef name) {
    if (name.consume_front("llvm(") && name.consume_back(")")) {
      PassRunner(&device_).run_on_functions(module_, name);
      return true;
    }
    ModulePassManager passes;
    if (add_module_pass(passes, name) || add_function_pass(passes, name)) {
      PassRunner(&device_).run(module_, passes);
      return true;
    }
    if (name == "drop-fences") return drop_fences(module_), true;
    if (name == "name-inverse-roots") return name_inverse_roots(module_, host_), true;
    if (name == "lower-inverse-roots") return lower_inverse_roots(module_), true;
    if (name == "register-notes") return for_each(module_.functions(), keep_notes_in_registers), true;
    if (name == "skip-idle-extrema") return for_each(module_.functions(), skip_idle_extrema), true;
    Function* f = module_.getFunction(kernel);
    if (name == "leave-beyond-block" && f) return leave_beyond_block(*f, group_), true;
    if (name == "prepare-control" && f) return prepare_control(*f, group_), true;
    if (name == "share-butterflies" && f) return share_butterflies(*f, group_), true;
    if (name == "unroll-row-loops" && f) {
      PassRunner runner(&host_);
      return unroll_row_loops(*f, group_, runner.functions()), true;
    }
    if (name == "known-equal" && f) {
      DominatorTree dominators(*f);
      return use_known_equals(*f, dominators), true;
    }
    if (name == "turn-axes" && f) return turn_axes(*f, group_), true;
    if (name == "turn-grid-loops" && f) return turn_grid_loops(*f, group_), true;
    if (name == "pair-blocks" && f) {
      isolate_points(*f);
      return pair_blocks(*f, group_, false), true;
    }
    if (name == "read-through" && f) return read_through(*f, group_.block), true;
    if (name == "whole-rows" && f) return take_whole_rows(*f, group_), true;
    if (name == "linearise" && f) return linearise(*f, group_), true;
    if (name == "blend-stores" && f) return blend_stores(*f, group_), true;
    if (name == "version-records" && f) return version_records(*f, group_), true;
    if (name == "version-quotients" && f) return version_quotients(*f, group_), true;
    if (name == "version-strides" && f) return version_strides(*f, group_), true;
    if (name == "transpose-private" && f) return transpose_private(*f, group_), true;
    if (name == "widen" && f) return widen(*f, group_), true;
    if (name == "join-groups" && f) return join_groups(*f, group_, host_), true;
    if (name == "keep-records" && f) return keep_records(*f, host_.getTargetTransformInfo(*f)), true;
    if (name == "lower-record-shuffles" && f) return lower_record_shuffles(*f), true;
    if (name == "own-counters" && f) return own_counters(*f), true;
    if (name == "settle-choices" && f) return settle_choices(*f), true;
    if (name == "split-masked-stores" && f) return split_masked_stores(*f, host_.getTargetTransformInfo(*f)), true;
    if (name == "share-extensions" && f) return share_extensions(*f, host_.getTargetTransformInfo(*f)), true;
    if (name == "unroll-tiny-groups" && f) {
      PassRunner runner(&host_);
      return unroll_tiny_groups(*f, runner.functions()), true;
    }
    if (name == "mask-counts" && f) return mask_counts(*f, host_), true;
    if (name == "carry-masks" && f) return carry_masks(*f, host_), true;
    if (name == "split-masks" && f) return split_masks(*f, host_.getTargetTransformInfo(*f)), true;
    if (name == "branch-masked-stores" && f) return branch_masked_stores(*f, host_.getTargetTransformInfo(*f)), true;
    if (name == "keep-blends" && f) return keep_blends(*f, host_.getTargetTransformInfo(*f)), true;
    if (name == "compare-floats" && f) return compare_floats(*f), true;
    if (name == "lane-accesses" && f) return expand_lane_accesses(*f, host_.getTargetTransformInfo(*f)), true;
    if (name == "masked-bytes" && f) return expand_masked_bytes(*f, host_.getTargetTransformInfo(*f)), true;
    if (name == "drop-slot-copies") return drop_slot_copies(*module_.getFunction("run")), true;
    if (name == "split-sums" && f) return split_sums(*f, host_.getTargetTransformInfo(*f)), true;
    if (name == "transpose-gathers" && f) return transpose_gathers(*f), true;
    if (name == "expand-min-max" && f) return expand_min_max(*f), true;
    if (name == "extract-words" && f) return extract_words(*f), true;
    if (name == "shapes" && f)
      return Shapes(*f, group_, may_leave ? Leaving::IsIgnored : Leaving::Diverges).print(outs()), true;
    if (name == "edge-loads" && f) return edge_loads(*f, group_), true;
    if (name == "prefetch-steps" && f) {
      PassRunner runner(&host_);
      auto& analyses = runner.functions();
      return prefetch_steps(*f, group_, analyses.getResult<LoopAnalysis>(*f),
                            analyses.getResult<DominatorTreeAnalysis>(*f),
                            analyses.getResult<ScalarEvolutionAnalysis>(*f)),
             true;
    }
    if (name == "split-steps" && f) {
      PassRunner runner(&host_);
      return split_steps(*f, group_, runner.functions().getResult<LoopAnalysis>(*f)), true;
    }
    if (name == "order-loads" && f) {
      PassRunner runner(&host_);
      return order_loads(*f, runner.functions().getResult<AAManager>(*f), host_.getTargetTransformInfo(*f)), true;
    }
    if (name == "window-loads" && f) {
      PassRunner runner(&host_);
      return shift_windows(*f, runner.functions().getResult<AAManager>(*f)), true;
    }
    if (name == "near-gathers" && f) return split_near_gathers(*f, host_), true;
    if (name == "carry-quotients" && f) {
      PassRunner runner(&host_);
      return carry_quotients(*f, runner.functions()), true;
    }
    if (name == "walk-rows" && f) return walk_rows(*f), true;
    if (name == "version-blocks" && f) return version_blocks(*f), true;
    if (name == "version-guards" && f) return version_guards(*f, group_), true;
    if (name == "update-addresses" && f) return compute_update_addresses(*f), true;
    if (name == "narrow-lanes" && f) return narrow_lanes(*f), true;
    if (name == "spanning-loads" && f) return split_spanning_loads(*f, is_wide_core(host_)), true;
    if (name == "part-variables" && f) return part_variables(*f), true;
    if (name == "narrow-masks" && f) return narrow_masks(*f), true;
    if (name == "narrow-bytes" && f) return narrow_bytes(*f, group_), true;
    if (name == "bound-lane-loops" && f) {
      PassRunner runner(&host_);
      auto& analyses = runner.functions();
      return bound_lane_loops(analyses.getResult<LoopAnalysis>(*f), analyses.getResult<ScalarEvolutionAnalysis>(*f)),
             true;
    }
    if (name == "inside-loops" && f) {
      PassRunner runner(&host_);
      auto& analyses = runner.functions();
      return make_inside_loops(analyses.getResult<LoopAnalysis>(*f), analyses.getResult<ScalarEvolutionAnalysis>(*f),
                               analyses.getResult<DominatorTreeAnalysis>(*f), is_wide_core(host_)),
             true;
    }
    if (name == "carry-taps" && f) {
      PassRunner runner(&host_);
      auto& analyses = runner.functions();
      return carry_taps(analyses.getResult<LoopAnalysis>(*f), analyses.getResult<ScalarEvolutionAnalysis>(*f)), true;
    }
    if (name == "share-loads" && f) {
      PassRunner runner(&host_);
      auto& analyses = runner.functions();
      return share_loads(analyses.getResult<LoopAnalysis>(*f), analyses.getResult<DominatorTreeAnalysis>(*f),
                         host_.getTargetTransformInfo(*f)),
             true;
    }
    if (name == "drop-idle-lane-loops" && f) {
      PassRunner runner(&host_);
      auto& analyses = runner.functions();
      return drop_idle_lane_loops(analyses.getResult<DominatorTreeAnalysis>(*f), analyses.getResult<LoopAnalysis>(*f),
                                  analyses.getResult<ScalarEvolutionAnalysis>(*f)),
             true;
    }
    if (name == "reduce-late" && f) {
      PassRunner runner(&host_);
      return reduce_late(runner.functions().getResult<LoopAnalysis>(*f), *f), true;
    }
    if (name == "wide-indices" && f) {
      PassRunner runner(&host_);
      return widen_indices(*f, runner.functions().getResult<LoopAnalysis>(*f)), true;
    }
    if (name == "hoist-invariants" && f) {
      PassRunner runner(&host_);
      return hoist_invariants(*f, runner.functions().getResult<LoopAnalysis>(*f)), true;
    }
    if (name == "promote-sums" && f) {
      PassRunner runner(&host_);
      return promote_sums(*f, group_, runner), true;
    }
    if (name == "version-row-stores" && f) {
      PassRunner runner(&host_);
      return version_row_stores(*f, group_, runner), true;
    }
    if (name == "prove-no-wrap" && f) {
      PassRunner runner(&host_);
      auto& analyses = runner.functions();
      return prove_no_wrap(*f, analyses.getResult<ScalarEvolutionAnalysis>(*f),
                           analyses.getResult<DominatorTreeAnalysis>(*f)),
             true;
    }
    if (name == "fold-rings" && f) {
      PassRunner runner(&host_);
      return fold_rings(*f, group_, runner), true;
    }
    if (name == "version-sums" && f) {
      PassRunner runner(&host_);
      return version_sums(*f, group_, runner.functions().getResult<ScalarEvolutionAnalysis>(*f)), true;
    }
    if (name == "split-strided-loops" && f) return split_strided_loops(*f, group_), true;
    if (name == "single-lane") return ask_single_lanes(module_), true;
    if (name == "prepare-scalars" && f) {
      PassRunner runner(&host_);
      return prepare_scalars(*f, group_, runner), true;
    }
    if (name == "device-pipeline") return run_device_pipeline(module_, kernel, device_, block_dim()), true;
    if (name == "lane-loop" && f) {
      make_lane_loop(*f);
      f->eraseFromParent();
      return true;
    }
    if (name == "uniform-barriers" && f) {
      isolate_points(*f);
      return say(*f, why_barriers_diverge(*f, BlockUniformity(*f))), true;
    }
    if (name == "why-leaving-matters" && f) return say(*f, why_leaving_matters(*f, BlockUniformity(*f))), true;
    if (name == "barrier-masks" && f) return say(*f, why_empty_groups_meet(*f)), true;
    if (name == "gather-bound" && f) return say(*f, why_gathers_bind(*f, group_)), true;
    if (name == "warp-meetings" && f) return say(*f, why_warps_part(*f, group_)), true;
    if (name == "run-form" && f) {
      make_run_form(*f, group_);
      f->eraseFromParent();
      return true;
    }
    if (name == "overlap-turns" && f) {
      const unsigned n = overlap_turns(*f, group_, host_.getTargetTransformInfo(*f)).lanes;
      return outs() << "; " << f->getName() << ": " << n << " lanes\n", true;
    }
    if (name == "overlap-groups" && f) {
      const unsigned n = overlap_groups(*f, group_, host_).lanes;
      return outs() << "; " << f->getName() << ": " << n << " lanes\n", true;
    }
    if (name == "build-groups" && f) return build_groups(*f, group_, host_), true;
    Function* run = module_.getFunction("run");
    if (name == "optimise-lanes" && run) return optimise_lanes(module_, *run, host_, 0), true;
    if ((name == "coroutine" || name == "thread-engine") && f) {
      ThreadEngine engine = make_coroutine(*f);
      f->eraseFromParent();
      if (name == "coroutine") return true;
      PassRunner runner(&host_);
      runner.run_on_functions(module_, "sroa<modify-cfg>");
      split_coroutines(module_, engine, runner);
      make_thread_runner(module_, engine);
      return true;
    }
    return false;
  }

 private:
  static void say(Function& f, const Reason& why) {
    outs() << "; " << f.getName() << ": " << (why.words.empty() ? "proved" : why.words) << '\n';
  }

  /// -lanes=0: the whole block as one group.
  static GroupShape chosen_group() {
    std::array<unsigned, 3> size{256, 1, 1};
    std::copy(block.begin(), block.end(), size.begin());
    return lanes == 0 ? GroupShape::whole_block(size) : GroupShape::of(lanes, size);
  }

  static std::optional<BlockDim> block_dim() {
    if (block.empty()) return std::nullopt;
    BlockDim dim = {1, 1, 1};
    std::copy_n(block.begin(), std::min<size_t>(block.size(), 3), dim.begin());
    return dim;
  }

  bool add_module_pass(ModulePassManager& passes, StringRef name) {
    if (name == "extract-kernel")
      passes.addPass(ExtractKernelPass{{}, kernel});
    else if (name == "dynamic-allocas")
      passes.addPass(DynamicAllocasPass());
    else if (name == "fence-integers")
      passes.addPass(FenceIntegersPass());
    else if (name == "fold-block-dim")
      passes.addPass(FoldBlockDimPass{{}, block_dim().value_or(BlockDim{1, 1, 1})});
    else if (name == "fold-reflect")
      passes.addPass(FoldReflectPass{{}, ptx});
    else if (name == "indirect-calls")
      passes.addPass(IndirectCallsPass());
    else if (name == "lower-barriers")
      passes.addPass(LowerBarriersPass());
    else if (name == "shared-constants")
      passes.addPass(SharedConstantsPass());
    else if (name == "lower-ptx")
      passes.addPass(LowerPtxPass{{}, 90});
    else if (name == "translate-asm")
      passes.addPass(TranslateAsmPass());
    else if (name == "retarget")
      passes.addPass(RetargetPass{{}, &host_});
    else
      return false;
    return true;
  }

  bool add_function_pass(ModulePassManager& passes, StringRef name) {
    auto add = [&](auto pass) { passes.addPass(createModuleToFunctionPassAdaptor(std::move(pass))); };
    if (name == "clamp-shifts")
      add(ClampShiftsPass());
    else if (name == "choose-extrema")
      add(ChooseExtremaPass());
    else if (name == "zero-choices")
      add(ZeroChoicesPass());
    else if (name == "contract")
      add(ContractPass{{}, !no_fmad});
    else if (name == "dead-stores")
      add(DeadStoresPass());
    else if (name == "flush-denormals")
      add(FlushDenormalsPass());
    else if (name == "guard-division")
      add(GuardDivisionPass());
    else if (name == "implicit-points")
      add(ImplicitPointsPass{{}, generic});
    else if (name == "window-loops")
      add(WindowLoopsPass());
    else if (name == "join-equals")
      add(JoinEqualsPass());
    else if (name == "lower-asm-state")
      add(LowerAsmStatePass{{}, kernel});
    else if (name == "mark-unroll")
      add(MarkUnrollPass{{}, !block.empty()});
    else if (name == "saturate-conversions")
      add(SaturateConversionsPass());
    else if (name == "user-locations")
      add(UserLocationsPass());
    else
      return false;
    return true;
  }

  Module& module_;
  TargetMachine &host_, &device_;
  GroupShape group_ = chosen_group();
};

int complain(const Twine& words) {
  errs() << "lanza-opt: " << words << '\n';
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  cl::ParseCommandLineOptions(argc, argv, "runs Lanza's passes on IR\n");
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseIRFile(input, diagnostic, context);
  if (!module) {
    diagnostic.print(argv[0], errs());
    return 1;
  }
  std::string error;
  auto device = device_machine(90, 0, error);
  auto host = device ? host_machine(target, true, error) : nullptr;
  if (!host) return complain(error);
  Driver driver(*module, *host, *device);
  SmallVector<StringRef, 8> names;
  // Commas inside parentheses belong to LLVM's pipelines.
  for (size_t i = 0, begin = 0, depth = 0; i <= pipeline.size(); ++i) {
    const char c = i < pipeline.size() ? pipeline[i] : ',';
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c != ',' || depth != 0) continue;
    names.push_back(StringRef(pipeline).slice(begin, i));
    begin = i + 1;
  }
  for (StringRef name : names)
    if (!driver.run(name)) return complain("unknown pass '" + name + "' (or it needs -kernel)");
  if (verifyModule(*module, &errs())) return complain("the result is malformed");
  module->print(outs(), nullptr);
  return 0;
}
