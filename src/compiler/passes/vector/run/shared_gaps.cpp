#include "compiler/passes/vector/run/shared_gaps.hpp"

#include <llvm/IR/Module.h>

#include "compiler/passes/fold_reflect.hpp"
#include "compiler/passes/retarget.hpp"

using namespace llvm;

namespace lanza::compiler {

void clear_gaps(IRBuilderBase& b, Value& shared, unsigned blocks) {
  const Module& module = *b.GetInsertBlock()->getModule();
  const uint64_t bytes = module_flag(module, kSharedBytes, 0);
  for (auto [offset, size] : shared_gaps(module))
    for (unsigned block = 0; block < blocks; ++block)
      b.CreateMemSet(b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), &shared, block * bytes + offset), b.getInt8(0), size,
                     MaybeAlign());
}

}  // namespace lanza::compiler
