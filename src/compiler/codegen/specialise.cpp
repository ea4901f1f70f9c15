#include "compiler/codegen/specialise.hpp"

#include <chrono>
#include <exception>

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/codegen/code_beside.hpp"
#include "compiler/codegen/host_pipeline.hpp"
#include "compiler/codegen/keep_errors.hpp"
#include "compiler/codegen/kernel_object.hpp"
#include "compiler/codegen/lane_choice.hpp"
#include "compiler/codegen/link.hpp"
#include "compiler/codegen/object_beside.hpp"
#include "compiler/codegen/outline_loops.hpp"
#include "compiler/codegen/plane_code.hpp"
#include "compiler/codegen/read_kernel.hpp"
#include "compiler/codegen/report.hpp"
#include "compiler/codegen/target.hpp"
#include "compiler/codegen/vector_engine.hpp"
#include "compiler/passes/device_pipeline.hpp"
#include "compiler/passes/fold_arguments.hpp"
#include "compiler/passes/fold_initialisers.hpp"
#include "compiler/passes/fold_reflect.hpp"
#include "compiler/passes/half_tiles.hpp"
#include "compiler/passes/hidden_context.hpp"
#include "compiler/passes/host_functions.hpp"
#include "compiler/passes/implicit_points.hpp"
#include "compiler/passes/lane_loop.hpp"
#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/register_notes.hpp"
#include "compiler/passes/retarget.hpp"
#include "compiler/passes/short_launches.hpp"
#include "compiler/passes/sync_calls.hpp"
#include "compiler/passes/thread_context.hpp"
#include "compiler/passes/thread_engine.hpp"
#include "compiler/passes/vector/analysis/warp_meetings.hpp"
#include "compiler/passes/vector/groups/fill_registers.hpp"
#include "compiler/passes/vector/groups/fit_teams.hpp"
#include "compiler/passes/vector/groups/gather_bound.hpp"
#include "compiler/passes/vector/groups/grid_turns.hpp"
#include "compiler/passes/vector/groups/overlap_groups.hpp"
#include "compiler/passes/vector/groups/overlap_turns.hpp"
#include "compiler/passes/vector/groups/own_rows.hpp"
#include "compiler/passes/vector/groups/shuffled_tiles.hpp"
#include "compiler/passes/vector/groups/turn_axes.hpp"
#include "compiler/passes/vector/run/block_parts.hpp"
#include "compiler/passes/vector/scalars/alone_atomics.hpp"
#include "compiler/passes/vector/scalars/column_turns.hpp"
#include "compiler/passes/vector/scalars/ending_counters.hpp"
#include "compiler/passes/vector/scalars/fold_rings.hpp"
#include "compiler/passes/vector/scalars/fold_rows.hpp"
#include "compiler/passes/vector/scalars/launch_test.hpp"
#include "compiler/passes/vector/scalars/read_through.hpp"
#include "compiler/passes/vector/scalars/settle_waits.hpp"
#include "compiler/passes/vector/scalars/version_choices.hpp"
#include "compiler/passes/vector/scalars/version_starts.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

StringRef text_of(const LanzaBytes& bytes) { return {bytes.data, bytes.size}; }

/// One request: from bitcode to shared object, a phase after the other. The first failure leaves its sentence in
/// result.log.
class Specialisation {
 public:
  explicit Specialisation(const LanzaSpecialiseRequest& request)
      : request_(request), kernel_name_(text_of(request.kernel).str()) {}

  Specialised run() {
    result_.ok = build() && finish() && emit();
    result_.generic = result_.ok && object_.block == BlockDim{};
    result_.seconds = clock_.seconds();
    result_.phases = clock_.phases();
    return std::move(result_);
  }

 private:
  bool fail(std::string sentence) {
    result_.log = std::move(sentence);
    return false;
  }

  void note(const char* phase) { clock_.note(phase); }

