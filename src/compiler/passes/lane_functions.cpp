#include "compiler/passes/lane_functions.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace lanza::compiler {

static constexpr char kLaneFunction[] = "lanza-lane-function";  // the attribute

FunctionCallee lane_function(Module& module, StringRef name, Type* type, unsigned arity) {
  auto* signature = FunctionType::get(type, SmallVector<Type*, 3>(arity, type), false);
  FunctionCallee callee = module.getOrInsertFunction(name, signature);
  auto* function = cast<Function>(callee.getCallee());
  function->setMemoryEffects(MemoryEffects::none());
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setSpeculatable();
  if (!type->isVectorTy()) function->addFnAttr(kLaneFunction);
  return callee;
}

bool is_lane_function(const CallInst& call) {
  const Function* callee = call.getCalledFunction();
  return callee && callee->hasFnAttribute(kLaneFunction);
}

FunctionCallee of_lanes(const CallInst& call, unsigned lanes) {
  Function& one = *call.getCalledFunction();
  return lane_function(*one.getParent(), (one.getName() + ".v" + Twine(lanes)).str(),
                       FixedVectorType::get(one.getReturnType(), lanes), call.arg_size());
}

void offer_of_lanes(CallInst& call) {
  const StringRef name = call.getCalledFunction()->getName();
  SmallVector<std::string, 2> variants;
  for (unsigned bits : {256, 512}) {
    const unsigned lanes = bits / call.getType()->getPrimitiveSizeInBits();
    const StringRef wide = of_lanes(call, lanes).getCallee()->getName();
    const std::string arguments(call.arg_size(), 'v');
    variants.push_back(("_ZGV_LLVM_N" + Twine(lanes) + arguments + "_" + name + "(" + wide + ")").str());
  }
  call.addFnAttr(Attribute::get(call.getContext(), "vector-function-abi-variant", join(variants, ",")));
}

void lower_lane_function(Module& module, StringRef name, function_ref<Value*(IRBuilder<>&, CallInst&)> made) {
  for (Function& function : make_early_inc_range(module)) {
    if (!function.getName().starts_with(name)) continue;
    for (User* user : make_early_inc_range(function.users())) {
      auto* call = cast<CallInst>(user);
      IRBuilder<> b(call);
      call->replaceAllUsesWith(made(b, *call));
      call->eraseFromParent();
    }
    function.eraseFromParent();
  }
}

}  // namespace lanza::compiler
