#include "compiler/codegen/ptx.hpp"

#include <chrono>
#include <exception>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/codegen/target.hpp"
#include "compiler/passes/choose_extrema.hpp"
#include "compiler/passes/contract.hpp"
#include "compiler/passes/fence_integers.hpp"
#include "compiler/passes/fold_reflect.hpp"
#include "compiler/passes/lower_ptx.hpp"
#include "compiler/passes/pass_runner.hpp"
#include "compiler/passes/saturate_conversions.hpp"
#include "compiler/passes/thread_context.hpp"

using namespace llvm;

namespace lanza::compiler {

// -ftz=true: LLVM then writes the .ftz forms of instructions of single precision.
static void flush_subnormals(Module& module) {
  for (Function& f : module)
    if (!f.isDeclaration()) f.addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
}

// The contraction that the CPU engines use comes first, so that all of them compute the same bits; the rest is LLVM's
// own O3.
static void optimise(Module& module, TargetMachine& device, unsigned compute_capability) {
  PassRunner runner(&device);
  const bool flushes = module_flag(module, "lanza.ftz", 0) != 0;
  if (flushes) flush_subnormals(module);
  ModulePassManager lower;
  lower.addPass(FoldReflectPass{{}, /*ptx=*/true});
  lower.addPass(LowerPtxPass{{}, compute_capability});
  lower.addPass(FenceIntegersPass());
  lower.addPass(createModuleToFunctionPassAdaptor(PlainConversionsPass()));
  runner.run(module, lower);
  runner.run(module, "always-inline");
  runner.run_on_functions(module, "sroa<modify-cfg>,early-cse<memssa>");
  ModulePassManager contract;
  // max.ftz flushes what a choice does not.
  if (!flushes) contract.addPass(createModuleToFunctionPassAdaptor(ChooseExtremaPass()));
  contract.addPass(createModuleToFunctionPassAdaptor(ContractPass{{}, module_flag(module, "lanza.fmad", 1) != 0}));
  runner.run(module, contract);
  if (module_flag(module, "lanza.debug", 0)) return;
  ModulePassManager rest = runner.builder().buildPerModuleDefaultPipeline(OptimizationLevel::O3);
  runner.run(module, rest);
}

static bool write(Module& module, TargetMachine& device, std::string& text) {
  SmallString<0> buffer;
  raw_svector_ostream stream(buffer);
  legacy::PassManager passes;
  if (device.addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::AssemblyFile)) return false;
  passes.run(module);
  text = buffer.str().str();
  return true;
}

static std::string fill(Ptx& result, const LanzaPtxRequest& request) {
  LLVMContext context;
  std::string error;
  auto module = parseBitcodeFile({StringRef(request.bitcode.data, request.bitcode.size), "kernel"}, context);
  if (!module) return "the bitcode is damaged: " + toString(module.takeError());
  if (Function* launch = (*module)->getFunction(kLaunchChild); launch && !launch->use_empty())
    return "a kernel that launches kernels cannot be written as PTX, which would need CUDA's device runtime";
  auto device = device_machine(request.compute_capability, request.ptx_version, error);
  if (!device) return error;
  (*module)->setDataLayout(device->createDataLayout());
  optimise(**module, *device, request.compute_capability);
  // With debug sections the driver compiles without optimising, and LLVM 19 puts labels of line directives into the
  // middle of calls.
  StripDebugInfo(**module);
  drop_fences(**module);
  raw_string_ostream words(error);
  if (verifyModule(**module, &words)) return "internal error: the PTX code is malformed: " + error;
  if (!write(**module, *device, result.text)) return "LLVM cannot write PTX";
  return {};
}

Ptx emit_ptx(const LanzaPtxRequest& request) noexcept {
  Ptx result;
  const auto start = std::chrono::steady_clock::now();
  try {
    result.log = fill(result, request);
  } catch (const std::exception& e) {
    result.log = std::string("writing PTX failed: ") + e.what();
  }
  result.ok = result.log.empty();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace lanza::compiler
