#include "compiler/passes/thread_context.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include "compiler/kernel_abi.h"
#include "compiler/passes/fold_reflect.hpp"
#include "compiler/passes/retarget.hpp"

using namespace llvm;

namespace lanza::compiler {

void mark_context(LoadInst& load, bool invariant) {
  MDNode* none = MDNode::get(load.getContext(), {});
  load.setMetadata(kContextMark, none);
  if (!invariant) return;
  load.setMetadata(LLVMContext::MD_invariant_load, none);
  load.setMetadata(LLVMContext::MD_noundef, none);  // a branch on what follows from it need not be frozen
}

Value* ThreadContext::load(Builder& b, StructType* type, Value* base, unsigned field, int axis) {
  Value* address = axis < 0 ? b.CreateStructGEP(type, base, field)
                            : b.CreateInBoundsGEP(type, base, {b.getInt32(0), b.getInt32(field), b.getInt32(axis)});
  Type* element = type->getElementType(field);
  if (axis >= 0) element = element->getArrayElementType();
  LoadInst* value = b.CreateLoad(element, address);
  mark_context(*value, true);
  return value;
}

Value* ThreadContext::launch(Builder& b) { return load(b, types.block, block(b), block_field::launch); }
Value* ThreadContext::arguments(Builder& b) { return load(b, types.block, block(b), block_field::arguments); }
Value* ThreadContext::ctaid(Builder& b, unsigned axis) {
  return load(b, types.block, block(b), block_field::index, axis);
}
Value* ThreadContext::ntid(Builder& b, unsigned axis) {
  return load(b, types.launch, launch(b), launch_field::block, axis);
}
Value* ThreadContext::nctaid(Builder& b, unsigned axis) {
  return load(b, types.launch, launch(b), launch_field::grid, axis);
}
Value* ThreadContext::shared(Builder& b) { return load(b, types.block, block(b), block_field::shared); }
Value* ThreadContext::launch_flags(Builder& b) { return load(b, types.launch, launch(b), launch_field::flags); }
Value* ThreadContext::dynamic_shared(Builder& b) {
  return load(b, types.launch, launch(b), launch_field::dynamic_shared);
}
Value* ThreadContext::globals(Builder& b) { return load(b, types.launch, launch(b), launch_field::globals); }

// Not marked invariant: the start function itself writes the record.
Value* RecordContext::block(Builder& b) {
  LoadInst* value = b.CreateLoad(types.pointer, b.CreateStructGEP(types.record, record_, record_field::block));
  mark_context(*value, false);
  return value;
}

Value* RecordContext::tid(Builder& b, unsigned axis) {
  Value* address =
      b.CreateInBoundsGEP(types.record, record_, {b.getInt32(0), b.getInt32(record_field::tid), b.getInt32(axis)});
  LoadInst* value = b.CreateLoad(types.i16, address);
  mark_context(*value, false);
  return b.CreateZExt(value, types.i32);
}

void replace_uses(Value& value, Instruction* once, function_ref<Value*(Builder&)> emit) {
  if (once) {
    if (value.use_empty()) return;
    Builder b(once);
    value.replaceAllUsesWith(emit(b));
    return;
  }
  DenseMap<BasicBlock*, Value*> incoming;  // a phi wants the same value from equal predecessors
  for (Use& use : make_early_inc_range(value.uses())) {
    auto* user = cast<Instruction>(use.getUser());
    auto* phi = dyn_cast<PHINode>(user);
    if (!phi) {
      Builder b(user);
      use.set(emit(b));
      continue;
    }
    Value*& shared = incoming[phi->getIncomingBlock(use)];
    if (!shared) {
      Builder b(phi->getIncomingBlock(use)->getTerminator());
      shared = emit(b);
    }
    use.set(shared);
  }
}

CallInst* call_service(Builder& b, ThreadContext& context, Type* result, unsigned field, ArrayRef<Value*> arguments) {
  const AbiTypes& types = context.types;
  SmallVector<Type*, 8> parameters;
  for (Value* v : arguments) parameters.push_back(v->getType());
  auto load = [&](StructType* type, Value* base, unsigned i) {
    LoadInst* value = b.CreateLoad(types.pointer, b.CreateStructGEP(type, base, i));
    mark_context(*value, true);
    return value;
  };
  if (field == services_field::fail) context.note_thread(b);
  Value* services = load(types.launch, context.launch(b), launch_field::services);
  CallInst* call =
      b.CreateCall(FunctionType::get(result, parameters, false), load(types.services, services, field), arguments);
  call->setDoesNotThrow();
  if (field == services_field::fail) call->setDoesNotReturn();
  return call;
}

namespace {

/// Lowers the calls of one function.
class Lowering {
 public:
  Lowering(Function& function, ThreadContext& context)
      : function_(function), context_(context), types_(context.types) {}

