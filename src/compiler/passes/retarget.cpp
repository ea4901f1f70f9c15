#include "compiler/passes/retarget.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "compiler/passes/debug_variables.hpp"
#include "compiler/passes/sync_calls.hpp"

using namespace llvm;

namespace lanza::compiler {

namespace {

constexpr unsigned kShared = 3, kConstant = 4;

/// Pointer types without their address space. Named structs need no change: CUDA C++ cannot put an address space into a
/// member's type.
struct FlatTypes : ValueMapTypeRemapper {
  Type* remapType(Type* type) override {
    LLVMContext& context = type->getContext();
    if (isa<PointerType>(type)) return PointerType::get(context, 0);
    if (auto* vector = dyn_cast<VectorType>(type))
      return VectorType::get(remapType(vector->getElementType()), vector->getElementCount());
    if (auto* array = dyn_cast<ArrayType>(type))
      return ArrayType::get(remapType(array->getElementType()), array->getNumElements());
    auto* literal = dyn_cast<StructType>(type);
    if (!literal || !literal->isLiteral()) return type;
    SmallVector<Type*, 8> elements;
    for (Type* element : literal->elements()) elements.push_back(remapType(element));
    return StructType::get(context, elements, literal->isPacked());
  }
};

// On shared memory only the compiler could reorder: one worker runs a block. The front end writes the system's scope as
// volatile. Whatever orders other accesses keeps the widest scope.
template <class Operation>
void mark_scope(Operation& operation, unsigned space, bool is_relaxed) {
  if (space == kShared)
    operation.setSyncScopeID(SyncScope::SingleThread);
  else if (is_relaxed && !operation.isVolatile())
    operation.setSyncScopeID(device_scope(operation.getContext()));
  operation.setVolatile(false);
}

void mark_scopes(Function& function) {
  constexpr AtomicOrdering relaxed = AtomicOrdering::Monotonic;
  for (Instruction& i : instructions(function)) {
    if (auto* operation = dyn_cast<AtomicRMWInst>(&i))
      mark_scope(*operation, operation->getPointerAddressSpace(), operation->getOrdering() == relaxed);
    if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&i))
      mark_scope(*exchange, exchange->getPointerAddressSpace(),
                 exchange->getSuccessOrdering() == relaxed && exchange->getFailureOrdering() == relaxed);
  }
}

// No store reaches it while a kernel runs, whatever pointers are then.
void mark_constant(Function& function) {
  for (Instruction& i : instructions(function))
    if (auto* load = dyn_cast<LoadInst>(&i); load && load->getPointerAddressSpace() == kConstant && load->isSimple())
      load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(load->getContext(), {}));
}

class Retarget {
 public:
  Retarget(Module& module, TargetMachine& host, bool keep_shared_atomics)
      : module_(module), host_(host), keep_shared_atomics_(keep_shared_atomics) {}

  void run() {
    for (Function& f : module_) {
      mark_scopes(f);
      mark_constant(f);
      if (!keep_shared_atomics_) lower_block_atomics(f);
    }
    module_.setTargetTriple(host_.getTargetTriple().str());
    module_.setDataLayout(host_.createDataLayout());
    collect_globals();
    place_shared();
    place_device_variables();
    move_constants();
    for (Function& f : module_) flatten(f);
    for (GlobalVariable* g : globals_) {
      g->removeDeadConstantUsers();
      if (g->use_empty()) g->eraseFromParent();
    }
  }

 private:
  void collect_globals() {
    for (GlobalVariable& g : module_.globals())
      if (g.getAddressSpace() != 0 || g.hasMetadata(kOffsetMetadata)) globals_.push_back(&g);
    SmallVector<Constant*, 16> constants(globals_.begin(), globals_.end());
    convertUsersOfConstantsToInstructions(constants);
  }