  bool verify(const char* when) {
    std::string words;
    raw_string_ostream stream(words);
    return !verifyModule(*module_, &stream) ||
           fail("internal error: the code of kernel " + kernel_name_ + " is malformed " + when + ": " + words);
  }

  bool read() {
    context_.setDiagnosticHandler(std::make_unique<KeepErrors>(errors_));
    context_.setDiscardValueNames(true);
    std::string error;
    module_ = read_kernel({text_of(request_.bitcode), "kernel"}, kernel_name_, context_, error);
    if (!module_) return fail(error);
    debug_ = module_flag(*module_, "lanza.debug", 0) != 0;
    if (request_.as_initialised && !debug_) fold_initialisers(*module_);
    if (const char* why_not = fold_arguments(*module_->getFunction(kernel_name_), request_)) return fail(why_not);
    device_ = device_machine(90, 0, error);
    if (request_.quick) module_->addModuleFlag(Module::Max, kQuick, 1);
    host_ = device_ ? host_machine(text_of(request_.target).str(), !debug_ && !request_.quick, error) : nullptr;
    if (!host_) return fail(error);
    const MCSubtargetInfo& cpu = *host_->getMCSubtargetInfo();
    if (cpu.checkFeatures("+avx512fp16,+avx512vl")) module_->addModuleFlag(Module::Max, kComputesHalves, 1);
    module_->addModuleFlag(Module::Max, cpu.checkFeatures("+avx512f") ? kRoundsEachWay : kFewRegisters, 1);
    note("read");
    return true;
  }

  // The vector engine's code is made for one blockDim: its groups have the block's shape. Where it refuses, what comes
  // instead gains next to nothing by a known blockDim, and is compiled once for all of them.
  bool build() {
    if (!read()) return false;
    if (wants_groups()) {
      points_ = count_points(*module_->getFunction(kernel_name_));
      const BlockDim block{request_.block[0], request_.block[1], request_.block[2]};
      do {
        if (!simplify(block)) return false;
        block_ = folded_block(*module_, block);
        if (build_groups(GroupShape::of(wants_single_lanes_ ? 1 : lanes().wanted(), block_)))
          return result_.log.empty();
        if (serves_threads()) {
          build_threads_of_block();
          return result_.log.empty();
        }
        object_ = {};
        planes_ = {};
        blocks_ = nullptr;
        edges_ = nullptr;
        if (!read()) return false;
      } while (wants_single_lanes_);
    }
    if (!simplify(std::nullopt)) return false;
    Function& kernel = *module_->getFunction(kernel_name_);
    if (debug_ || request_.mode == LANZA_MODE_THREADS || has_points_)
      build_threads(kernel);
    else
      build_lanes(kernel);
    note("optimise");
    return result_.log.empty();
  }

  // Long code that was not unrolled to become so is what the thread engine would be given, too.
  bool serves_threads() const {
    constexpr unsigned other_code = LANZA_KERNEL_BLOCKING | LANZA_KERNEL_GRID_SYNC;
    return report_.not_vector.words == kTooLong && !wants_single_lanes_ && !(object_.flags & other_code) &&
           BlockDim{request_.block[0], request_.block[1], request_.block[2]} == block_ &&
           module_flag(*module_, kReadThrough, 0) == 0 && count_points(*module_->getFunction(kernel_name_)) <= points_;
  }

  void build_threads_of_block() {
    for (Function& f : *module_) lower_block_atomics(f);
    build_threads(*module_->getFunction(kernel_name_));
    object_.block = report_.block = block_;
    if (!request_.wide) object_.flags |= LANZA_KERNEL_NARROW;
    note("optimise");
  }

  bool wants_groups() const {
    if (debug_ || request_.mode == LANZA_MODE_THREADS || request_.block[0] == 0) return false;
    Function& kernel = *module_->getFunction(kernel_name_);
    return request_.mode != LANZA_MODE_AUTO || waits_in_groups_only(kernel);
  }

  LaneChoice lanes() const { return {request_, block_, *module_->getFunction(kernel_name_), *host_}; }

