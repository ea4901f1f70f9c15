// Target machines: the host's CPU by name, and nvptx64.
#pragma once

#include <memory>
#include <string>

#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// A target machine on loan: it goes back with its user, and the next compile finds it made, with its tables.
struct ReturnMachine {
  void operator()(llvm::TargetMachine* machine) const;
};
using Machine = std::unique_ptr<llvm::TargetMachine, ReturnMachine>;

/// `target`: "native", or a name as -march takes, e.g. "x86-64-v3". Null and a sentence in `error` when LLVM does not
/// know it, or does not take our options.
Machine host_machine(const std::string& target, bool optimise, std::string& error);
/// sm_NN (70 or newer) with PTX version NN (78 is 7.8; 0: the newest that this LLVM writes).
Machine device_machine(unsigned compute_capability, unsigned ptx_version, std::string& error);

}  // namespace lanza::compiler
