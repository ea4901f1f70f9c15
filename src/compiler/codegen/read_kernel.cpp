#include "compiler/codegen/read_kernel.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/passes/extract_kernel.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

class Reached {
 public:
  explicit Reached(Function& kernel) { functions_.insert(&kernel); }

  /// Parses them. False: who else may be called is not known.
  Expected<bool> read() {
    for (size_t i = 0; i < functions_.size(); ++i) {
      if (Error error = functions_[i]->materialize()) return error;
      for (Instruction& inside : instructions(*functions_[i]))
        if (!enter(inside)) return false;
    }
    return true;
  }

  bool contains(Function& f) const { return functions_.contains(&f); }

 private:
  // A function stands nowhere but where it is called.
  bool enter(Instruction& i) {
    auto* call = dyn_cast<CallBase>(&i);
    if (call && call->isIndirectCall()) return false;
    for (const Use& use : i.operands()) {
      auto* f = dyn_cast<Function>(use);
      if (!f) {
        if (isa<ConstantExpr, ConstantAggregate>(use) && mentions_function(*cast<Constant>(use))) return false;
        continue;
      }
      if (!call || !call->isCallee(&use)) return false;
      functions_.insert(f);
    }
    return true;
  }

  static bool mentions_function(const Constant& constant) {
    return any_of(constant.operands(), [](const Use& use) {
      return isa<Function>(use) ||
             (isa<ConstantExpr, ConstantAggregate>(use) && mentions_function(*cast<Constant>(use)));
    });
  }

  SmallSetVector<Function*, 16> functions_;
};

}  // namespace

// Before any function is read: what uses them is the data of the module.
static bool data_has_functions(const Module& module) {
  return !module.alias_empty() || !module.ifunc_empty() ||
         any_of(module, [](const Function& f) { return !f.use_empty(); });
}

static Expected<std::unique_ptr<Module>> read(MemoryBufferRef bitcode, const std::string& name, LLVMContext& context) {
  auto read = getLazyBitcodeModule(bitcode, context);
  if (!read) return read;
  Module& module = **read;
  Function* kernel = module.getFunction(name);
  if (kernel && module.alias_empty()) {
    if (Error error = module.materializeMetadata()) return error;
    drop_keepers(module);
    if (!data_has_functions(module)) {
      Reached reached(*kernel);
      auto known = reached.read();
      if (!known) return known.takeError();
      if (*known)
        for (Function& f : make_early_inc_range(module))
          if (f.isMaterializable() && !reached.contains(f)) f.eraseFromParent();
    }
  }
  if (Error error = module.materializeAll()) return error;
  return read;
}

std::unique_ptr<Module> read_kernel(MemoryBufferRef bitcode, const std::string& kernel, LLVMContext& context,
                                    std::string& error) {
  auto module = read(bitcode, kernel, context);
  if (!module) {
    error = "the bitcode is damaged: " + toString(module.takeError());
    return nullptr;
  }
  Function* found = (*module)->getFunction(kernel);
  if (found && !found->isDeclaration()) return std::move(*module);
  error = "the bitcode has no kernel " + kernel;
  return nullptr;
}

}  // namespace lanza::compiler