  bool simplify(const std::optional<BlockDim>& block) {
    fits_ = run_device_pipeline(*module_, kernel_name_, *device_, block, request_.wide != 0);
    if (request_.quick && !debug_ && !ask_whether_short()) return fail("no launch is short enough for quick code");
    note("device");
    if (!verify("after its simplification")) return false;
    examine();
    ModuleAnalysisManager none;
    if (!debug_) HalfTilesPass().run(*module_, none);
    RetargetPass{{}, host_.get(), block.has_value()}.run(*module_, none);
    name_host_functions(*module_, *host_);
    note("retarget");
    return true;
  }

  // False: no launch is.
  bool ask_whether_short() {
    PassRunner runner(nullptr);
    const BlockDim block{request_.block[0], request_.block[1], request_.block[2]};
    fits_ = ask_short_launches(*module_->getFunction(kernel_name_), block, runner.functions());
    return !fits_ || !serve_none(*fits_);
  }

  // What the executor and the report want to know of the kernel, whatever runs it.
  void examine() {
    has_points_ = module_flag(*module_, kReadThrough, 0) != 0;
    for (Function& f : *module_) {
      for (Instruction& i : instructions(f))
        if (CallInst* point = as_sync(i)) {
          has_points_ = true;
          if (sync_kind(*point) == LANZA_SYNC_GRID) object_.flags |= LANZA_KERNEL_GRID_SYNC;
          if (sync_kind(*point) == LANZA_SYNC_YIELD) object_.flags |= LANZA_KERNEL_BLOCKING;
        }
      const bool is_ordered = any_of(instructions(f), [](Instruction& i) { return i.isAtomic() || i.isVolatile(); });
      if (is_ordered) object_.flags |= LANZA_KERNEL_IN_ORDER;
      if (f.hasFnAttribute(kBlockingAttribute)) object_.flags |= LANZA_KERNEL_BLOCKING;
      if (f.hasFnAttribute(kUnboundedAttribute)) object_.flags |= LANZA_KERNEL_UNBOUNDED;
    }
    if (Function* print = module_->getFunction("vprintf"); print && !print->use_empty())
      object_.flags |= LANZA_KERNEL_PRINTS;
    if (Function* child = module_->getFunction(kLaunchChild); child && !child->use_empty())
      object_.flags |= LANZA_KERNEL_LAUNCHES;
    report_.waits = object_.flags & LANZA_KERNEL_BLOCKING;
    report_.recurses = recurses(*module_);
  }

  // Before groups are chosen: neighbours that are seen to have neighbouring addresses gather nothing.
  static void prepare_counters(Function& kernel, const GroupShape& group, PassRunner& runner) {
    FunctionAnalysisManager& analyses = runner.functions();
    runner.clear();
    count_column_turns(kernel);
    prove_counters(analyses.getResult<LoopAnalysis>(kernel), analyses.getResult<ScalarEvolutionAnalysis>(kernel));
    runner.clear();
    version_starts(kernel, group);
    version_choices(kernel, group);
  }

