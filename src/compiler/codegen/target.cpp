#include "compiler/codegen/target.hpp"

#include <map>
#include <mutex>
#include <tuple>

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>

#include "compiler/codegen/llvm_options.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr unsigned kNewestPtx = 85;         // LLVM 19's
static constexpr unsigned kOldestCapability = 70;  // before, match.sync, nanosleep and independent threads are missing

static const Target* find_target(const std::string& triple, std::string& error) {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  error = set_llvm_options();
  return error.empty() ? TargetRegistry::lookupTarget(triple, error) : nullptr;
}

static const std::string& native_features() {
  static const std::string text = [] {
    SubtargetFeatures features;
    for (auto& feature : sys::getHostCPUFeatures()) features.AddFeature(feature.first(), feature.second);
    return features.getString();
  }();
  return text;
}

namespace {

// Machines that nobody uses at the moment, by what makes them. Never destroyed: a compile may outlive main().
struct Shelf {
  using Key = std::tuple<std::string, std::string, std::string, CodeGenOptLevel>;  // triple, CPU, features
  static Shelf& get() {
    static Shelf* shelf = new Shelf;
    return *shelf;
  }
  Machine take(const Key& key) {
    const std::lock_guard guard(lock);
    SmallVector<TargetMachine*, 2>& free = machines[key];
    return Machine(free.empty() ? nullptr : free.pop_back_val());
  }
  std::mutex lock;
  std::map<Key, SmallVector<TargetMachine*, 2>> machines;
};

}  // namespace

void ReturnMachine::operator()(TargetMachine* machine) const {
  Shelf& shelf = Shelf::get();
  const std::lock_guard guard(shelf.lock);
  shelf
      .machines[{machine->getTargetTriple().str(), machine->getTargetCPU().str(),
                 machine->getTargetFeatureString().str(), machine->getOptLevel()}]
      .push_back(machine);
}

static Machine make_machine(const Target& target, const std::string& triple, const std::string& cpu,
                            const std::string& features, std::optional<Reloc::Model> relocation,
                            CodeGenOptLevel level) {
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Strict;  // ContractPass has decided
  options.UniqueSectionNames = true;
  options.TrapUnreachable = true;  // a fault with a message, not whatever code lies behind
  return Machine(target.createTargetMachine(triple, cpu, features, options, relocation, std::nullopt, level));
}

static bool is_known_cpu(const Target& target, const std::string& triple, const std::string& cpu) {
  return std::unique_ptr<MCSubtargetInfo>(target.createMCSubtargetInfo(triple, "", ""))->isCPUStringValid(cpu);
}

Machine host_machine(const std::string& target, bool optimise, std::string& error) {
  const std::string triple = sys::getDefaultTargetTriple();
  const bool native = target.empty() || target == "native";
  const std::string cpu = native ? sys::getHostCPUName().str() : target;
  const std::string features = native ? native_features() : "";
  const CodeGenOptLevel level = optimise ? CodeGenOptLevel::Default : CodeGenOptLevel::None;
  if (Machine ready = Shelf::get().take({triple, cpu, features, level})) return ready;
  const Target* found = find_target(triple, error);
  if (!found) return nullptr;
  if (is_known_cpu(*found, triple, cpu)) return make_machine(*found, triple, cpu, features, Reloc::PIC_, level);
  error = "unknown CPU target '" + target + "': expected native, or a name as -march takes, e.g. x86-64-v3";
  return nullptr;
}

Machine device_machine(unsigned compute_capability, unsigned ptx_version, std::string& error) {
  const std::string triple = "nvptx64-nvidia-cuda";
  const std::string cpu = "sm_" + std::to_string(compute_capability);
  const std::string features = "+ptx" + std::to_string(ptx_version ? ptx_version : kNewestPtx);
  const CodeGenOptLevel level = CodeGenOptLevel::Aggressive;
  if (Machine ready = Shelf::get().take({triple, cpu, features, level})) return ready;
  const Target* found = find_target(triple, error);
  if (!found) return nullptr;
  if (compute_capability >= kOldestCapability && is_known_cpu(*found, triple, cpu))
    return make_machine(*found, triple, cpu, features, std::nullopt, level);
  error = "cannot write PTX for compute capability " + std::to_string(compute_capability / 10) + "." +
          std::to_string(compute_capability % 10) +
          ": expected 7.0 or newer, and one that LLVM " LLVM_VERSION_STRING " knows";
  return nullptr;
}

}  // namespace lanza::compiler
