// lanza-opt: runs passes on textual IR and prints the result, for the FileCheck tests.
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/codegen/kernel_object.hpp"
#include "compiler/codegen/target.hpp"
#include "compiler/passes/carry_stored.hpp"
#include "compiler/passes/choose_extrema.hpp"
#include "compiler/passes/clamp_choices.hpp"
#include "compiler/passes/clamp_conversions.hpp"
#include "compiler/passes/clamp_shifts.hpp"
#include "compiler/passes/contract.hpp"
#include "compiler/passes/copied_functions.hpp"
#include "compiler/passes/dead_stores.hpp"
#include "compiler/passes/device_pipeline.hpp"
#include "compiler/passes/directed_sums.hpp"
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
#include "compiler/passes/half_tiles.hpp"
#include "compiler/passes/idle_extrema.hpp"
#include "compiler/passes/implicit_points.hpp"
#include "compiler/passes/indirect_calls.hpp"
#include "compiler/passes/inverse_roots.hpp"
#include "compiler/passes/join_equals.hpp"
#include "compiler/passes/join_extensions.hpp"
#include "compiler/passes/join_guards.hpp"
#include "compiler/passes/join_stores.hpp"
#include "compiler/passes/lower_asm_state.hpp"
#include "compiler/passes/lower_barriers.hpp"
#include "compiler/passes/lower_ptx.hpp"
#include "compiler/passes/nan_choices.hpp"
#include "compiler/passes/near_remainders.hpp"
#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/read_bools.hpp"
#include "compiler/passes/record_writes.hpp"
#include "compiler/passes/register_notes.hpp"
#include "compiler/passes/residue_turns.hpp"
#include "compiler/passes/retarget.hpp"
#include "compiler/passes/rotate_loops.hpp"
#include "compiler/passes/saturate_conversions.hpp"
#include "compiler/passes/share_restrict.hpp"
#include "compiler/passes/shared_constants.hpp"
#include "compiler/passes/short_launches.hpp"
#include "compiler/passes/small_quotients.hpp"
#include "compiler/passes/translate_asm.hpp"
#include "compiler/passes/user_locations.hpp"
#include "compiler/passes/vector/analysis/erased_values.hpp"
#include "compiler/passes/vector/groups/grid_turns.hpp"
#include "compiler/passes/vector/groups/single_lane.hpp"
#include "compiler/passes/vector/scalars/ask_in_front.hpp"
#include "compiler/passes/vector/scalars/bound_indices.hpp"
#include "compiler/passes/vector/scalars/bound_tables.hpp"
#include "compiler/passes/vector/scalars/choose_elements.hpp"
#include "compiler/passes/vector/scalars/fold_block_dim.hpp"
#include "compiler/passes/vector/scalars/fold_rows.hpp"
#include "compiler/passes/vector/scalars/keep_sum_loops.hpp"
#include "compiler/passes/vector/scalars/launch_rings.hpp"
#include "compiler/passes/vector/scalars/launch_test.hpp"
#include "compiler/passes/vector/scalars/long_ends.hpp"
#include "compiler/passes/vector/scalars/mark_unroll.hpp"
#include "compiler/passes/window_loops.hpp"
#include "compiler/passes/won_swaps.hpp"
#include "compiler/passes/zero_choices.hpp"

