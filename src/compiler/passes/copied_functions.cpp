#include "compiler/passes/copied_functions.hpp"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "compiler/passes/flat_records.hpp"

using namespace llvm;
using namespace PatternMatch;

namespace lanza::compiler {

static bool is_plain_call(const CallInst& call) {
  if (call.isLifetimeStartOrEnd() || isa<MemTransferInst>(call)) return true;
  const Function* called = call.getCalledFunction();
  if (!called) return false;
  return !called->isDeclaration() || called->getIntrinsicID() == Intrinsic::fma ||
         called->getIntrinsicID() == Intrinsic::fabs;
}

static bool is_bool_as_byte(const Value& value) {
  auto* byte = dyn_cast<ZExtInst>(&value);
  return byte && byte->getSrcTy()->isIntegerTy(1);
}

// A variable that is given bools and nothing else.
static bool is_bool(const Value* place) {
  auto* variable = dyn_cast_or_null<AllocaInst>(place);
  return variable && all_of(variable->users(), [](const User* user) {
           auto* store = dyn_cast<StoreInst>(user);
           if (store) return is_bool_as_byte(*store->getValueOperand());
           return isa<LoadInst>(user) || cast<Instruction>(user)->isLifetimeStartOrEnd();
         });
}

// Of a bool from elsewhere clang says that it is 0 or 1, which read_bools has yet to doubt.
static bool is_plain(const Instruction& i) {
  if (i.hasMetadata(LLVMContext::MD_range) && !is_bool(getLoadStorePointerOperand(&i))) return false;
  if (auto* call = dyn_cast<CallInst>(&i)) return is_plain_call(*call);
  if (isa<AllocaInst, LoadInst, StoreInst, GetElementPtrInst, InsertValueInst, ExtractValueInst, FCmpInst, ICmpInst,
          SelectInst, PHINode, BranchInst, ReturnInst, FPExtInst, FPTruncInst, ZExtInst, SExtInst, TruncInst,
          BitCastInst>(i))
    return true;
  switch (i.getOpcode()) {
    case Instruction::FNeg:
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Mul:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
      return true;
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr: {
      const APInt* amount = nullptr;
      return match(i.getOperand(1), m_APInt(amount)) && amount->ult(amount->getBitWidth());
    }
    default:
      return false;
  }
}

static bool is_plain(Function& function) {
  return all_of(instructions(function), [](const Instruction& i) { return is_plain(i); });
}

CopiedFunctions::CopiedFunctions(Module& module, FunctionAnalysisManager& analyses, unsigned many_calls)
    : analyses_(analyses) {
  for (Function& f : module)
    if (!f.isDeclaration() && f.getNumUses() >= many_calls) copied_.insert(&f);
  for (size_t k = 0; k < copied_.size(); ++k)
    for (Instruction& i : instructions(*copied_[k])) {
      auto* call = dyn_cast<CallInst>(&i);
      Function* callee = call ? call->getCalledFunction() : nullptr;
      if (callee && !callee->isDeclaration()) copied_.insert(callee);
    }
  // What a function with other operations is called by can have its values in registers all the same.
  for (Function* f : copied_) {
    if (!is_plain(*f)) continue;
    DominatorTree tree(*f);
    flatten_records(*f, tree, 1);
  }
}

void CopiedFunctions::simplify(Function& function) {
  if (!copied_.contains(&function) || !is_plain(function)) return;
  analyses_.clear(function, function.getName());
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(SimplifyCFGPass());
  passes.run(function, analyses_);
  analyses_.clear(function, function.getName());
  // Of a parameter that is passed by value the inliner makes no copy then.
  if (none_of(instructions(function), [](const Instruction& i) { return i.mayWriteToMemory(); }))
    function.setOnlyReadsMemory();
}

}  // namespace lanza::compiler
