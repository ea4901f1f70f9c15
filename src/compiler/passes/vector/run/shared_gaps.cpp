#include "compiler/passes/vector/run/shared_gaps.hpp"

#include <llvm/IR/Module.h>

#include "compiler/passes/fold_reflect.hpp"
#include "compiler/passes/retarget.hpp"

using namespace llvm;

namespace lanza::compiler {

// What LLVM would make a store of, and drop the mark, is one.
static Instruction* clear(IRBuilderBase& b, Value* place, uint64_t bytes) {
  if (bytes <= 8 && isPowerOf2_64(bytes))
    return b.CreateAlignedStore(b.getIntN(static_cast<unsigned>(bytes * 8), 0), place, Align(1));
  return b.CreateMemSet(place, b.getInt8(0), bytes, MaybeAlign());
}

void clear_gaps(IRBuilderBase& b, Value& shared, unsigned blocks) {
  const Module& module = *b.GetInsertBlock()->getModule();
  const uint64_t bytes = module_flag(module, kSharedBytes, 0);
  for (auto [offset, size] : shared_gaps(module))
    for (unsigned block = 0; block < blocks; ++block)
      clear(b, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), &shared, block * bytes + offset), size)
          ->setMetadata(kClearsGap, MDNode::get(b.getContext(), {}));
}

}  // namespace lanza::compiler
