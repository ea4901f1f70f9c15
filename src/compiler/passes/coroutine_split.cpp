// The split of the thread engine's coroutines, and what has to be cleaned up behind it.
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Coroutines/CoroCleanup.h>
#include <llvm/Transforms/Coroutines/CoroEarly.h>
#include <llvm/Transforms/Coroutines/CoroSplit.h>

#include "compiler/passes/fold_reflect.hpp"
#include "compiler/passes/kept_addresses.hpp"
#include "compiler/passes/retarget.hpp"
#include "compiler/passes/thread_engine.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

/// What a value is computed from: by how many steps, from how many values that would have to be kept for it. What all
/// threads can ask for (kContextMark) is no such value.
class Computation {
 public:
  explicit Computation(Instruction& value) { add(&value); }

  // LLVM's own rule recomputes arithmetic but keeps the loads at its roots in the frame: 376 bytes a thread against 64
  // for a tiled product. A sum over barriers must not come from all that it was added up from: with 480 of them it took
  // 9.7 s to compile, and 21 times as long to run.
  bool may_be_repeated() const {
    return !steps_.empty() && steps_.size() <= kMostSteps && arithmetic_ <= kMostArithmetic && roots_.size() <= 1;
  }

 private:
  // With them the address of an element of a tile, whose roots are all in the context, is no value of the frame.
  static constexpr unsigned kMostSteps = 40, kMostArithmetic = 8;

  static bool is_step(const Instruction& i) {
    if (isa<LoadInst>(i)) return i.hasMetadata(kContextMark);
    return isa<CastInst, GetElementPtrInst, BinaryOperator, CmpInst, SelectInst>(i);
  }

  // The frame, and variables in it.
  static bool is_always_there(const Instruction& i) {
    auto* call = dyn_cast<IntrinsicInst>(&i);
    return isa<AllocaInst>(i) || (call && call->getIntrinsicID() == Intrinsic::coro_begin);
  }

  void add(Value* value) {
    auto* i = dyn_cast<Instruction>(value);
    if (!i || is_always_there(*i) || roots_.size() > 1 || steps_.size() > kMostSteps) return;
    if (!is_step(*i)) {
      roots_.insert(i);
      return;
    }
    if (!steps_.insert(i).second) return;
    arithmetic_ += isa<BinaryOperator, SelectInst>(i);
    for (Value* operand : i->operands()) add(operand);
  }

  SmallPtrSet<const Instruction*, 16> steps_;
  SmallPtrSet<const Instruction*, 2> roots_;
  unsigned arithmetic_ = 0;
};

bool may_be_repeated(Instruction& i) { return Computation(i).may_be_repeated(); }

}  // namespace

// The frame's size and alignment were stored to a global: constants now.
static void read_frame_note(Module& module, ThreadEngine& engine) {
  GlobalVariable* note = module.getNamedGlobal("lanza.frame");
  auto take = [](User* user, uint64_t& into) {
    auto* store = dyn_cast<StoreInst>(user);
    if (!store) return;
    into = cast<ConstantInt>(store->getValueOperand())->getZExtValue();
    store->eraseFromParent();
  };
  for (User* user : make_early_inc_range(note->users())) {
    if (isa<StoreInst>(user))
      take(user, engine.frame_bytes);
    else
      for (User* address_user : make_early_inc_range(user->users())) take(address_user, engine.frame_align);
  }
  note->removeDeadConstantUsers();
  if (note->use_empty()) note->eraseFromParent();
}

// Frames die with the block: the copies of the body that would destroy one are two thirds of the split's output, and
// never called.
static void drop_destroyers(Module& module) {
  for (Function& f : make_early_inc_range(module)) {
    if (!f.getName().ends_with(".destroy") && !f.getName().ends_with(".cleanup")) continue;
    f.replaceAllUsesWith(ConstantPointerNull::get(cast<PointerType>(f.getType())));
    f.eraseFromParent();
  }
}

void split_coroutines(Module& module, ThreadEngine& engine, PassRunner& runner) {
  // A debugger finds variables in a frame whose slots are not shared.
  const bool debug = module_flag(module, "lanza.debug", 0) != 0;
  for (Function& f : module)
    if (f.isPresplitCoroutine()) keep_addressed_variables(f);
  ModulePassManager passes;
  passes.addPass(CoroEarlyPass());
  passes.addPass(createModuleToPostOrderCGSCCPassAdaptor(CoroSplitPass(may_be_repeated, /*OptimizeFrame=*/!debug)));
  passes.addPass(CoroCleanupPass());
  runner.run(module, passes);
  drop_destroyers(module);
  read_frame_note(module, engine);
  for (Function& f : module) {
    if (f.isDeclaration()) continue;
    f.setCallingConv(CallingConv::C);  // the split makes fastcc, the scheduler calls C
    if (!f.getName().ends_with(".resume")) continue;
    // The start function wrote the record; from the first resume on thread and block are invariant.
    for (Instruction& i : instructions(f))
      if (i.hasMetadata(kContextMark))
        i.setMetadata(LLVMContext::MD_invariant_load, MDNode::get(module.getContext(), {}));
  }
}

}  // namespace lanza::compiler
