#include "compiler/codegen/target.hpp"

#include <mutex>

#include <llvm/ADT/StringMap.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kNewestPtx = 85;         // LLVM 19's
static constexpr unsigned kOldestCapability = 70;  // before, match.sync, nanosleep and independent threads are missing

// LLVM's command line is global: set once, before the first compilation. A second vector loop for the last few lanes
// doubles the code.
static void set_options() {
  const char* arguments[] = {"lanza", "-enable-epilogue-vectorization=false"};
  cl::ParseCommandLineOptions(std::size(arguments), arguments, "", &nulls());
}

static const Target* find_target(const std::string& triple, std::string& error) {
  static std::once_flag once;
  std::call_once(once, [] {
    set_options();
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  return TargetRegistry::lookupTarget(triple, error);
}

static std::string native_features() {
  SubtargetFeatures features;
  for (auto& feature : sys::getHostCPUFeatures()) features.AddFeature(feature.first(), feature.second);
  return features.getString();
}

std::unique_ptr<TargetMachine> host_machine(const std::string& target, bool optimise, std::string& error) {
  const std::string triple = sys::getDefaultTargetTriple();
  const Target* found = find_target(triple, error);
  if (!found) return nullptr;
  const bool native = target.empty() || target == "native";
  const std::string cpu = native ? sys::getHostCPUName().str() : target;
  std::unique_ptr<MCSubtargetInfo> known(found->createMCSubtargetInfo(triple, "", ""));
  if (!known->isCPUStringValid(cpu)) {
    error = "unknown CPU target '" + target + "': expected native, or a name as -march takes, e.g. x86-64-v3";
    return nullptr;
  }
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Strict;  // ContractPass has decided
  options.UniqueSectionNames = true;
  return std::unique_ptr<TargetMachine>(
      found->createTargetMachine(triple, cpu, native ? native_features() : "", options, Reloc::PIC_, std::nullopt,
                                 optimise ? CodeGenOptLevel::Default : CodeGenOptLevel::None));
}

std::unique_ptr<TargetMachine> device_machine(unsigned compute_capability, unsigned ptx_version, std::string& error) {
  const std::string triple = "nvptx64-nvidia-cuda";
  const Target* found = find_target(triple, error);
  if (!found) return nullptr;
  const std::string cpu = "sm_" + std::to_string(compute_capability);
  std::unique_ptr<MCSubtargetInfo> known(found->createMCSubtargetInfo(triple, "", ""));
  if (compute_capability < kOldestCapability || !known->isCPUStringValid(cpu)) {
    error = "cannot write PTX for compute capability " + std::to_string(compute_capability / 10) + "." +
            std::to_string(compute_capability % 10) +
            ": expected 7.0 or newer, and one that LLVM " LLVM_VERSION_STRING " knows";
    return nullptr;
  }
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Strict;
  return std::unique_ptr<TargetMachine>(
      found->createTargetMachine(triple, cpu, "+ptx" + std::to_string(ptx_version ? ptx_version : kNewestPtx), options,
                                 std::nullopt, std::nullopt, CodeGenOptLevel::Aggressive));
}

}  // namespace lanza::compiler