#include "compiler/tools/kernel_passes.hpp"

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
    return run_on_module(name) || run_on_kernel(name);
  }

 private:
  bool run_on_module(StringRef name) {
    if (name == "drop-fences") return drop_fences(module_), true;
    if (name == "name-inverse-roots") return name_inverse_roots(module_, host_), true;
    if (name == "lower-inverse-roots") return lower_inverse_roots(module_), true;
    if (name == "name-directed-sums") return name_directed_sums(module_), true;
    if (name == "lower-directed-sums") return lower_directed_sums(module_), true;
    if (name == "register-notes") return for_each(module_.functions(), keep_notes_in_registers), true;
    if (name == "skip-idle-extrema") return for_each(module_.functions(), skip_idle_extrema), true;
    if (name == "copied-functions") return simplify_copied(), true;
    if (name == "single-lane") return ask_single_lanes(module_), true;
    if (name == "device-pipeline") return link(run_device_pipeline(module_, kernel, device_, block_dim())), true;
    if (name == "grid-turns")
      return link(make_grid_turns(*module_.getFunction(kernel), group_.block[0]), kBlocks), true;
    if (name == "short-launches") return ask_whether_short(*module_.getFunction(kernel)), true;
    if (name.starts_with("bound-indices") && module_.getFunction(kernel))
      return bound(*module_.getFunction(kernel), name.ends_with("-again")), true;
    return false;
  }

  void simplify_copied() {
    PassRunner runner(&device_);
    CopiedFunctions copied(module_, runner.functions(), 2);
    for (Function& f : module_) copied.simplify(f);
  }

  void ask_whether_short(Function& function) {
    PassRunner runner(nullptr);
    link(ask_short_launches(function, group_.block, runner.functions()));
  }

  void bound(Function& function, bool again) {
    PassRunner runner(&device_);
    LaunchTest test(function);
    (again ? bound_indices_again : bound_indices)(function, runner.functions(), test);
    link(test.take());
  }

  void link(std::unique_ptr<Module> question, StringRef function = kFits) {
    if (question) add_question(module_, std::move(question), function);
  }

  // On `run`, where an earlier pass made it of the kernel.
  bool run_on_kernel(StringRef name) {
    Function* function = module_.getFunction(kernel);
    if (!function) function = module_.getFunction("run");
    const auto pass = kernel_pass(name, may_leave);
    if (!pass || !function) return false;
    Subject subject(*function, group_, host_);
    pass(subject);
    return true;
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
    else if (name == "share-restrict")
      passes.addPass(ShareRestrictPass());
    else if (name == "half-tiles")
      passes.addPass(HalfTilesPass());
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
    if (name == "clamp-choices")
      add(ClampChoicesPass());
    else if (name == "clamp-conversions")
      add(ClampConversionsPass());
    else if (name == "clamp-shifts")
      add(ClampShiftsPass());
    else if (name == "drop-expectations")
      add(DropExpectationsPass());
    else if (name == "read-bools")
      add(ReadBoolsPass());
    else if (name == "note-record-writes")
      add(NoteRecordWritesPass());
    else if (name == "choose-extrema")
      add(ChooseExtremaPass());
    else if (name == "nan-choices")
      add(NanChoicesPass());
    else if (name == "find-remainders")
      add(FindRemaindersPass());
    else if (name == "near-remainders")
      add(NearRemaindersPass());
    else if (name == "small-quotients")
      add(SmallQuotientsPass());
    else if (name == "zero-choices")
      add(ZeroChoicesPass());
    else if (name == "fold-launch-rings")
      add(FoldLaunchRingsPass());
    else if (name == "contract")
      add(ContractPass{{}, !no_fmad});
    else if (name == "dead-stores")
      add(DeadStoresPass());
    else if (name == "carry-stored")
      add(CarryStoredPass());
    else if (name == "rotate-loops")
      add(RotateLoopsPass());
    else if (name == "flat-records")
      add(FlatRecordsPass{{}, 1});
    else if (name == "left-records")
      add(FlatRecordsPass{{}, 1, /*only_pays=*/true});
    else if (name == "float-ranges")
      add(FloatRangesPass());
    else if (name == "flush-denormals")
      add(FlushDenormalsPass());
    else if (name == "fold-rows")
      add(FoldRowsPass{{}, block_dim().value_or(BlockDim{1, 1, 1})});
    else if (name == "guard-division")
      add(GuardDivisionPass());
    else if (name == "implicit-points")
      add(ImplicitPointsPass{{}, generic});
    else if (name == "residue-turns")
      add(ResidueTurnsPass());
    else if (name == "window-loops")
      add(WindowLoopsPass());
    else if (name == "won-swaps")
      add(WonSwapsPass());
    else if (name == "equal-turns")
      add(EqualTurnsPass());
    else if (name == "join-equals")
      add(JoinEqualsPass());
    else if (name == "join-extensions")
      add(JoinExtensionsPass());
    else if (name == "join-stores")
      add(JoinStoresPass());
    else if (name == "join-guards")
      add(JoinGuardsPass());
    else if (name == "lower-asm-state")
      add(LowerAsmStatePass{{}, kernel});
    else if (name == "bound-tables")
      add(BoundTablesPass());
    else if (name == "choose-elements")
      add(ChooseElementsPass());
    else if (name == "keep-sum-loops")
      add(KeepSumLoopsPass());
    else if (name == "ask-in-front")
      add(AskInFrontPass());
    else if (name == "long-ends")
      add(LongEndsPass());
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
  ErasedValues::watch();
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