  void run() {
    SmallVector<CallInst*, 32> calls;
    for (Instruction& i : instructions(function_))
      if (auto* call = dyn_cast<CallInst>(&i); call && call->getCalledFunction()) calls.push_back(call);
    for (CallInst* call : calls)
      if (!lower_register(*call)) lower_service(*call);
  }

 private:
  void replace(CallInst& call, function_ref<Value*(Builder&)> emit) {
    replace_uses(call, context_.once, emit);
    call.eraseFromParent();
  }

  bool lower_register(CallInst& call) {
    using namespace Intrinsic;
    auto axis = [&](Intrinsic::ID x, Intrinsic::ID y, Intrinsic::ID z) {
      Intrinsic::ID id = call.getIntrinsicID();
      return id == x ? 0 : id == y ? 1 : id == z ? 2 : -1;
    };
    if (int a = axis(nvvm_read_ptx_sreg_tid_x, nvvm_read_ptx_sreg_tid_y, nvvm_read_ptx_sreg_tid_z); a >= 0)
      return replace_tid(call, a), true;
    if (int a = axis(nvvm_read_ptx_sreg_ctaid_x, nvvm_read_ptx_sreg_ctaid_y, nvvm_read_ptx_sreg_ctaid_z); a >= 0)
      return replace(call, [&](Builder& b) { return context_.ctaid(b, a); }), true;
    if (int a = axis(nvvm_read_ptx_sreg_ntid_x, nvvm_read_ptx_sreg_ntid_y, nvvm_read_ptx_sreg_ntid_z); a >= 0)
      return replace(call, [&](Builder& b) { return context_.ntid(b, a); }), true;
    if (int a = axis(nvvm_read_ptx_sreg_nctaid_x, nvvm_read_ptx_sreg_nctaid_y, nvvm_read_ptx_sreg_nctaid_z); a >= 0)
      return replace(call, [&](Builder& b) { return context_.nctaid(b, a); }), true;
    if (call.getIntrinsicID() == nvvm_read_ptx_sreg_warpsize)
      return replace(call, [](Builder& b) { return b.getInt32(32); }), true;
    if (call.getIntrinsicID() == nvvm_read_ptx_sreg_laneid) return lower_linear(call, false), true;
    if (call.getIntrinsicID() == nvvm_read_ptx_sreg_warpid) return lower_linear(call, true), true;
    StringRef name = call.getCalledFunction()->getName();
    if (name == kSharedBase) return replace(call, [&](Builder& b) { return context_.shared(b); }), true;
    if (name == "__lanza_grid_workspace")
      return replace(call,
                     [&](Builder& b) {
                       Value* cooperative = b.CreateAnd(context_.launch_flags(b), LANZA_LAUNCH_COOPERATIVE);
                       return b.CreateZExt(cooperative, types_.i64);
                     }),
             true;
    if (name == kStaticShared)
      return replace(call,
                     [&](Builder& b) { return b.getInt32(module_flag(*function_.getParent(), kSharedBytes, 0)); }),
             true;
    if (name == kDynamicShared) return replace(call, [&](Builder& b) { return context_.dynamic_shared(b); }), true;
    if (name == kGlobalsBase) return replace(call, [&](Builder& b) { return context_.globals(b); }), true;
    return false;
  }

  // Thread indices differ by lane: never computed once.
  void replace_tid(CallInst& call, unsigned axis) {
    replace_uses(call, nullptr, [&](Builder& b) { return context_.tid(b, axis); });
    call.eraseFromParent();
  }

  void lower_linear(CallInst& call, bool warp) {
    replace_uses(call, nullptr, [&](Builder& b) {
      Value* plane = b.CreateAdd(context_.tid(b, 1), b.CreateMul(context_.ntid(b, 1), context_.tid(b, 2)));
      Value* linear = b.CreateAdd(context_.tid(b, 0), b.CreateMul(context_.ntid(b, 0), plane));
      return warp ? b.CreateLShr(linear, 5) : b.CreateAnd(linear, 31);
    });
    call.eraseFromParent();
  }

