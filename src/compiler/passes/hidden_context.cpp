#include "compiler/passes/hidden_context.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/called_functions.hpp"
#include "compiler/passes/thread_context.hpp"

using namespace llvm;

namespace lanza::compiler {

SmallVector<Function*, 8> out_of_line_functions(Module& module, const Function& kernel) {
  SmallVector<Function*, 8> functions;
  for (Function& f : module)
    if (!f.isDeclaration() && &f != &kernel && !f.hasFnAttribute(kComputesOnly)) functions.push_back(&f);
  return functions;
}

static Function* with_record(Function& source, const AbiTypes& types) {
  SmallVector<Type*, 8> parameters{types.pointer};
  append_range(parameters, source.getFunctionType()->params());
  auto* type = FunctionType::get(source.getReturnType(), parameters, source.isVarArg());
  auto* target =
      Function::Create(type, GlobalValue::InternalLinkage, source.getName() + ".context", *source.getParent());
  const AttributeList attributes = source.getAttributes();
  auto* head = BasicBlock::Create(source.getContext(), "head", target);
  for (Argument& a : source.args()) a.replaceAllUsesWith(target->getArg(a.getArgNo() + 1));
  BasicBlock* body = take_body(source, *target);
  // By-value structs keep their meaning behind the new parameter.
  for (unsigned i = 0; i < source.arg_size(); ++i)
    target->addParamAttrs(i + 1, AttrBuilder(source.getContext(), attributes.getParamAttrs(i)));
  Builder b(head);
  b.CreateBr(body);
  return target;
}

// Who fails in it is one thread, whoever else is under way.
class FunctionContext : public RecordContext {
 public:
  using RecordContext::RecordContext;
  void note_thread(Builder& b) override {
    auto keep = [&](Value* value, unsigned field, unsigned axis = 0) {
      Value* address = b.CreateStructGEP(types.block, block(b), field);
      b.CreateStore(value, b.CreateConstInBoundsGEP1_32(types.i32, address, axis));
    };
    keep(b.CreateZExt(tid(b, 0), types.i64), block_field::lane);
    keep(tid(b, 1), block_field::lane_row, 0);
    keep(tid(b, 2), block_field::lane_row, 1);
    keep(b.getInt32(1), block_field::lane_count);
    keep(b.getInt32(1), block_field::lane_rows);
  }
};

FunctionMap add_hidden_context(ArrayRef<Function*> functions, const AbiTypes& types) {
  FunctionMap map;
  for (Function* f : functions) map[f] = with_record(*f, types);
  for (auto [old, function] : map) {
    rewrite_calls(*function, function->getArg(0), map);
    FunctionContext context(types, function->getArg(0));
    lower_context(*function, context);
  }
  return map;
}

void rewrite_calls(Function& caller, Value* record, const FunctionMap& map) {
  SmallVector<CallInst*, 8> calls;
  for (Instruction& i : instructions(caller)) {
    auto* call = dyn_cast<CallInst>(&i);
    if (call && call->getCalledFunction() && map.contains(call->getCalledFunction())) calls.push_back(call);
  }
  for (CallInst* call : calls) {
    SmallVector<Value*, 8> arguments{record};
    append_range(arguments, call->args());
    SmallVector<Type*, 8> parameters{record->getType()};
    append_range(parameters, call->getFunctionType()->params());
    Builder b(call);
    CallInst* full = b.CreateCall(FunctionType::get(call->getType(), parameters, call->getFunctionType()->isVarArg()),
                                  map.lookup(call->getCalledFunction()), arguments);
    for (unsigned i = 0; i < call->arg_size(); ++i)
      full->setAttributes(full->getAttributes().addParamAttributes(
          caller.getContext(), i + 1, AttrBuilder(caller.getContext(), call->getAttributes().getParamAttrs(i))));
    full->takeName(call);
    call->replaceAllUsesWith(full);
    call->eraseFromParent();
  }
}

void erase_originals(const FunctionMap& map) {
  for (auto [old, function] : map) old->eraseFromParent();
}

}  // namespace lanza::compiler
