#include "compiler/passes/called_functions.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/passes/lane_functions.hpp"
#include "compiler/virtual_paths.hpp"

using namespace llvm;

namespace lanza::compiler {

static constexpr char kBody[] = ".body";

namespace {

// Instructions as clang writes them. Below the first all copies take less than half a second, and calls 1.2 times the
// time of copies or more; a function that is short, or has few copies, is better off with them.
constexpr uint64_t kLongCopies = 16000, kLeastSize = 24, kLeastCopies = 8;

Function* callee_of(const Instruction& i) {
  auto* call = dyn_cast<CallInst>(&i);
  return call ? call->getCalledFunction() : nullptr;
}

bool is_of_prelude(const Function& f) {
  const DISubprogram* place = f.getSubprogram();
  return place && is_virtual_prelude(place->getFilename());
}

bool has_loops(const Function& f) {
  SmallVector<std::pair<const BasicBlock*, const BasicBlock*>, 4> back;
  FindFunctionBackedges(f, back);
  return !back.empty();
}

bool is_number(const Type* type) {
  return type->isFloatTy() || type->isDoubleTy() || type->isIntegerTy(32) || type->isIntegerTy(64);
}

bool has_numbers_only(const Function& f) {
  auto* members = dyn_cast<StructType>(f.getReturnType());
  const bool returns_numbers =
      members ? all_of(members->elements(), [](Type* t) { return is_number(t); }) : is_number(f.getReturnType());
  return returns_numbers && !f.isVarArg() && !f.arg_empty() &&
         all_of(f.args(), [](const Argument& a) { return is_number(a.getType()); });
}

/// What the functions of a kernel would come to if all were inlined.
class Copies {
 public:
  explicit Copies(const Function& kernel) { collect(kernel, true); }

  void keep() {
    uint64_t all = 0;
    for (Function* f : found_) all += copies_[f] * size_of(*f);
    if (all < kLongCopies) return;
    for (Function* f : found_)
      if (copies_[f] >= kLeastCopies && size_of(*f) >= kLeastSize) keep(*f);
  }

 private:
  // The outermost functions of numbers, and how often they are called. What calls itself stays what it is.
  void collect(const Function& caller, bool is_first) {
    if (!is_first && !path_.insert(&caller)) return;
    for (const Instruction& i : instructions(caller)) {
      Function* f = callee_of(i);
      if (!f || f->isDeclaration()) continue;
      if (is_pure(*f)) {
        found_.insert(f);
        ++copies_[f];
      } else if (visits_++ < kMostVisits) {
        collect(*f, false);
      }
    }
    if (!is_first) path_.pop_back();
  }

  // Variables become values.
  static bool is_of_variable(const Instruction& i) {
    const Value* address = getLoadStorePointerOperand(&i);
    return address && isa<AllocaInst>(address);
  }

  uint64_t size_of(const Function& f) {
    if (const auto known = sizes_.find(&f); known != sizes_.end()) return known->second;
    uint64_t size = 0;
    for (const Instruction& i : instructions(f)) {
      if (isa<AllocaInst, DbgInfoIntrinsic>(i) || i.isLifetimeStartOrEnd() || is_of_variable(i)) continue;
      Function* called = callee_of(i);
      size += called && !called->isDeclaration() ? size_of(*called) : 1;
    }
    return sizes_[&f] = size;
  }

  bool is_pure(const Function& f) {
    if (const auto known = pure_.find(&f); known != pure_.end()) return known->second;
    SmallPtrSet<const Function*, 8> callers;
    const bool pure = has_numbers_only(f) && computes_only(f, is_of_prelude(f), callers);
    return pure_[&f] = pure;
  }

  // Without effects, whatever its arguments are: lanes that take no part have any. The prelude's are known to be, also
  // with loops and tables.
  static bool computes_only(const Function& f, bool of_prelude, SmallPtrSetImpl<const Function*>& callers) {
    if (!callers.insert(&f).second || f.hasFnAttribute(Attribute::NoReturn)) return false;
    if (!of_prelude && has_loops(f)) return false;
    const bool all = llvm::all_of(instructions(f), [&](const Instruction& i) {
      return computes_only(i, callers.size() > 1, of_prelude, callers);
    });
    callers.erase(&f);
    return all;
  }