  // One address per use, from the block's context: it is computed again after a suspend, not kept in the frame.
  void replace_by_offset(GlobalVariable& g, StringRef base, uint64_t offset) {
    note_debug_variable(g, base, offset);
    FunctionCallee callee = module_.getOrInsertFunction(base, PointerType::get(module_.getContext(), 0));
    auto* function = cast<Function>(callee.getCallee());
    function->setMemoryEffects(MemoryEffects::none());
    function->setDoesNotThrow();
    function->setWillReturn();
    g.removeDeadConstantUsers();
    DenseMap<BasicBlock*, Value*> incoming;  // a phi wants the same value from equal predecessors
    for (Use& use : make_early_inc_range(g.uses())) {
      auto* user = dyn_cast<Instruction>(use.getUser());
      if (!user) continue;  // in another global's initialiser; the caller reports it
      auto* phi = dyn_cast<PHINode>(user);
      IRBuilder<> b(phi ? phi->getIncomingBlock(use)->getTerminator() : user);
      auto address = [&] {
        Value* p = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), b.CreateCall(callee), offset);
        return b.CreateAddrSpaceCast(p, g.getType());
      };
      if (!phi) {
        use.set(address());
        continue;
      }
      Value*& shared = incoming[phi->getIncomingBlock(use)];
      if (!shared) shared = address();
      use.set(shared);
    }
  }

  void place_shared() {
    const DataLayout& layout = module_.getDataLayout();
    uint64_t size = 0;
    DenseMap<GlobalVariable*, uint64_t> offsets;
    SmallVector<Metadata*, 8> gaps;
    auto align = [&](uint64_t to) {
      const uint64_t end = std::exchange(size, alignTo(size, to));
      if (size == end) return;
      for (const uint64_t number : {end, size - end})
        gaps.push_back(ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(module_.getContext()), number)));
    };
    for (GlobalVariable* g : globals_) {
      if (g->getAddressSpace() != kShared || g->isDeclaration()) continue;
      align(std::max<uint64_t>(16, g->getAlign().valueOrOne().value()));
      offsets[g] = size;
      size += layout.getTypeAllocSize(g->getValueType());
    }
    align(64);
    for (GlobalVariable* g : globals_)
      if (g->getAddressSpace() == kShared) replace_by_offset(*g, kSharedBase, g->isDeclaration() ? size : offsets[g]);
    if (any_of(globals_, [](GlobalVariable* g) { return g->getAddressSpace() == kShared && g->isDeclaration(); }))
      module_.addModuleFlag(Module::Warning, kUsesDynamicShared, 1);
    module_.addModuleFlag(Module::Warning, kSharedBytes,
                          ConstantInt::get(Type::getInt64Ty(module_.getContext()), size));
    if (!gaps.empty()) module_.addModuleFlag(Module::Warning, kSharedGaps, MDTuple::get(module_.getContext(), gaps));
  }

  void place_device_variables() {
    for (GlobalVariable* g : globals_)
      if (MDNode* offset = g->getMetadata(kOffsetMetadata))
        replace_by_offset(*g, kGlobalsBase, mdconst::extract<ConstantInt>(offset->getOperand(0))->getZExtValue());
  }

  void move_constants() {
    for (GlobalVariable* g : globals_) {
      if (g->getAddressSpace() == kShared || g->hasMetadata(kOffsetMetadata)) continue;
      // threadIdx and its kin, objects without storage: only their addresses pass to their own members.
      Constant* nothing = g->isDeclaration() ? UndefValue::get(g->getValueType()) : nullptr;
      auto* flat = new GlobalVariable(module_, g->getValueType(), g->isConstant(), GlobalValue::InternalLinkage,
                                      nothing, "", g, GlobalValue::NotThreadLocal, 0);
      flat->setAlignment(g->getAlign());
      flat->takeName(g);
      map_[g] = flat;
    }
    for (GlobalVariable* g : globals_)
      if (Value* flat = map_.lookup(g); flat && g->hasInitializer())
        cast<GlobalVariable>(flat)->setInitializer(MapValue(g->getInitializer(), map_, kRemapFlags, &types_));
  }

  void flatten(Function& function) {
    set_attributes(function);
    SmallVector<Instruction*, 8> casts;
    for (Instruction& i : instructions(function)) {
      RemapInstruction(&i, map_, kRemapFlags, &types_);
      RemapDbgRecordRange(&module_, i.getDbgRecordRange(), map_, kRemapFlags, &types_);
      if (isa<AddrSpaceCastInst>(i)) casts.push_back(&i);
      if (auto* call = dyn_cast<CallInst>(&i)) redeclare(*call);
    }
    for (Instruction* i : casts) {
      i->replaceAllUsesWith(i->getOperand(0));
      i->eraseFromParent();
    }
  }

  // An intrinsic with pointer overloads: the call's type is flat now, its declaration is the old one.
  void redeclare(CallInst& call) {
    Function* callee = call.getCalledFunction();
    if (!callee) callee = dyn_cast<Function>(call.getCalledOperand());
    if (!callee || !callee->isIntrinsic() || call.getFunctionType() == callee->getFunctionType()) return;
    SmallVector<Type*, 4> overloads;
    if (Intrinsic::getIntrinsicSignature(callee->getIntrinsicID(), call.getFunctionType(), overloads))
      call.setCalledFunction(Intrinsic::getDeclaration(&module_, callee->getIntrinsicID(), overloads));
  }

  void set_attributes(Function& function) {
    for (StringRef name :
         {"target-cpu", "target-features", "uniform-work-group-size", "no-trapping-math", "stack-protector-buffer-size",
          "frame-pointer", "denormal-fp-math", "denormal-fp-math-f32", "nvptx-f32ftz"})
      function.removeFnAttr(name);
    // A barrier that is copied into both sides of a branch is two barriers.
    if (function.getName() != kSyncName) function.removeFnAttr(Attribute::Convergent);
    function.setCallingConv(CallingConv::C);
    for (Instruction& i : instructions(function))
      if (auto* call = dyn_cast<CallInst>(&i)) {
        call->setCallingConv(CallingConv::C);
        call->removeFnAttr(Attribute::Convergent);
      }
    if (function.isDeclaration()) return;
    function.addFnAttr("target-cpu", host_.getTargetCPU());
    function.addFnAttr("target-features", host_.getTargetFeatureString());
    function.addFnAttr("prefer-vector-width", "512");  // LLVM's default of 256 costs a fifth where there is AVX-512
    function.addFnAttr("probe-stack", "inline-asm");   // large frames touch each page: none jumps over a stack's guard
    function.setDoesNotThrow();
  }

  const RemapFlags kRemapFlags = RF_IgnoreMissingLocals | RF_ReuseAndMutateDistinctMDs;

  Module& module_;
  TargetMachine& host_;
  const bool keep_shared_atomics_;
  SmallVector<GlobalVariable*, 16> globals_;
  ValueToValueMapTy map_;
  FlatTypes types_;
};

}  // namespace

