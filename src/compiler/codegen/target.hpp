// Target machines: the host's CPU by name, and nvptx64.
#pragma once

#include <memory>
#include <string>

#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// `target`: "native", or a name as -march takes, e.g. "x86-64-v3". Null and a sentence in `error` when LLVM does not
/// know it.
std::unique_ptr<llvm::TargetMachine> host_machine(const std::string& target, bool optimise, std::string& error);
/// sm_NN (70 or newer) with PTX version NN (78 is 7.8; 0: the newest that this LLVM writes).
std::unique_ptr<llvm::TargetMachine> device_machine(unsigned compute_capability, unsigned ptx_version,
                                                    std::string& error);

}  // namespace lanza::compiler