  void lower_service(CallInst& call) {
    using namespace Intrinsic;
    Builder b(&call);
    StringRef name = call.getCalledFunction()->getName();
    auto argument = [&](unsigned i) { return call.getArgOperand(i); };
    Value* null = ConstantPointerNull::get(cast<PointerType>(types_.pointer));
    switch (call.getIntrinsicID()) {
      case trap:
      case ubsantrap:
        return finish(call, service(b, types_.nothing, services_field::fail,
                                    {context_.block(b), b.getInt32(LANZA_FAIL_TRAP), null, null, b.getInt32(0), null}));
      case debugtrap:  // stops in a debugger; without one the executor ends the launch
        return context_.note_thread(b);
      case nvvm_read_ptx_sreg_clock64:
      case readcyclecounter:
        return finish(call, service(b, types_.i64, services_field::clock, {}));
      case nvvm_read_ptx_sreg_clock:
        return finish(call, b.CreateTrunc(service(b, types_.i64, services_field::clock, {}), types_.i32));
      // One worker runs a block: among its threads only the compiler could reorder.
      case nvvm_membar_cta:
        return finish(call, b.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread));
      case nvvm_membar_gl:
      case nvvm_membar_sys:
        return finish(call, b.CreateFence(AtomicOrdering::SequentiallyConsistent));
      default:
        break;
    }
    if (name == "vprintf")
      return finish(call, service(b, types_.i32, services_field::print, {context_.block(b), argument(0), argument(1)}));
    if (name == "malloc")
      return finish(call, service(b, types_.pointer, services_field::allocate, {context_.block(b), argument(0)}));
    if (name == "free")
      return finish(call, service(b, types_.nothing, services_field::release, {context_.block(b), argument(0)}));
    if (name == "__lanza_clock") return finish(call, service(b, types_.i64, services_field::clock, {}));
    if (name == "__lanza_address_space")
      return finish(call, service(b, types_.i32, services_field::address_space, {context_.block(b), argument(0)}));
    if (name == kLaunchChild)
      return finish(call, service(b, types_.i32, services_field::launch_child,
                                  {context_.block(b), argument(0), argument(1), argument(2), argument(3)}));
    if (name == "__lanza_launch_error")
      return finish(call, service(b, types_.i32, services_field::launch_error,
                                  {context_.block(b), argument(0), argument(1), argument(2)}));
    if (name == kWait) return finish(call, service(b, types_.nothing, services_field::wait, {context_.block(b)}));
    if (name == "__lanza_global_timer") return finish(call, service(b, types_.i64, services_field::global_timer, {}));
    if (name == "__lanza_fail")
      finish(call, service(b, types_.nothing, services_field::fail,
                           {context_.block(b), argument(0), argument(1), argument(2), argument(3), argument(4)}));
  }

  Value* service(Builder& b, Type* result, unsigned field, ArrayRef<Value*> arguments) {
    return call_service(b, context_, result, field, arguments);
  }

  static void finish(CallInst& call, Value* result) {
    if (result && !call.getType()->isVoidTy()) call.replaceAllUsesWith(result);
    call.eraseFromParent();
  }

  Function& function_;
  ThreadContext& context_;
  const AbiTypes& types_;
};

// Loads from the argument block may be repeated like those of the context.
void mark_loads(Value& pointer) {
  for (User* user : pointer.users()) {
    if (auto* load = dyn_cast<LoadInst>(user)) mark_context(*load, true);
    if (isa<GetElementPtrInst>(user)) mark_loads(*user);
  }
}

AllocaInst* copy_of_argument(Argument& a, Type* type, Align align, Instruction* at,
                             function_ref<Value*(Builder&)> address) {
  Builder b(at);
  auto* copy = new AllocaInst(type, 0, nullptr, align, a.getName(), at->getFunction()->getEntryBlock().begin());
  b.CreateMemCpy(copy, align, address(b), align, at->getModule()->getDataLayout().getTypeAllocSize(type));
  return copy;
}

}  // namespace

// Address computations may lead to the loads.
bool is_only_read(const Value& pointer) {
  return all_of(pointer.users(), [&](const User* user) {
    if (auto* load = dyn_cast<LoadInst>(user)) return !load->isVolatile();
    if (isa<GetElementPtrInst>(user)) return is_only_read(*user);
    auto* copy = dyn_cast<MemTransferInst>(user);
    return copy && copy->getRawSource() == &pointer && copy->getRawDest() != &pointer;
  });
}

