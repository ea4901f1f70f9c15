#include "compiler/passes/lane_functions.hpp"

#include <string>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace lanza::compiler {

static constexpr char kLaneFunction[] = "lanza-lane-function", kSteps[] = "lanza-steps";  // attributes

static FunctionCallee pure_function(Module& module, StringRef name, FunctionType* type) {
  FunctionCallee callee = module.getOrInsertFunction(name, type);
  auto* function = cast<Function>(callee.getCallee());
  function->setMemoryEffects(MemoryEffects::none());
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setSpeculatable();
  return callee;
}

FunctionCallee lane_function(Module& module, StringRef name, FunctionType* type) {
  FunctionCallee callee = pure_function(module, name, type);
  cast<Function>(callee.getCallee())->addFnAttr(kLaneFunction);
  return callee;
}

FunctionCallee lane_function(Module& module, StringRef name, Type* type, unsigned arity) {
  return lane_function(module, name, FunctionType::get(type, SmallVector<Type*, 3>(arity, type), false));
}

bool is_lane_function(const CallInst& call) {
  const Function* callee = call.getCalledFunction();
  return callee && callee->hasFnAttribute(kLaneFunction);
}

static Type* wide(Type* type, unsigned lanes) {
  auto* members = dyn_cast<StructType>(type);
  if (!members) return FixedVectorType::get(type, lanes);
  return StructType::get(type->getContext(),
                         to_vector<4>(map_range(members->elements(), [&](Type* t) { return wide(t, lanes); })));
}

FunctionCallee of_lanes(const CallInst& call, unsigned lanes) {
  Function& one = *call.getCalledFunction();
  const auto arguments = to_vector<3>(map_range(one.args(), [&](Argument& a) { return wide(a.getType(), lanes); }));
  return pure_function(*one.getParent(), (one.getName() + ".v" + Twine(lanes)).str(),
                       FunctionType::get(wide(one.getReturnType(), lanes), arguments, false));
}

void note_steps(Function& function, uint64_t steps) { function.addFnAttr(kSteps, std::to_string(steps)); }

unsigned noted_steps(const CallInst& call) {
  const Function* callee = call.getCalledFunction();
  return callee ? static_cast<unsigned>(callee->getFnAttributeAsParsedInteger(kSteps)) : 0;
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