  // False where the vector engine refuses the kernel. What hinders several lanes need not hinder one.
  bool build_groups(GroupShape group) {
    Function* kernel = module_->getFunction(kernel_name_);
    wants_single_lanes_ = false;
    const bool is_chosen = request_.mode == LANZA_MODE_AUTO && !has_points_;
    is_small_block_ = is_chosen && group.lanes == 1;
    if (is_small_block_) return false;
    if (!may_go_on(why_no_groups(*kernel, group))) return false;
    const bool has_warps = has_warp_operations(*kernel);
    if (group.lanes > 1 && !may_go_on(why_no_vectors(*kernel, group))) {
      if (is_chosen || has_warps) return false;
      group = GroupShape::of(1, group.block);
    }
    if (!request_.wide && !has_points_)
      planes_ = make_plane_code(*kernel, group, lanes().are_free(group, has_warps) ? lanes().register_bits() : 0,
                                *host_, text_of(request_.target).str());
    if (!request_.wide && group.lanes > 1 && group.block[1] * group.block[2] == 1)
      blocks_ = make_grid_turns(*kernel, group.block[0]);
    if (planes_ && lanes().are_free(group, has_warps)) group = lanes().beside_planes(group);
    PassRunner scalars(nullptr);
    fold_rings(*kernel, group, scalars);
    prepare_counters(*kernel, group, scalars);
    if (!has_warps) turn_axes(*kernel, group);
    if (lanes().are_free(group, has_warps)) {
      PassRunner runner(nullptr);
      const unsigned usual = group.lanes;
      group = fill_registers(*kernel, group, lanes().register_bits(), runner, *host_);
      if (group.lanes == usual) group = fit_shuffled_tiles(*kernel, group, lanes().register_bits());
      if (group.lanes == usual) group = fit_own_rows(*kernel, group, runner.functions(), lanes().register_bits());
      if (group.lanes == usual) group = overlap_turns(*kernel, group, runner.functions(), *host_);
      if (group.lanes == usual) group = overlap_groups(*kernel, group, *host_);
    }
    if (is_chosen && !planes_) {
      Reason reason = why_gathers_bind(*kernel, group, *host_);
      const GroupShape team = reason.words.empty() ? group : fit_teams(*kernel, group, *host_);
      if (team.lanes == group.lanes && !may_go_on(std::move(reason))) return false;
      group = team;
    }
    if (has_waits(*kernel) || object_.flags & LANZA_KERNEL_GRID_SYNC) object_.flags |= LANZA_KERNEL_OWN_STACK;
    // Blocks that wait for each other run one by one, threads as far as they can.
    if (!has_waits(*kernel) && arrange_blocks(*kernel, group, request_.wide != 0, *host_))
      object_.flags |= LANZA_KERNEL_GRID_STRIDES;
    // Whose blocks were to be lanes: all else is slower than one thread after the other.
    is_small_block_ |= is_chosen && is_tiny_block(request_.block) && !group.whole_rows;
    if (is_small_block_) return false;
    GroupCode code{kernel, {}};
    if (group.lanes > 1) {
      code = widen_kernel(*kernel, group, *host_);
      if (code.function && verifyModule(*module_)) code = {nullptr, {"internal error: its vector code is malformed"}};
      wants_single_lanes_ = !code.function && !has_warps && (has_points_ || request_.mode == LANZA_MODE_VECTOR);
      if (!code.function) {
        may_go_on(code.why_not);
        return false;
      }
    }
    if (group.lanes > 1 && has_block_parts(*code.function))
      edges_ = std::make_unique<CodeBeside>(*code.function, group, BlockPart::Edges, text_of(request_.target).str(),
                                            name_of("edges"));
    RunForm form = compiler::build_groups(*code.function, group, *host_, edges_ ? BlockPart::Inside : BlockPart::All);
    note("optimise");
    object_.run = form.run;
    object_.lanes = group.lanes;
    object_.lane_axis = group.lane_axis;
    object_.row = block_[0] != request_.block[0] ? block_[0] : 0;
    object_.block = {request_.block[0], request_.block[1], request_.block[2]};
    object_.context_bytes = form.context_bytes;
    object_.counter_bytes = form.counter_bytes;
    object_.flags |= LANZA_KERNEL_RANGES | (request_.wide ? 0 : LANZA_KERNEL_NARROW);
    if (form.asks_whether_alone) object_.flags |= LANZA_KERNEL_ALONE;
    const uint64_t several = module_flag(*module_, kReadThrough, 0);
    if (several & 1 || (is_tiny_block(request_.block) && group.whole_rows)) object_.flags |= LANZA_KERNEL_SEVERAL_X;
    if (several & 2) object_.flags |= LANZA_KERNEL_SEVERAL_Y;
    report_.engine = group.lanes > 1 ? "vector" : "lanes";
    report_.why.words = request_.mode != LANZA_MODE_AUTO ? "asked for"
                        : has_points_                    ? "threads that wait for each other come together"
                                                         : "no thread waits for another";
    report_.block = object_.block;
    report_.spilled_values = form.spilled_values;
    report_.context_bytes = form.spilled_bytes;
    report_.regions = form.regions;
    for (RegionReport& region : report_.regions)
      if (!region.vectorised) region.why = report_.not_vector;
    return true;
  }

