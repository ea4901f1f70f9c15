#include "compiler/frontend/child_kernels.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Sema/Sema.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/child_launch.h"
#include "compiler/frontend/kernels.hpp"
#include "compiler/passes/function_numbers.hpp"
#include "compiler/passes/thread_context.hpp"

using namespace llvm;

namespace lanza::compiler {
namespace {

constexpr char kConfigure[] = "cudaConfigureCall";
constexpr unsigned kLaunchOperand = 4;  // of cudaConfigureCall: where the configuration is kept

/// One launch: clang has made `if (cudaConfigureCall(...) == 0) kernel(arguments)` of it.
class Launch {
 public:
  Launch(const clang::ASTContext& context, clang::CodeGenerator& generator, CallInst& configure)
      : context_(context), generator_(generator), configure_(configure), module_(*configure.getModule()) {}

  void lower() {
    CallInst& call = kernel_call();
    IRBuilder<> entry(&*call.getFunction()->getEntryBlock().getFirstInsertionPt());
    memory_ = entry.CreateAlloca(ArrayType::get(entry.getInt64Ty(), sizeof(LanzaChildLaunch) / 8));
    configure_.setArgOperand(kLaunchOperand, memory_);
    if (const auto* kernel = dyn_cast<Function>(call.getCalledOperand()->stripPointerCasts()))
      launch(*kernel, call, &call);
    else
      choose(call);
    call.eraseFromParent();
  }

 private:
  // The last call before the block at which both branches meet.
  CallInst& kernel_call() const {
    const BasicBlock* start = configure_.getParent();
    for (BasicBlock* block : predecessors(start->getTerminator()->getSuccessor(0))) {
      if (block == start) continue;
      for (Instruction& i : reverse(*block))
        if (auto* call = dyn_cast<CallInst>(&i); call && !isa<IntrinsicInst>(i)) return *call;
    }
    llvm_unreachable("a launch calls its kernel");
  }

  const clang::FunctionDecl* declaration_of(const Function& kernel) const {
    const auto* declaration = dyn_cast_or_null<clang::FunctionDecl>(generator_.GetDeclForMangledName(kernel.getName()));
    if (!declaration || !declaration->hasAttr<clang::CUDAGlobalAttr>()) return nullptr;
    return declaration->getDefinition() ? declaration->getDefinition() : declaration;
  }

  void launch(const Function& kernel, const CallInst& call, Instruction* at) {
    const clang::FunctionDecl& declaration = *declaration_of(kernel);
    report_references(declaration);
    IRBuilder<> b(at);
    pack(declaration, call, b);
    const FunctionCallee launch_child = module_.getOrInsertFunction(kLaunchChild, b.getInt32Ty(), b.getPtrTy(),
                                                                    b.getPtrTy(), b.getInt32Ty(), b.getPtrTy());
    b.CreateCall(launch_child, {b.CreateGlobalString(kernel.getName(), "child"),
                                b.CreateGlobalString(written_name(declaration, context_), "child"),
                                b.getInt32(launch_bound(declaration, context_)), memory_});
  }

  void report_references(const clang::FunctionDecl& declaration) const {
    clang::DiagnosticsEngine& diagnostics = context_.getDiagnostics();
    const unsigned id = diagnostics.getCustomDiagID(
        clang::DiagnosticsEngine::Error,
        "'%0' is launched in device code, but takes '%1' by reference: a kernel takes values and pointers");
    for (const clang::ParmVarDecl* parameter : declaration.parameters())
      if (parameter->getType()->isReferenceType())
        diagnostics.Report(parameter->getLocation(), id) << written_name(declaration, context_) << parameter->getName();
  }

