#include "compiler/passes/function_numbers.hpp"

#include <algorithm>

#include <llvm/IR/Constants.h>

using namespace llvm;

namespace lanza::compiler {

static constexpr char kNumber[] = "lanza.number";
static constexpr uint64_t kStep = 16;

void number_functions(Module& module) {
  uint64_t last = 0;
  for (const Function& f : module) last = std::max(last, function_number(f));
  for (Function& f : module) {
    f.removeDeadConstantUsers();
    const bool taken = f.hasAddressTaken(nullptr, /*IgnoreCallbackUses=*/false, /*IgnoreAssumeLikeCalls=*/true,
                                         /*IgnoreLLVMUsed=*/true);
    if (f.isIntrinsic() || !taken || function_number(f)) continue;
    last += kStep;
    auto* number = ConstantInt::get(Type::getInt64Ty(module.getContext()), last);
    f.setMetadata(kNumber, MDNode::get(module.getContext(), ConstantAsMetadata::get(number)));
  }
}

uint64_t function_number(const Function& function) {
  const MDNode* number = function.getMetadata(kNumber);
  return number ? mdconst::extract<ConstantInt>(number->getOperand(0))->getZExtValue() : 0;
}

}  // namespace lanza::compiler