  // The first hindrance stays in the report, whatever hinders the next attempt.
  bool may_go_on(Reason reason) {
    if (reason.words.empty()) return true;
    if (report_.not_vector.words.empty()) report_.not_vector = std::move(reason);
    return false;
  }

  void build_lanes(Function& kernel) {
    report_.engine = "lanes";
    report_.why.words = "the kernel has no synchronisation points";
    ask_whether_alone(kernel);
    Function* run = make_lane_loop(kernel);
    if (lower_alone(*run, AbiTypes(context_))) object_.flags |= LANZA_KERNEL_ALONE;
    kernel.eraseFromParent();
    if (!verify("after the lane loop")) return;
    object_.lanes = optimise_lanes(*module_, *run, *host_, request_.lanes);
    lower_block_atomics(*run);  // not before: threads of a vector must take turns
    lower_host_functions(*module_);
    object_.run = run;
    object_.flags |= LANZA_KERNEL_RANGES;
    if (is_small_block_) object_.block = report_.block = {request_.block[0], request_.block[1], request_.block[2]};
  }

  void build_threads(Function& kernel);

  bool finish() {
    if (!debug_) finish_code(*module_, *host_);
    if (report_.engine != "threads") keep_notes_in_registers(*object_.run);
    if (planes_) object_.run = add_plane_launch(*object_.run, std::move(planes_->launch));
    return verify("after code generation");
  }

  bool emit() {
    object_.shared_bytes = module_flag(*module_, kSharedBytes, 0);
    std::vector<std::string> objects;
    if (edges_ ? !emit_parts(objects) : !emit_whole(objects)) return false;
    note("emit");
    std::string error;
    if (!link_shared_object(objects, result_.object, error)) return fail(error);
    note("link");
    return true;
  }

  bool emit_whole(std::vector<std::string>& objects) {
    name_code();
    std::optional<ObjectBeside> loops;
    if (report_.engine == "vector" && !planes_)
      if (const auto half = outline_loops(*object_.run, name_of("loop")))
        loops.emplace(*half, text_of(request_.target).str());
    describe(*module_);
    if (!emit(*module_, objects)) return false;
    if (loops) return take(*loops, objects);
    return !planes_ || take(*planes_->code, objects);
  }

  // What calls both parts is known when the edges' code is there, and small.
  bool emit_parts(std::vector<std::string>& objects) {
    export_only(*module_, *object_.run, name_of("inside"));
    if (!emit(*module_, objects)) return false;
    if (!take(*edges_, objects)) return false;
    take(edges_->wait().form);
    Module head(kernel_name_, context_);
    head.setTargetTriple(module_->getTargetTriple());
    head.setDataLayout(module_->getDataLayout());
    auto declare = [&](const std::string& name) -> Function& {
      auto* part = Function::Create(object_.run->getFunctionType(), GlobalValue::ExternalLinkage, name, head);
      part->copyAttributesFrom(object_.run);
      return *part;
    };
    object_.run = join_block_parts(declare(name_of("inside")), declare(name_of("edges")));
    object_.run->setName(kernel_name_);
    describe(head);
    return emit(head, objects);
  }

  template <typename Beside>
  bool take(Beside& beside, std::vector<std::string>& objects) {
    const auto& made = beside.wait();
    errors_ = made.errors;
    objects.push_back(made.object);
    return !made.object.empty() || fail_to_emit("");
  }

