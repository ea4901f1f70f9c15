#include "compiler/passes/inline_calls.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/InlineCost.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;

namespace lanza::compiler {

namespace {

class InnermostFirst {
 public:
  explicit InnermostFirst(function_ref<void(Function&)> when_filled) : when_filled_(when_filled) {}

  void inline_into(Function& caller) {
    if (!begun_.insert(&caller).second) return;
    SmallVector<CallBase*, 16> calls;
    for (Instruction& i : instructions(caller)) {
      auto* call = dyn_cast<CallBase>(&i);
      Function* called = call ? call->getCalledFunction() : nullptr;
      if (!called || called->isDeclaration()) continue;
      inline_into(*called);
      const bool is_wanted = call->hasFnAttr(Attribute::AlwaysInline) && !call->isNoInline();
      if (done_.contains(called) && is_wanted && isInlineViable(*called).isSuccess()) calls.push_back(call);
    }
    for (CallBase* call : reverse(calls)) {
      InlineFunctionInfo info;
      InlineFunction(*call, info, /*MergeAttributes=*/true, nullptr, /*InsertLifetime=*/false);
    }
    when_filled_(caller);
    done_.insert(&caller);
  }

 private:
  function_ref<void(Function&)> when_filled_;
  SmallPtrSet<const Function*, 32> begun_, done_;
};

}  // namespace

void inline_calls(Function& kernel, function_ref<void(Function&)> when_filled) {
  InnermostFirst(when_filled).inline_into(kernel);
}

}  // namespace lanza::compiler
