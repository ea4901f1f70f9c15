// What the prelude asks of the compilation is folded to constants.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lanza::compiler {

/// Module flags of LANZA_REFLECT_HALVES and LANZA_REFLECT_DIRECTED.
inline constexpr char kComputesHalves[] = "lanza.computes_halves", kRoundsEachWay[] = "lanza.rounds_each_way";

/// In: calls `i32 __lanza_reflect(i32 id)` with a constant id of LanzaReflect; module flags lanza.ftz, lanza.prec_div,
/// ... Out: none of them; each is a constant, 0 for an id that is not known.
struct FoldReflectPass : llvm::PassInfoMixin<FoldReflectPass> {
  bool ptx = false;  ///< code for a GPU

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

/// The value of an integer module flag, or `otherwise` when the module has none of that name.
unsigned module_flag(const llvm::Module& module, llvm::StringRef name, unsigned otherwise);

}  // namespace lanza::compiler
