#include "compiler/codegen/host_pipeline.hpp"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/codegen/code_passes.hpp"
#include "compiler/passes/fence_integers.hpp"
#include "compiler/passes/idle_extrema.hpp"
#include "compiler/passes/lane_loop.hpp"
#include "compiler/passes/note_lanes.hpp"
#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/share_extensions.hpp"
#include "compiler/passes/vector/lanes/part_shuffles.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kLaneBits = 32;  // most kernels work on floats and ints
static constexpr size_t kLongBlock = 300, kLongFunction = 1500, kVeryLongBlock = 1000;  // instructions

unsigned optimise_lanes(Module& module, Function& run, TargetMachine& host, unsigned lanes) {
  PassRunner runner(&host);
  runner.run_on_functions(module,
                          "sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
                          "loop-simplify,lcssa,loop-mssa(licm,simple-loop-unswitch<nontrivial>),simplifycfg,"
                          "loop-simplify,lcssa,loop(indvars)");
  if (lanes == 0) {
    const auto bits = host.getTargetTransformInfo(run).getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector);
    lanes = std::max<unsigned>(bits.getFixedValue() / kLaneBits, 1);
  }
  lower_inner_atomics(run);
  mark_lanes_parallel(run, lanes);
  runner.run_on_functions(
      module,
      "loop-simplify,lcssa,loop-vectorize,instcombine<no-verify-fixpoint>,simplifycfg,"
      "early-cse<memssa>,loop-simplify,lcssa,loop-mssa(licm),instcombine<no-verify-fixpoint>,simplifycfg");
  note_lanes(run);
  return lanes_are_vectors(run) ? lanes : 1;
}

void optimise_threads(Module& module, TargetMachine& host, bool quick) {
  PassRunner runner(&host);
  runner.run_on_functions(module, "sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg");
  if (!quick) runner.run_on_functions(module, "gvn,dse,instcombine<no-verify-fixpoint>,simplifycfg");
}

void finish_code(Module& module, TargetMachine& host) {
  for (Function& f : module) {
    skip_idle_extrema(f);
    share_extensions(f, host.getTargetTransformInfo(f));
  }
}

namespace {

/// Passes that take long code longer than they are worth. The scheduler behind register allocation looks for pairs of
/// instructions for a tenth of the time of code generation, and makes long code no faster: the one in front of it has
/// done what can be done (short loops gain up to 6 %). Where integers are added up in one long block, the reduction of
/// strength tries all subsets of their terms: 480 lines of votes took 62 s to compile with it and take 1.0 without.
struct Without : OptPassGate {
  explicit Without(std::initializer_list<StringRef> names) : passes(names) {}
  bool shouldRunPass(StringRef pass, StringRef) override { return !is_contained(passes, pass); }
  bool isEnabled() const override { return true; }
  const SmallVector<StringRef, 2> passes;
};

constexpr StringRef kLateScheduler = "Post RA top-down list latency scheduler",
                    kStrengthReduction = "Loop Strength Reduction";

}  // namespace

static bool is_long(const Function& f) {
  return f.getInstructionCount() > kLongFunction ||
         any_of(f, [](const BasicBlock& block) { return block.size() > kLongBlock; });
}

static bool has_very_long_block(const Function& f) {
  return any_of(f, [](const BasicBlock& block) { return block.size() > kVeryLongBlock; });
}

static void leave_out_passes(Module& module) {
  static Without late_scheduler{kLateScheduler}, both{kLateScheduler, kStrengthReduction};
  if (any_of(module, is_long))
    module.getContext().setOptPassGate(any_of(module, has_very_long_block) ? both : late_scheduler);
}

// Vectors of at least so many bits that live at the same time, at any place of the block.
static size_t most_live(const BasicBlock& block, uint64_t bits) {
  const DataLayout& layout = block.getDataLayout();
  SmallPtrSet<const Value*, 32> live;
  auto begin = [&](const Value* v) {
    if (isa<Constant>(v) || !v->getType()->isVectorTy()) return;
    if (layout.getTypeSizeInBits(v->getType()).getFixedValue() >= bits) live.insert(v);
  };
  for (const Instruction& i : block)
    if (i.isUsedOutsideOfBlock(&block)) begin(&i);
  size_t most = 0;
  for (const Instruction& i : reverse(block)) {
    live.erase(&i);
    if (!isa<PHINode>(i))
      for (const Value* operand : i.operands()) begin(operand);
    most = std::max<size_t>(most, live.size());
  }
  return most;
}

// Vectors that no register holds lie in one line each: LLVM finds too late that there are some to align the frame. Not
// where there are none: an aligned frame takes a register that addresses could have.
static void align_frame(Function& f, const TargetTransformInfo& host) {
  const uint64_t widest = host.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  const unsigned registers = host.getNumberOfRegisters(host.getRegisterClassForType(/*Vector=*/true));
  if (widest > 128 && any_of(f, [&](const BasicBlock& block) { return most_live(block, widest) > registers; }))
    f.addFnAttr(Attribute::getWithStackAlignment(f.getContext(), Align(widest / 8)));
}

std::string emit_object(Module& module, TargetMachine& host, std::string& error) {
  drop_fences(module);
  for (Function& f : module) {
    part_shuffles(f);
    if (!f.isDeclaration()) align_frame(f, host.getTargetTransformInfo(f));
  }
  SmallString<0> object;
  raw_svector_ostream stream(object);
  leave_out_passes(module);
  CodePasses passes(module);
  TargetLibraryInfoImpl none(host.getTargetTriple());
  none.disableAllFunctions();
  passes.add(new TargetLibraryInfoWrapperPass(none));
  if (host.addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::ObjectFile)) {
    error = "LLVM cannot write object files for " + host.getTargetTriple().str();
    return {};
  }
  passes.run(module);
  return object.str().str();
}

}  // namespace lanza::compiler