void lower_context(Function& function, ThreadContext& context) { Lowering(function, context).run(); }

SmallVector<ArgumentPlace, 8> places_of_arguments(const Function& kernel) {
  const DataLayout& layout = kernel.getParent()->getDataLayout();
  SmallVector<ArgumentPlace, 8> places;
  uint64_t offset = 0;
  for (const Argument& a : kernel.args()) {
    const bool by_value = a.hasByValAttr();
    Type* type = by_value ? a.getParamByValType() : a.getType();
    const Align align = by_value && a.getParamAlign() ? *a.getParamAlign() : layout.getABITypeAlign(type);
    offset = alignTo(offset, align);
    places.push_back({type, align, offset});
    offset += layout.getTypeAllocSize(type);
  }
  return places;
}

std::optional<ArgumentMember> loaded_member(const Value& loaded) {
  auto* load = dyn_cast<LoadInst>(&loaded);
  if (!load || !load->isSimple()) return {};
  APInt offset(64, 0);
  const DataLayout& layout = load->getDataLayout();
  const Value* base =
      load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  auto* parameter = dyn_cast<Argument>(base);
  if (!parameter || !parameter->hasByValAttr() || !is_only_read(*parameter) || offset.isNegative()) return {};
  const uint64_t end = offset.getZExtValue() + layout.getTypeStoreSize(load->getType());
  if (end > layout.getTypeAllocSize(parameter->getParamByValType())) return {};
  return ArgumentMember{parameter, offset.getZExtValue()};
}

void lower_arguments(Function& kernel, ThreadContext& context, Instruction* thread_entry) {
  const bool debug = module_flag(*kernel.getParent(), "lanza.debug", 0) != 0;
  for (auto [argument, place] : zip_equal(kernel.args(), places_of_arguments(kernel))) {
    Argument& a = argument;
    auto [type, align, offset] = place;
    auto address = [&context, at = offset](Builder& b) {
      return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), context.arguments(b), at);
    };
    if (!a.hasByValAttr()) {
      replace_uses(a, context.once, [&](Builder& b) {
        LoadInst* value = b.CreateAlignedLoad(type, address(b), align);
        mark_context(*value, true);
        return value;
      });
    } else if (!is_only_read(a) || debug) {  // a debugger shows a variable, not a place that is computed anew
      a.replaceAllUsesWith(copy_of_argument(a, type, align, thread_entry, address));
    } else if (context.once) {
      a.replaceAllUsesWith(copy_of_argument(a, type, align, context.once, address));
    } else {
      mark_loads(a);
      replace_uses(a, nullptr, address);
    }
  }
}

BasicBlock* take_body(Function& source, Function& target) {
  target.copyAttributesFrom(&source);
  target.setAttributes(AttributeList::get(target.getContext(), AttributeList::FunctionIndex,
                                          AttrBuilder(target.getContext(), source.getAttributes().getFnAttrs())));
  target.setSubprogram(source.getSubprogram());
  source.setSubprogram(nullptr);
  target.setCallingConv(CallingConv::C);
  target.setComdat(nullptr);
  target.setVisibility(GlobalValue::DefaultVisibility);
  target.setDSOLocal(true);
  // Attributes of the CUDA thread's code do not hold for the code around it.
  for (auto attribute :
       {Attribute::Memory, Attribute::WillReturn, Attribute::NoSync, Attribute::NoFree, Attribute::NoRecurse,
        Attribute::MustProgress, Attribute::AlwaysInline, Attribute::NoInline, Attribute::NoReturn})
    target.removeFnAttr(attribute);
  BasicBlock* body = &source.getEntryBlock();
  for (Instruction& i : make_early_inc_range(instructions(source)))
    if (auto* assumption = dyn_cast<AssumeInst>(&i); assumption && !assumption->hasOperandBundles())
      i.eraseFromParent();
  target.splice(target.end(), &source);
  SmallVector<AllocaInst*, 8> allocas;
  for (Instruction& i : *body)
    if (auto* alloca = dyn_cast<AllocaInst>(&i)) allocas.push_back(alloca);
  for (AllocaInst* alloca : reverse(allocas)) alloca->moveBefore(&*target.getEntryBlock().begin());
  return body;
}

}  // namespace lanza::compiler