SyncScope::ID device_scope(LLVMContext& context) { return context.getOrInsertSyncScopeID("device"); }

SmallVector<std::pair<uint64_t, uint64_t>, 4> shared_gaps(const Module& module) {
  SmallVector<std::pair<uint64_t, uint64_t>, 4> gaps;
  auto number = [](const MDOperand& entry) { return mdconst::extract<ConstantInt>(entry)->getZExtValue(); };
  if (auto* entries = dyn_cast_or_null<MDTuple>(module.getModuleFlag(kSharedGaps)))
    for (unsigned k = 0; k + 1 < entries->getNumOperands(); k += 2)
      gaps.push_back({number(entries->getOperand(k)), number(entries->getOperand(k + 1))});
  return gaps;
}

bool is_shared_memory(const Value* address) {
  auto* base = dyn_cast<CallInst>(getUnderlyingObject(address));
  return base && base->getCalledFunction() && base->getCalledFunction()->getName() == kSharedBase;
}

void lower_block_atomics(Function& function) {
  for (BasicBlock& block : function) lower_block_atomics(block);
}

static LoadInst* load_found(IRBuilder<>& b, Type* type, Value* place, Align align) {
  LoadInst* found = b.CreateAlignedLoad(type, place, align);
  found->setMetadata(kFound, MDNode::get(b.getContext(), {}));
  return found;
}

static void lower(AtomicRMWInst& operation) {
  IRBuilder<> b(&operation);
  Value *place = operation.getPointerOperand(), *by = operation.getValOperand();
  LoadInst* found = load_found(b, by->getType(), place, operation.getAlign());
  b.CreateAlignedStore(buildAtomicRMWValue(operation.getOperation(), b, found, by), place, operation.getAlign());
  operation.replaceAllUsesWith(found);
  operation.eraseFromParent();
}

static void lower(AtomicCmpXchgInst& exchange) {
  IRBuilder<> b(&exchange);
  Value *place = exchange.getPointerOperand(), *expected = exchange.getCompareOperand();
  LoadInst* found = load_found(b, expected->getType(), place, exchange.getAlign());
  Value* is_equal = b.CreateICmpEQ(found, expected);
  b.CreateAlignedStore(b.CreateSelect(is_equal, exchange.getNewValOperand(), found), place, exchange.getAlign());
  Value* result = b.CreateInsertValue(PoisonValue::get(exchange.getType()), found, 0);
  exchange.replaceAllUsesWith(b.CreateInsertValue(result, is_equal, 1));
  exchange.eraseFromParent();
}

void lower_block_atomics(BasicBlock& block) {
  for (Instruction& i : make_early_inc_range(block)) {
    if (auto* operation = dyn_cast<AtomicRMWInst>(&i);
        operation && operation->getSyncScopeID() == SyncScope::SingleThread)
      lower(*operation);
    else if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&i);
             exchange && exchange->getSyncScopeID() == SyncScope::SingleThread)
      lower(*exchange);
  }
}

PreservedAnalyses RetargetPass::run(Module& module, ModuleAnalysisManager&) {
  Retarget(module, *host, keep_shared_atomics).run();
  return PreservedAnalyses::none();
}

}  // namespace lanza::compiler
