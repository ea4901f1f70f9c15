#include "compiler/codegen/vector_functions.hpp"

#include <string>

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/codegen/vector_engine.hpp"
#include "compiler/passes/called_functions.hpp"
#include "compiler/passes/vector/group_form.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

/// One function of several lanes. It is made as a kernel is: of a block with so many threads, each of which reads its
/// numbers from memory and writes what comes of them. That memory are variables around it.
class VectorFunction {
 public:
  VectorFunction(Function& function, Function& body, unsigned lanes)
      : function_(function), body_(body), lanes_(lanes), c_(function.getContext()) {
    if (auto* members = dyn_cast<StructType>(body.getReturnType()))
      results_.append(members->element_begin(), members->element_end());
    else
      results_.push_back(body.getReturnType());
  }

  void define(const TargetMachine& host) {
    const GroupShape group = GroupShape::of(lanes_, {lanes_, 1, 1});
    Function* kernel = make_kernel();
    const std::string name = kernel->getName().str();
    const bool may_widen = why_no_vectors(*kernel, group).words.empty();
    Function* lanes = may_widen ? widen_kernel(*kernel, group, host).function : nullptr;
    if (Function* left = lanes ? nullptr : body_.getParent()->getFunction(name)) left->eraseFromParent();
    function_.addFnAttrs(AttrBuilder(c_, body_.getAttributes().getFnAttrs()));
    function_.setLinkage(GlobalValue::InternalLinkage);
    IRBuilder<> b(BasicBlock::Create(c_, "entry", &function_));
    if (lanes)
      call(*lanes, b);
    else
      call_one_by_one(b);
  }

 private:
  bool returns_struct() const { return body_.getReturnType()->isStructTy(); }

  Function* make_kernel() {
    const SmallVector<Type*, 6> pointers(body_.arg_size() + results_.size(), PointerType::getUnqual(c_));
    auto* kernel = Function::Create(FunctionType::get(Type::getVoidTy(c_), pointers, false),
                                    GlobalValue::InternalLinkage, function_.getName() + ".lanes", *body_.getParent());
    kernel->addFnAttrs(AttrBuilder(c_, body_.getAttributes().getFnAttrs()));
    kernel->setMemoryEffects(MemoryEffects::argMemOnly());
    kernel->removeFnAttr(Attribute::Speculatable);
    for (Argument& argument : kernel->args()) argument.addAttr(Attribute::NoAlias);
    IRBuilder<> b(BasicBlock::Create(c_, "entry", kernel));
    Value* thread = b.CreateZExt(b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_tid_x, {}, {}), b.getInt64Ty());
    auto place = [&](unsigned k, Type* type) { return b.CreateInBoundsGEP(type, kernel->getArg(k), thread); };
    SmallVector<Value*, 4> arguments;
    for (Argument& a : body_.args()) arguments.push_back(b.CreateLoad(a.getType(), place(a.getArgNo(), a.getType())));
    CallInst* result = b.CreateCall(&body_, arguments);
    for (unsigned k = 0; k < results_.size(); ++k)
      b.CreateStore(member(b, result, k), place(body_.arg_size() + k, results_[k]));
    b.CreateRetVoid();
    InlineFunctionInfo info;
    InlineFunction(*result, info);
    stripDebugInfo(*kernel);
    return kernel;
  }

  Value* member(IRBuilder<>& b, Value* result, unsigned k) const {
    return returns_struct() ? b.CreateExtractValue(result, k) : result;
  }

  void call(Function& lanes, IRBuilder<>& b) {
    SmallVector<Value*, 6> memory;
    for (Argument& a : function_.args()) memory.push_back(b.CreateAlloca(a.getType()));
    for (Type* type : results_) memory.push_back(b.CreateAlloca(FixedVectorType::get(type, lanes_)));
    for (Argument& a : function_.args()) b.CreateStore(&a, memory[a.getArgNo()]);
    CallInst* all = b.CreateCall(&lanes, memory);
    SmallVector<Value*, 2> members;
    for (unsigned k = 0; k < results_.size(); ++k) {
      AllocaInst* from = cast<AllocaInst>(memory[body_.arg_size() + k]);
      members.push_back(b.CreateLoad(from->getAllocatedType(), from));
    }
    end(b, members);
    InlineFunctionInfo info;
    InlineFunction(*all, info);
    lanes.eraseFromParent();
    for (CallInst* index : group_calls()) {
      index->replaceAllUsesWith(ConstantInt::get(index->getType(), 0));
      index->eraseFromParent();
    }
  }

  void call_one_by_one(IRBuilder<>& b) {
    SmallVector<Value*, 2> members;
    for (Type* type : results_) members.push_back(PoisonValue::get(FixedVectorType::get(type, lanes_)));
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      SmallVector<Value*, 4> arguments;
      for (Argument& a : function_.args()) arguments.push_back(b.CreateExtractElement(&a, lane));
      Value* result = b.CreateCall(&body_, arguments);
      for (unsigned k = 0; k < results_.size(); ++k)
        members[k] = b.CreateInsertElement(members[k], member(b, result, k), lane);
    }
    end(b, members);
  }

  void end(IRBuilder<>& b, ArrayRef<Value*> members) {
    if (!returns_struct()) return void(b.CreateRet(members[0]));
    Value* all = PoisonValue::get(function_.getReturnType());
    for (auto [k, m] : enumerate(members)) all = b.CreateInsertValue(all, m, static_cast<unsigned>(k));
    b.CreateRet(all);
  }

  // Lane 0 is thread 0.
  SmallVector<CallInst*, 2> group_calls() {
    SmallVector<CallInst*, 2> calls;
    for (Instruction& i : instructions(function_))
      if (auto* call = dyn_cast<CallInst>(&i);
          call && call->getCalledFunction() && call->getCalledFunction()->getName() == kGroup)
        calls.push_back(call);
    return calls;
  }

  Function &function_, &body_;
  const unsigned lanes_;
  LLVMContext& c_;
  SmallVector<Type*, 2> results_;
};

}  // namespace

void define_vector_functions(Module& module, const TargetMachine& host) {
  // A body may call further ones.
  for (bool is_complete = false; !is_complete;) {
    is_complete = true;
    for (Function& f : module) {
      const auto [name, number] = f.getName().rsplit(".v");
      unsigned lanes = 0;
      if (!f.isDeclaration() || number.getAsInteger(10, lanes)) continue;
      Function* body = body_of_lane_function(module, name);
      if (!body) continue;
      VectorFunction(f, *body, lanes).define(host);
      is_complete = false;
      break;
    }
  }
}

}  // namespace lanza::compiler