  // Arguments of functions that it calls point to its own variables.
  static bool computes_only(const Instruction& i, bool has_caller, bool of_prelude,
                            SmallPtrSetImpl<const Function*>& callers) {
    auto is_own = [&](const Value* address, bool is_read) {
      const Value* object = of_prelude ? getUnderlyingObject(address) : address->stripInBoundsConstantOffsets();
      if (isa<AllocaInst>(object) || (has_caller && isa<Argument>(object))) return true;
      auto* table = dyn_cast<GlobalVariable>(object);
      return is_read && of_prelude && table && table->isConstant();
    };
    if (isa<DbgInfoIntrinsic>(i) || i.isLifetimeStartOrEnd() || isa<AssumeInst>(i)) return true;
    if (i.isVolatile() || i.isAtomic() || isa<UnreachableInst>(i)) return false;
    if (const Value* address = getLoadStorePointerOperand(&i)) return is_own(address, isa<LoadInst>(i));
    if (auto* transfer = dyn_cast<MemTransferInst>(&i))
      return is_own(transfer->getDest(), false) && is_own(transfer->getSource(), true);
    if (auto* memory = dyn_cast<MemSetInst>(&i)) return is_own(memory->getDest(), false);
    auto* call = dyn_cast<CallInst>(&i);
    if (!call) return !i.mayReadOrWriteMemory();
    const Function* called = call->getCalledFunction();
    if (!called) return false;
    if (called->isDeclaration()) return called->isIntrinsic() && call->doesNotAccessMemory() && !is_of_thread(*call);
    return all_of(call->args(), [&](const Use& a) { return !a->getType()->isPointerTy() || is_own(a, false); }) &&
           computes_only(*called, of_prelude || is_of_prelude(*called), callers);
  }

  // Registers of a thread.
  static bool is_of_thread(const CallInst& call) {
    return call.isConvergent() || call.getCalledFunction()->getName().starts_with("llvm.nvvm.read.");
  }

  void keep(Function& f) {
    const std::string name = f.getName().str();
    f.setName(name + kBody);
    FunctionCallee one = lane_function(*f.getParent(), name, f.getFunctionType());
    note_steps(*cast<Function>(one.getCallee()), size_of(f));
    for (User* user : make_early_inc_range(f.users())) {
      auto* call = dyn_cast<CallInst>(user);
      if (!call || call->getCalledFunction() != &f) continue;
      call->setCalledFunction(one);
      call->setAttributes({});
    }
    f.setLinkage(GlobalValue::ExternalLinkage);  // that it stays
    f.addFnAttr(kComputesOnly);
    f.setMemoryEffects(MemoryEffects::none());
    f.setDoesNotThrow();
    f.setWillReturn();
    f.setSpeculatable();
    f.removeFnAttr(Attribute::AlwaysInline);
    f.removeFnAttr(Attribute::Convergent);
    for (Argument& argument : f.args()) argument.removeAttr(Attribute::NoUndef);  // of a lane that takes no part
    f.removeRetAttr(Attribute::NoUndef);
  }

  static constexpr unsigned kMostVisits = 10000;
  SetVector<Function*> found_;
  SetVector<const Function*> path_;
  DenseMap<const Function*, uint64_t> copies_, sizes_;
  DenseMap<const Function*, bool> pure_;
  unsigned visits_ = 0;
};

}  // namespace

void keep_called_functions(Function& kernel) { Copies(kernel).keep(); }

Function* body_of_lane_function(Module& module, StringRef name) {
  Function* body = module.getFunction((name + kBody).str());
  return body && body->hasFnAttribute(kComputesOnly) ? body : nullptr;
}

void lower_called_functions(Module& module) {
  SmallVector<Function*, 8> bodies;
  for (Function& f : module)
    if (f.hasFnAttribute(kComputesOnly) && f.getName().ends_with(kBody)) bodies.push_back(&f);
  for (Function* body : bodies) {
    StringRef name = body->getName();
    name.consume_back(kBody);
    if (Function* one = module.getFunction(name)) {  // else all its calls turned out to be for nothing
      one->replaceAllUsesWith(body);
      one->eraseFromParent();
    }
    body->setLinkage(GlobalValue::InternalLinkage);
  }
  // Not before: one may be called by another.
  for (bool changed = true; changed;) {
    changed = false;
    for (Function*& body : bodies)
      if (body && body->use_empty()) body->eraseFromParent(), body = nullptr, changed = true;
  }
}

}  // namespace lanza::compiler
