// Optimisation and code generation after the retarget.
#pragma once

#include <string>

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace lanza::compiler {

/// The lane loop in `run`: simplified, uniform values hoisted, vectorised by LLVM's LoopVectorizer. `lanes`: threads a
/// vector, 0: as many floats as a register holds. Returns that number, 1 where the code is scalar.
unsigned optimise_lanes(llvm::Module& module, llvm::Function& run, llvm::TargetMachine& host, unsigned lanes);
/// Code of the thread engine after the split. `quick`: in half the time.
void optimise_threads(llvm::Module& module, llvm::TargetMachine& host, bool quick);
/// The last that optimised code gets.
void finish_code(llvm::Module& module, llvm::TargetMachine& host);
/// The object file. Empty and a sentence in `error` when this target cannot write one.
std::string emit_object(llvm::Module& module, llvm::TargetMachine& host, std::string& error);

}  // namespace lanza::compiler