  void pack(const clang::FunctionDecl& declaration, const CallInst& call, IRBuilder<>& b) {
    const Kernel layout = parameters_of(declaration, context_);
    IRBuilder<> entry(memory_->getNextNode());
    AllocaInst* arguments = entry.CreateAlloca(ArrayType::get(b.getInt8Ty(), std::max(layout.argument_bytes, 1u)));
    arguments->setAlignment(Align(16));
    for (unsigned i = 0; i < layout.parameters.size(); ++i) {
      const Parameter& parameter = layout.parameters[i];
      Value* value = call.getArgOperand(i);
      Value* place = b.CreateConstInBoundsGEP1_32(b.getInt8Ty(), arguments, parameter.offset);
      const bool in_memory = value->getType()->isPointerTy() && parameter.kind != LANZA_PARAMETER_POINTER;
      if (in_memory) {
        b.CreateMemCpy(place, MaybeAlign(), value, MaybeAlign(), parameter.size);
        continue;
      }
      if (value->getType()->isIntegerTy(1)) value = b.CreateZExt(value, b.getInt8Ty());
      b.CreateAlignedStore(value, place, Align(1));
    }
    const auto member = [&](std::size_t offset) {
      return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), memory_, offset);
    };
    b.CreateStore(arguments, member(offsetof(LanzaChildLaunch, arguments)));
    b.CreateStore(b.getInt32(layout.argument_bytes), member(offsetof(LanzaChildLaunch, argument_bytes)));
  }

  // Through a pointer: a switch over the kernels that it may mean.
  void choose(CallInst& call) {
    BasicBlock* end = call.getParent()->splitBasicBlock(call.getIterator());
    BasicBlock* none = BasicBlock::Create(module_.getContext(), "", call.getFunction(), end);
    IRBuilder<>(none).CreateIntrinsic(Intrinsic::trap, {}, {});
    IRBuilder<>(none).CreateUnreachable();
    Instruction* before = end->getSinglePredecessor()->getTerminator();
    IRBuilder<> b(before);
    SwitchInst* choice = b.CreateSwitch(b.CreatePtrToInt(call.getCalledOperand(), b.getInt64Ty()), none);
    before->eraseFromParent();
    for (const Function& kernel : module_) {
      if (!function_number(kernel) || kernel.getFunctionType() != call.getFunctionType() || !declaration_of(kernel))
        continue;
      BasicBlock* block = BasicBlock::Create(module_.getContext(), "", call.getFunction(), end);
      launch(kernel, call, BranchInst::Create(end, block));
      choice->addCase(b.getInt64(function_number(kernel)), block);
    }
  }

  const clang::ASTContext& context_;
  clang::CodeGenerator& generator_;
  CallInst& configure_;
  Module& module_;
  AllocaInst* memory_ = nullptr;
};

// The function in which a lambda stands, or nothing.
const clang::FunctionDecl* function_around(const clang::FunctionDecl& function) {
  const auto* method = dyn_cast<clang::CXXMethodDecl>(&function);
  if (!method || !method->getParent()->isLambda()) return nullptr;
  const auto* outer = dyn_cast<clang::FunctionDecl>(method->getParent()->getDeclContext());
  const clang::FunctionDecl* further = outer ? function_around(*outer) : nullptr;
  return further ? further : outer;
}

bool is_of_the_host(const clang::FunctionDecl& function) {
  return !function.isDependentContext() && !function.hasAttr<clang::CUDADeviceAttr>() &&
         !function.hasAttr<clang::CUDAGlobalAttr>();
}

}  // namespace

void allow_launches(clang::Sema& sema) {
  clang::DiagnosticsEngine& engine = sema.getDiagnostics();
  const unsigned host = engine.getCustomDiagID(clang::DiagnosticsEngine::Error, "a kernel is launched in host code");
  for (auto& [lambda, diagnostics] : sema.DeviceDeferredDiags) {
    const clang::FunctionDecl* function = function_around(*lambda);
    if (!function) continue;
    bool forget = false;  // the notes of a message follow it
    erase_if(diagnostics, [&](clang::PartialDiagnosticAt& diagnostic) {
      const unsigned id = diagnostic.second.getDiagID();
      if (id == clang::diag::err_ref_bad_target) {
        SmallString<128> message;
        diagnostic.second.EmitToString(engine, message);
        forget = message.starts_with("reference to __global__ function");
        if (forget && is_of_the_host(*function)) engine.Report(diagnostic.first, host);
      } else if (id != clang::diag::note_previous_decl) {
        forget = false;
      }
      return forget;
    });
  }
}

void launch_children(const clang::ASTContext& context, clang::CodeGenerator& generator, Module& module) {
  Function* configure = module.getFunction(kConfigure);
  if (!configure) return;
  for (User* user : make_early_inc_range(configure->users())) Launch(context, generator, *cast<CallInst>(user)).lower();
}

}  // namespace lanza::compiler
