#include "compiler/passes/vector/widen/turned_uniform.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace lanza::compiler {

bool may_turn_uniform(const Value& address, const Shapes& shapes,
                      function_ref<bool(const Value&, SmallVectorImpl<const Value*>&)> brought_to) {
  SmallPtrSet<const Value*, 16> seen;
  SmallVector<const Value*, 16> open{&address};
  while (!open.empty()) {
    const Value* v = open.pop_back_val();
    if (!seen.insert(v).second || shapes.is_uniform(v) || brought_to(*v, open)) continue;
    if (auto* choice = dyn_cast<SelectInst>(v)) {
      open.append({choice->getTrueValue(), choice->getFalseValue()});
    } else if (isa<PHINode, GetElementPtrInst, CastInst, BinaryOperator>(v)) {
      append_range(open, cast<User>(v)->operands());
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace lanza::compiler