  void take(const RunForm& edges) {
    object_.context_bytes = std::max(object_.context_bytes, edges.context_bytes);
    if (edges.asks_whether_alone) object_.flags |= LANZA_KERNEL_ALONE;
    report_.context_bytes = std::max(report_.context_bytes, edges.spilled_bytes);
    report_.spilled_values += edges.spilled_values;
    // Both begin by asking whose the block is.
    report_.regions.insert(report_.regions.end(), std::next(edges.regions.begin()), edges.regions.end());
  }

  void describe(Module& module) {
    report_.lanes = object_.lanes;
    report_.lane_axis = object_.lane_axis;
    report_.frame_bytes = object_.frame_bytes;
    object_.report = report_json(kernel_name_, report_);
    if (fits_) object_.fits = add_question(module, std::move(fits_), kFits);
    if (blocks_) object_.blocks = add_question(module, std::move(blocks_), kBlocks);
    add_kernel_object(module, object_);
  }

  bool emit(Module& module, std::vector<std::string>& objects) {
    std::string error;
    objects.push_back(emit_object(module, *host_, error));
    return (errors_.empty() && !objects.back().empty()) || fail_to_emit(error);
  }

  bool fail_to_emit(const std::string& error) {
    return fail(errors_.empty() ? error : "the kernel " + kernel_name_ + " cannot run on the CPU: " + errors_);
  }

  std::string name_of(const char* part) const { return kernel_name_ + "." + part; }

  // Profilers and debuggers show the kernel's name.
  void name_code() {
    if (report_.engine != "threads") return object_.run->setName(kernel_name_);
    for (Function& f : *module_) {
      StringRef name = f.getName();
      if (name.consume_front("start") && (name.empty() || name == ".resume")) f.setName(kernel_name_ + name.str());
    }
  }

  const LanzaSpecialiseRequest& request_;
  const std::string kernel_name_;
  std::string errors_;
  LLVMContext context_;
  Machine device_, host_;
  std::unique_ptr<Module> module_;
  std::optional<PlaneCode> planes_;
  std::unique_ptr<Module> fits_;       ///< which launches the code serves; null: all of its kind
  std::unique_ptr<Module> blocks_;     ///< how many blocks do the same; null: the grid is the caller's
  std::unique_ptr<CodeBeside> edges_;  ///< then module_ is for blocks inside
  KernelObject object_;
  Report report_;
  bool debug_ = false, has_points_ = false, wants_single_lanes_ = false;
  unsigned points_ = 0;          ///< where threads wait, in the kernel as it was written
  BlockDim block_{};             ///< that the kernel's code is written for, see fold_rows.hpp
  bool is_small_block_ = false;  ///< not worth vectors, which others may be
  PhaseClock clock_;
  Specialised result_;
};

void Specialisation::build_threads(Function& kernel) {
  report_.engine = "threads";
  report_.why.words = debug_                                ? "the module is compiled for debugging"
                      : request_.mode == LANZA_MODE_THREADS ? "asked for"
                                                            : "the kernel has synchronisation points";
  lower_host_functions(*module_);
  ThreadEngine engine = make_coroutine(kernel);
  kernel.eraseFromParent();
  if (!verify("as a coroutine")) return;
  PassRunner runner(host_.get());
  // Only SROA before the split: whatever merges or moves the loads of the context lets frames grow.
  if (!debug_) runner.run_on_functions(*module_, "sroa<modify-cfg>");
  split_coroutines(*module_, engine, runner);
  note("split");
  object_.run = make_thread_runner(*module_, engine);
  object_.lanes = 0;
  object_.frame_bytes = engine.frame_bytes;
  if (!debug_) optimise_threads(*module_, *host_, request_.quick != 0);
}

}  // namespace

Specialised specialise(const LanzaSpecialiseRequest& request) noexcept {
  try {
    return Specialisation(request).run();
  } catch (const std::exception& e) {
    Specialised result;
    result.log = std::string("compiling the kernel failed: ") + e.what();
    return result;
  }
}

}  // namespace lanza::compiler
